package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// agentFlags are the flags of agents itself. At most one of them names an action, which
// becomes the options of the subcommand of its name.
type agentFlags struct {
	env       *cli.Env
	register  agentRegisterOptions
	remove    agentRemoveOptions
	sweep     agentSweepOptions
	Heartbeat string
	Sweep     bool

	action action
}

func newAgentFlags(env *cli.Env, run cli.Func[agentFlags]) *cobra.Command {
	o := &agentFlags{env: env, register: agentRegisterOptions{env: env}, remove: agentRemoveOptions{env: env}, sweep: agentSweepOptions{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "agents [flags]",
		Short: "List, register, sweep and remove agents",
		Long: `List the registered agents; the commands do one thing with them. Worktrees are
always kept, and no process is ever ended.

Each command is a flag too: agit agents --remove NAME.`,
		Example: "agit agents\nagit agents register builder-1 --type claude --capabilities go,sql\nagit agents sweep --release\nagit agents remove builder-1",
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.register.Name, "register", "", "register an agent under this `name`, or revive it")
	o.register.flags(f, "with --register, ")
	f.StringVar(&o.Heartbeat, "heartbeat", "", "note that the `agent` is alive")
	f.BoolVar(&o.Sweep, "sweep", false, "mark silent agents as disconnected")
	f.BoolVar(&o.sweep.Release, "release", false, "with --sweep, give their tasks back")
	f.StringVar(&o.remove.Name, "remove", "", "remove the `agent` after giving its work back")
	o.remove.flags(f, "with --remove, ")
	for _, flag := range []string{"heartbeat", "remove"} {
		cli.CompleteFlag(cmd, flag, cli.Complete(env, listAgentNames))
	}
	return cmd
}

// take chooses the action.
func (o *agentFlags) take(cli.Given) error {
	var actions []action
	if o.register.Name != "" {
		actions = append(actions, actionOf(changing(o.env, runAgentRegister), &o.register))
	}
	if o.Heartbeat != "" {
		actions = append(actions, actionOf(changing(o.env, runAgentHeartbeat), &agentHeartbeatOptions{o.env, o.Heartbeat}))
	}
	if o.Sweep {
		actions = append(actions, actionOf(changing(o.env, runAgentSweep), &o.sweep))
	}
	if o.remove.Name != "" {
		actions = append(actions, actionOf(changing(o.env, runAgentRemove), &o.remove))
	}
	switch {
	case len(actions) > 1:
		return fault.Validation("", "--register, --heartbeat, --sweep and --remove cannot be done at once").WithHint("give them one after another")
	case o.sweep.Release && !o.Sweep:
		return fault.Validation("release", "--release goes with --sweep").WithHint("`agit agents sweep --release`")
	case (o.register.Type != "" || o.register.Capabilities != nil) && o.register.Name == "":
		return fault.Validation("register", "--type and --capabilities go with --register").WithHint("add --register NAME")
	}
	o.action = actionOf(looking(o.env, runAgentList), &agentListOptions{o.env})
	if len(actions) == 1 {
		o.action = actions[0]
	}
	return nil
}

func runAgentFlags(ctx context.Context, o *agentFlags) error { return o.action.run(ctx) }
