package cli_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/term"
)

// In a pipe a table is rows with tabs, or the terminal's layout on request.
func TestTableInAPipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args    []string
		environ []string
		want    string
	}{
		{nil, nil, "ann\tworking\n"},
		{nil, []string{"AGIT_TABLE=0"}, "ann\tworking\n"},
		{[]string{"--table"}, nil, "NAME  STATE\nann   working\n"},
		{nil, []string{"AGIT_TABLE=1"}, "NAME  STATE\nann   working\n"},
	} {
		run := clitest.NewRun(t)
		run.Env.Environ = append(run.Env.Environ, c.environ...)
		tree := cli.Tree{Sections: []cli.Section{{Title: "Lists", Commands: []cli.Entry{
			cli.Leaf("pour", newPour(func(*pour) func(cli.Given) error { return nil }), func(context.Context, *pour) error {
				table := term.NewTable(term.Column{Title: "NAME"}, term.Column{Title: "STATE"})
				table.Add("ann", "working")
				return table.WriteTo(run.Env.Streams)
			}),
		}}}}
		args := append([]string{"pour"}, c.args...)
		if status := cli.Main(t.Context(), run.Env, tree.Root(run.Env, args), args); status != 0 || run.Out.String() != c.want {
			t.Errorf("%q %q: status %d, %q, want %q", c.args, c.environ, status, run.Out, c.want)
		}
	}
}
