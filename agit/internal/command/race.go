package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

type raceOptions struct {
	workOptions
	Task string
}

func newRace(env *cli.Env, run cli.Func[raceOptions]) *cobra.Command {
	o := &raceOptions{workOptions: workOptions{env: env, Workers: 1}}
	cmd := cli.Command(&cobra.Command{
		Use:   "race TASK [flags] [-- COMMAND [ARG...]]",
		Args:  cobra.ArbitraryArgs,
		Short: "Let several clients try one task, and choose the best try",
		Long: `Claim TASK once and let several clients work on it at the same time, each in a
worktree of its own. The gate judges each try. Nothing lands: the tries wait for a
person, and "agit review" shows them side by side, with the gate, the size, the time,
the cost where it is known, and what tries have in common; "agit diff A..B" compares
two. Accepting one lands it and moves the others to the trash, from where they can be
restored.

A client may be given several times. After kill -9 the same command goes on with the
tries that were cut off. How clients run and end is as with "agit work".`,
		Example: `agit race t-4k2m --clients claude,codex,opencode --agent ann
agit race t-4k2m --clients claude --tries 3 --agent ann
agit race t-4k2m --tries 2 --agent ann -- ./agent.sh`,
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Client, "clients", "", "`clients` that try it, separated by commas: "+strings.Join(worker.Clients(), ", "))
	f.IntVar(&o.Tries, "tries", 0, "make `n` tries, with the clients in turns (default: one of each client)")
	agentFlag(cmd, env, &o.Agent, "`name` of the agent that holds the claim (default AGIT_AGENT)")
	repoFlag(cmd, env, &o.Repo, "`repository` of the task (default: the folder's)")
	f.BoolVar(&o.ACP, "acp", false, "speak the Agent Client Protocol with the program, and never run a client by its command line")
	f.StringVar(&o.Limit, "limit", "", "`time` that a client may take (default: work.limit)")
	f.StringVar(&o.Idle, "idle", "", "longest `time` without output and without a changed file (default: work.idle)")
	f.StringSliceVar(&o.Pass, "env", nil, "`names` of variables that the clients get too; one may end with *")
	f.StringVar(&o.Sandbox, "sandbox", "", "`wall` around the clients: bwrap, sandbox-exec, docker:IMAGE, none (default: work.sandbox)")
	cli.CompleteFlag(cmd, "clients", cli.Words(worker.Clients()...))
	cli.Exits(cmd, fault.ExitConflict, "another agent has the task")
	cli.Exits(cmd, fault.ExitFailure, "no try made anything to accept")
	return cmd
}

func (o *raceOptions) take(g cli.Given) error {
	g.Args, o.Command, _ = g.AtDash()
	o.Task, o.env.Readers = g.Arg(0), 2
	return g.Check(g.Args, "TASK")
}

func runRace(ctx context.Context, o *raceOptions) error {
	tries := o.Tries
	o.Tries, o.workOptions.Tasks, o.Empty = 0, 1, true
	u, err := o.options(ctx)
	if err != nil {
		return err
	}
	if u.Tries, err = triesOf(u.Clients, cmp.Or(tries, len(u.Clients))); err != nil {
		return err
	}
	if len(u.Tries) < 2 {
		return fault.Validation("clients", "a race needs at least two tries").WithHint("give several clients with --clients claude,codex, or --tries 3")
	}
	u.Task = o.Task
	return o.work(ctx, u)
}
