package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// newAgents is `agents` with a subcommand for each verb. By itself it lists, or does what one
// of its flags names: agentFlags.
func newAgents(env *cli.Env) *cobra.Command {
	cmd := newAgentFlags(env, runAgentFlags)
	cmd.AddCommand(newAgentList(env, looking(env, runAgentList)), newAgentRegister(env, changing(env, runAgentRegister)),
		newAgentHeartbeat(env, changing(env, runAgentHeartbeat)), newAgentSweep(env, changing(env, runAgentSweep)),
		newAgentRemove(env, changing(env, runAgentRemove)))
	return cli.RunsAlone(cmd)
}

func newAgentList(env *cli.Env, run cli.Func[cli.Env]) *cobra.Command {
	return cli.Command(&cobra.Command{
		Use:        "list",
		SuggestFor: []string{"ls"},
		Short:      "List the registered agents",
		Example:    "agit agents list --json --jq '.agents[].name'",
	}, env, nil, run)
}

func runAgentList(ctx context.Context, env *cli.Env, s *stores.Stores) error {
	all, err := s.Roster.List(ctx)
	return printList(ctx, env, "agents", all, err, agentColumns(time.Now()), "no agent is registered yet; a claim or `agit agents register NAME` registers one")
}

type agentRegisterOptions struct {
	env *cli.Env
	agent.Registration
}

func newAgentRegister(env *cli.Env, run cli.Func[agentRegisterOptions]) *cobra.Command {
	o := &agentRegisterOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "register NAME [flags]",
		Aliases: []string{"add"},
		Short:   "Register an agent, or revive it",
		Example: "agit agents register builder-1 --type claude --capabilities go,sql",
	}, o, cli.Take(&o.Name), run)
	o.flags(cmd.Flags(), "")
	return cmd
}

func (o *agentRegisterOptions) flags(f *pflag.FlagSet, with string) {
	f.StringVar(&o.Type, "type", "", with+"what `kind` of agent it is (default custom)")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, with+"what it can do, separated by commas")
}

func runAgentRegister(ctx context.Context, o *agentRegisterOptions, s *stores.Stores) error {
	e, err := s.Roster.Register(ctx, o.Registration)
	return printAgent(ctx, o.env, e, err)
}

func newAgentHeartbeat(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:               "heartbeat NAME",
		Short:             "Note that an agent is alive",
		Example:           "agit agents heartbeat builder-1",
		ValidArgsFunction: cli.CompleteFirst(env, listAgentNames),
	}, o, cli.Take(&o.Name), run)
}

func runAgentHeartbeat(ctx context.Context, o *nameOptions, s *stores.Stores) error {
	e, err := s.Roster.Heartbeat(ctx, o.Name)
	return printAgent(ctx, o.env, e, err)
}

func agentColumns(now time.Time) []output.Column[agents.Entry] {
	return []output.Column[agents.Entry]{
		{Title: "ID", Value: func(e agents.Entry) string { return e.UID }},
		{Title: "NAME", Value: func(e agents.Entry) string { return e.Name }},
		{Title: "TYPE", Value: func(e agents.Entry) string { return e.Type }},
		{Title: "STATE", Value: func(e agents.Entry) string { return entryState(e, now) }, Style: entryStyle},
		{Title: "LAST SEEN", Value: func(e agents.Entry) string { return term.Ago(e.LastSeen.Time, now) }},
		{Title: "WORKTREE", Value: func(e agents.Entry) string { return e.CurrentWorktree }},
		{Title: "TASK", Value: func(e agents.Entry) string { return e.CurrentTask }},
	}
}

// entryState returns what an agent does, in the words of every view; its registered status where nothing is known.
func entryState(e agents.Entry, now time.Time) string {
	if e.State == nil {
		return e.Status
	}
	return shownState(e.State, now)
}

func entryStyle(cell string) term.Style {
	if cell == agent.StatusDisconnected {
		return term.Dim
	}
	return stateStyle(cell)
}

func printAgent(ctx context.Context, env *cli.Env, e agents.Entry, failed error) error {
	return printChange(ctx, env, e, failed, e.UID, e.Name, e.Type, e.Status)
}

type agentSweepOptions struct {
	env     *cli.Env
	Release bool
}

