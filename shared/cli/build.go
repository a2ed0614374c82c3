package cli

import (
	"runtime/debug"
	"strings"
)

// Version and Commit identify the build; the Makefile and the release set them with -ldflags -X. When they are not set, NewEnv reads what
// the go command recorded: the module's version after `go install …@version`, the commit of a build in a clone.
var (
	Version = unreleased
	Commit  = ""
)

const unreleased = "devel"

// built fills in a version and a commit that the build did not set.
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
