package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/term"
)

// VersionDetail is one more line that `version` prints.
type VersionDetail struct{ Name, Value string }

type versionOptions struct{ env *Env }

func newVersion(env *Env, run Func[versionOptions]) *cobra.Command {
	return Command(&cobra.Command{
		Use:   "version",
		Short: "Print the version and what the program was built with",
	}, &versionOptions{env}, nil, run)
}

func runVersion(ctx context.Context, o *versionOptions) error {
	lines := []VersionDetail{
		{"name", o.env.Name}, {"version", o.env.Version}, {"commit", o.env.Commit},
		{"go", runtime.Version()}, {"platform", runtime.GOOS + "/" + runtime.GOARCH},
	}
	if o.env.Details != nil {
		lines = append(lines, o.env.Details()...)
	}
	document := map[string]string{}
	for _, line := range lines {
		document[line.Name] = line.Value
	}
	return o.env.Printer().Document(ctx, document, func(s *term.Streams) error {
		for _, line := range lines {
			if line.Value == "" {
				continue
			}
			if _, err := io.WriteString(s.Out, fmt.Sprintf("%-9s %s\n", line.Name, line.Value)); err != nil {
				return err
			}
		}
		return nil
	})
}

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