func newAgentSweep(env *cli.Env, run cli.Func[agentSweepOptions]) *cobra.Command {
	o := &agentSweepOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "sweep [flags]",
		Short: "Mark silent agents as disconnected",
		Long: `Mark agents that were silent for agent.stale_after as disconnected, except agents
that wait for you or run a tool. Their worktrees are kept, and no process is ended.`,
		Example: "agit agents sweep\nagit agents sweep --release",
	}, o, nil, run)
	cmd.Flags().BoolVar(&o.Release, "release", false, "give their claimed and running tasks back to pending")
	return cmd
}

func runAgentSweep(ctx context.Context, o *agentSweepOptions, s *stores.Stores) error {
	staleAfter := s.Config.Agent.StaleAfter
	swept, spared, err := s.Roster.Sweep(ctx, staleAfter, o.Release)
	if err != nil {
		return err
	}
	switch {
	case len(spared) > 0:
		o.env.Streams.Notice("silent, but waiting for you or in a tool, and left as they are: %s", strings.Join(spared, ", "))
	case len(swept) == 0:
		o.env.Streams.Notice("every agent was heard of within %s", staleAfter)
	}
	now := time.Now()
	return output.List(ctx, o.env.Printer(), "swept", swept, []output.Column[agents.Swept]{
		{Title: "AGENT", Value: func(s agents.Swept) string { return s.Agent }},
		{Title: "STATUS", Value: func(agents.Swept) string { return agent.StatusDisconnected }},
		{Title: "LAST SEEN", Value: func(s agents.Swept) string { return term.Ago(s.LastSeen.Time, now) }},
		{Title: "RELEASED", Value: func(s agents.Swept) string { return strings.Join(s.Released, " ") }, Flex: true},
	})
}

type agentRemoveOptions struct {
	env    *cli.Env
	Name   string
	DryRun bool
	Yes    bool
}

func newAgentRemove(env *cli.Env, run cli.Func[agentRemoveOptions]) *cobra.Command {
	o := &agentRemoveOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "remove NAME [flags]",
		Aliases: []string{"rm", "delete"},
		Short:   "Remove an agent after giving its work back",
		Long: `Remove an agent's registration. Its claimed and running tasks go back to pending
first, its worktrees lose their agent and are kept, and no process is ended.`,
		Example:           "agit agents remove builder-1 --dry-run\nagit agents remove builder-1 --yes",
		ValidArgsFunction: cli.CompleteFirst(env, listAgentNames),
	}, o, cli.Take(&o.Name), run)
	o.flags(cmd.Flags(), "")
	return cmd
}

func (o *agentRemoveOptions) flags(f *pflag.FlagSet, with string) {
	f.BoolVar(&o.DryRun, "dry-run", false, with+"show what would be given back, and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, with+"do not ask")
}

func runAgentRemove(ctx context.Context, o *agentRemoveOptions, s *stores.Stores) error {
	plan, err := s.Roster.Remove(ctx, o.Name, true)
	if err != nil {
		return err
	}
	if !o.DryRun {
		question := fmt.Sprintf("Remove agent %q? %s back to pending, %s agent.", plan.Agent,
			text.Count(len(plan.Released), "task goes", "tasks go"), text.Count(len(plan.Worktrees), "worktree loses its", "worktrees lose their"))
		if len(plan.Released)+len(plan.Worktrees) > 0 || o.env.Streams.InTTY {
			if agreed, err := o.env.Streams.Agreed(ctx, question, o.Yes, strconv.Quote(plan.Agent)+" stays registered"); !agreed {
				return err
			}
		}
		if plan, err = s.Roster.Remove(ctx, o.Name, false); err != nil {
			return err
		}
	}
	verb := "removed"
	if o.DryRun {
		verb = "would be removed"
	}
	return o.env.Printer().Document(ctx, plan, func(s *term.Streams) error {
		return s.Line(plan.Agent, verb, text.Count(len(plan.Released), "task", "tasks")+" back to pending",
			text.Count(len(plan.Worktrees), "worktree", "worktrees")+" without agent")
	})
}

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
		actions = append(actions, actionOf(changing(o.env, runAgentHeartbeat), &nameOptions{o.env, o.Heartbeat}))
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
	o.action = actionOf(looking(o.env, runAgentList), o.env)
	if len(actions) == 1 {
		o.action = actions[0]
	}
	return nil
}

func runAgentFlags(ctx context.Context, o *agentFlags) error { return o.action.run(ctx) }
