package cli

import (
	"runtime/debug"
	"strings"
)

// Version and Commit say what was built; the Makefile and the release set them
// with -ldflags -X. Where they are not set, NewEnv reads what the go command
// noted: the module's version after `go install …@version`, the commit of a
// build in a clone.
var (
	Version = unreleased
	Commit  = ""
)

const unreleased = "devel"

// built completes a version and a commit that no flag of the build set.
func built(version, commit string, info *debug.BuildInfo) (string, string) {
	if info == nil {
		return version, commit
	}
	if module := info.Main.Version; version == unreleased && module != "" && module != "(devel)" {
		version = strings.TrimPrefix(module, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && commit == "" {
			commit = s.Value
		}
	}
	return version, commit
}
