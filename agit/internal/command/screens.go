package command

import (
	"context"

	"github.com/spf13/cobra"

	topflags "github.com/agit-suite/agit/agit/internal/top/flags"
	webflags "github.com/agit-suite/agit/agit/internal/web/flags"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

type topOptions struct {
	topflags.Flags
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

type webOptions struct {
	webflags.Flags
	env  *cli.Env
	line []string
}

func newWeb(env *cli.Env, run cli.Func[webOptions]) *cobra.Command {
	o := &webOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "web [REPO] [flags]",
		SuggestFor: []string{"dashboard", "ui", "page", "browser"},
		Short:      "Show what is going on as a page in the browser",
		Long: `Serve a page on 127.0.0.1 that shows a project live: what waits for you, agents,
landings, tasks as a board and as a graph, conflicts, sessions, memories, sprint and
records. It answers only the user who started it. Open the address that is printed:
it holds a token, made anew at each start. The page changes nothing unless --actions
allows it. Ctrl-C ends it.

Without a name it shows the current folder's project first; the page can show all.`,
		Example: "agit web --open\nagit web app --port 0\nagit web --actions",
	}, o, o.take, run)
	o.Bind(cmd.Flags())
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func (o *webOptions) take(g cli.Given) error {
	o.line = g.Line()
	return o.Check()
}

func runWeb(_ context.Context, o *webOptions) error { return o.env.Become("agit-web", o.line) }
