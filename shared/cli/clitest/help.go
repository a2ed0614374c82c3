package clitest

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// Help checks that the help of every command fits into 80 columns without a terminal, and has a line on what the command does.
func Help(t *testing.T, root func(env *cli.Env, args []string) *cobra.Command) {
	t.Helper()
	const columns = 80
	streams, _, out, _ := term.Test()
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		out.Reset()
		if err := c.Help(); err != nil {
			t.Errorf("%s: %v", c.CommandPath(), err)
		}
		if c.Short == "" || !strings.Contains(out.String(), "\nUsage\n") {
			t.Errorf("the help of %s does not say what it does:\n%s", c.CommandPath(), out)
		}
		if _, args, _ := strings.Cut(strings.TrimSuffix(c.Use, " [flags]"), " "); args != "" && c.Example == "" {
			t.Errorf("the help of %s has no example of %s", c.CommandPath(), args)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := term.Width(line); n > columns {
				t.Errorf("the help of %s has a line of %d columns: %q", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				look(sub)
			}
		}
	}
	look(root(&cli.Env{Name: "program", Streams: streams}, []string{"--help"}))
}
