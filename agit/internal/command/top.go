package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/top/flags"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

type topOptions struct {
	flags.Flags
	env        *cli.Env
	args, line []string
}

func newTop(env *cli.Env, run cli.Func[topOptions]) *cobra.Command {
	o := &topOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "top [REPO] [flags]",
		SuggestFor: []string{"dashboard", "ui", "tui", "watch"},
		Short:      "Watch what needs you, agents, conflicts and landings, live",
		Long: `Show, live on the terminal, what waits for you, what agents are doing, which
worktrees collide, what lands and how the tasks stand. It follows what other
processes do, within a second. Keys show a diff, a log or a task's reasons, and go
to a worktree; others accept or return a branch, merge it, or release a task, and
ask first. Press ? for all keys.

Without REPO it shows the current folder's project; with --all, or outside of any
project, all of them. Without a terminal it prints the state once, as status does;
with --once it prints the screen itself, as text.`,
		Example: "agit top\nagit top app --read-only\nagit top --once\nagit top --all",
	}, o, o.take, run)
	o.Bind(cmd.Flags())
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func (o *topOptions) take(g cli.Given) error {
	o.args, o.line = g.Args, g.Line()
	return o.Check(g.Args)
}

func runTop(ctx context.Context, o *topOptions) error {
	if (o.Once || o.env.Streams.CanRedraw()) && o.env.Printer().Format() == output.Table {
		return o.env.Attend("agit-top", o.line)
	}
	once := &statusOptions{env: o.env, All: o.All}
	if len(o.args) > 0 {
		once.Repo = o.args[0]
	}
	return looking(o.env, runStatus)(ctx, once)
}
