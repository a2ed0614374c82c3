package clitest

import (
	"bytes"
	"context"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
	"github.com/agit-suite/agit/shared/term"
)

// Run is a run of a binary in a test's process, with a home and a registry of its own, and with its output.
type Run struct {
	*cli.Env
	In        *bytes.Buffer
	Out, Errs *bytes.Buffer
}

// NewRun makes a run that can be passed to run functions. Its current folder and its home are new and empty; its registry is made when it
// is opened.
func NewRun(t *testing.T) *Run {
	t.Helper()
	s, in, out, errs := term.Test()
	env := &cli.Env{Name: "program", Streams: s, Dir: t.TempDir(), UserHome: t.TempDir(), JQ: jq.Compile}
	if err := env.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if db := env.OpenedRegistry(); db != nil {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return &Run{env, in, out, errs}
}

// Options returns the options that a command's run function gets for a command line. build is the command's constructor. The error is for
// arguments and flags that do not fit.
func Options[O any](env *cli.Env, build func(*cli.Env, cli.Func[O]) *cobra.Command, args ...string) (got *O, err error) {
	cmd := build(env, func(_ context.Context, o *O) error {
		got = o
		return nil
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...))
	return got, cmd.ExecuteContext(context.Background())
}
