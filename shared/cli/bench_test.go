package cli_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// BenchmarkMain: the cost of the command line at every start, beside the same four commands of cobra alone.
func BenchmarkMain(b *testing.B) {
	nothing := func() *cobra.Command {
		return &cobra.Command{Use: "nothing", RunE: func(*cobra.Command, []string) error { return nil }}
	}
	benchtest.Beside(b, "cobra", benchtest.Of(func() error {
		s, _, _, _ := term.Test()
		env := &cli.Env{Name: "agit", Streams: s}
		root := cli.NewRoot(env, "Test")
		root.AddCommand(cli.ConfigCommand(env), cli.ServeCommand(env, 1), nothing())
		if status := cli.Main(context.Background(), env, root, []string{"nothing"}); status != 0 {
			return fmt.Errorf("status %d", status)
		}
		return nil
	}), benchtest.Of(func() error {
		root := &cobra.Command{Use: "agit"}
		root.AddCommand(&cobra.Command{Use: "config"}, &cobra.Command{Use: "serve"}, nothing())
		root.SetArgs([]string{"nothing"})
		return root.Execute()
	}))
}
