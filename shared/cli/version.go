package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// VersionDetail is one more thing `version` tells.
type VersionDetail struct{ Name, Value string }

type versionOptions struct {
	Printer *output.Printer
	Lines   []VersionDetail
}

func newVersion(env *Env, run func(context.Context, *versionOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what the program was built with",
		Args:  NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o := &versionOptions{Printer: env.Printer()}
			o.Lines = append(o.Lines, VersionDetail{"name", env.Name}, VersionDetail{"version", env.Version},
				VersionDetail{"commit", env.Commit}, VersionDetail{"go", runtime.Version()},
				VersionDetail{"platform", runtime.GOOS + "/" + runtime.GOARCH})
			if env.Details != nil {
				o.Lines = append(o.Lines, env.Details()...)
			}
			return run(c.Context(), o)
		},
	}
}

func runVersion(ctx context.Context, o *versionOptions) error {
	document := map[string]string{}
	for _, line := range o.Lines {
		document[line.Name] = line.Value
	}
	return o.Printer.Document(ctx, document, func(s *term.Streams) error {
		for _, line := range o.Lines {
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
