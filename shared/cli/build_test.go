package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuilt(t *testing.T) {
	info := func(version, revision string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}}
	}
	for name, c := range map[string]struct {
		version, commit         string
		info                    *debug.BuildInfo
		wantVersion, wantCommit string
	}{
		"nothing is known":           {unreleased, "", nil, unreleased, ""},
		"built in a clone":           {unreleased, "", info("(devel)", "abc"), unreleased, "abc"},
		"installed as a version":     {unreleased, "", info("v1.2.3", ""), "1.2.3", ""},
		"a release set both":         {"1.2.3", "abc", info("v9.9.9", "def"), "1.2.3", "abc"},
		"the Makefile set a version": {"v1.2.3-4-gabc", "", info("(devel)", "abc"), "v1.2.3-4-gabc", "abc"},
	} {
		if version, commit := built(c.version, c.commit, c.info); version != c.wantVersion || commit != c.wantCommit {
			t.Errorf("%s: %q, %q; want %q, %q", name, version, commit, c.wantVersion, c.wantCommit)
		}
	}
}
