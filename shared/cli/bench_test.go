package cli_test

import (
	"context"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// BenchmarkMain is what every start pays for the command line itself.
func BenchmarkMain(b *testing.B) {
	for b.Loop() {
		s, _, _, _ := term.Test()
		env := &cli.Env{Name: "agit", Streams: s}
		root := cli.NewRoot(env, "Test")
		root.AddCommand(cli.ConfigCommand(env), cli.ServeCommand(env, 1),
			&cobra.Command{Use: "nothing", RunE: func(*cobra.Command, []string) error { return nil }})
		if status := cli.Main(context.Background(), env, root, []string{"nothing"}); status != 0 {
			b.Fatal(status)
		}
	}
}
