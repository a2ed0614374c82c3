// Package clitest holds the tests that every binary of the suite runs on its command line. It is for tests alone.
package clitest

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// LazyCommands checks that the names by which a run chooses its command are the names of the commands, and that all commands are made when
// none is chosen.
func LazyCommands(t *testing.T, root func(env *cli.Env, args []string) *cobra.Command) {
	t.Helper()
	made := func(args ...string) *cobra.Command {
		streams, _, _, _ := term.Test()
		return root(&cli.Env{Name: "program", Streams: streams}, args)
	}
	all := made().Commands()
	if len(all) < 5 {
		t.Fatalf("only %d commands were made", len(all))
	}
	for _, c := range all {
		if c.GroupID == "" {
			continue // every run has it
		}
		one := made(c.Name())
		if found, _, err := one.Find([]string{c.Name()}); err != nil || found.Name() != c.Name() || len(one.Commands()) >= len(all) {
			t.Errorf("%q: %d commands were made, %v", c.Name(), len(one.Commands()), err)
		}
	}
	for _, args := range [][]string{{"--help"}, {"nothing"}, {"help", "serve"}, {"-q", "serve"}} {
		if n := len(made(args...).Commands()); n != len(all) {
			t.Errorf("%q: %d of %d commands were made", args, n, len(all))
		}
	}
}
