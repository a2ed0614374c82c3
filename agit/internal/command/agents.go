package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type agentsOptions struct {
	env          *cli.Env
	Register     string
	Type         string
	Capabilities []string
	Heartbeat    string
	Sweep        bool
	Release      bool
	Remove       string
	DryRun       bool
	Yes          bool
}

func newAgents(env *cli.Env) *cobra.Command {
	o := &agentsOptions{env: env}
	cmd := &cobra.Command{
		Use:   "agents [flags]",
		Short: "List, register, sweep and remove agents",
		Long: `List the registered agents, or do one thing with them. --sweep marks agents
silent for agent.stale_after as disconnected, but for those known to wait for
you or in a tool; with --release their claimed and running tasks go back to
pending. --remove ends a registration after giving the agent's tasks and
worktrees back. Worktrees are always kept, and no process is ever ended.`,
		Example: "agit agents\nagit agents --register builder-1 --type claude --capabilities go,sql\nagit agents --sweep --release",
		Args:    cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return runAgents(c.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Register, "register", "", "register an agent under this `name`, or revive it")
	f.StringVar(&o.Type, "type", "", "with --register, what `kind` of agent it is (default custom)")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "with --register, what it can do, separated by commas")
	f.StringVar(&o.Heartbeat, "heartbeat", "", "say that the `agent` is alive")
	f.BoolVar(&o.Sweep, "sweep", false, "mark silent agents as disconnected")
	f.BoolVar(&o.Release, "release", false, "with --sweep, give their tasks back")
	f.StringVar(&o.Remove, "remove", "", "remove the `agent` after giving its work back")
	f.BoolVar(&o.DryRun, "dry-run", false, "with --remove, say what would be given back and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "with --remove, do not ask")
	for _, flag := range []string{"heartbeat", "remove"} {
		cli.CompleteFlag(cmd, flag, cli.Complete(env, listAgentNames))
	}
	return cmd
}

func (o *agentsOptions) check() error {
	actions := 0
	for _, set := range []bool{o.Register != "", o.Heartbeat != "", o.Sweep, o.Remove != ""} {
		if set {
			actions++
		}
	}
	switch {
	case actions > 1:
		return fault.Validation("", "--register, --heartbeat, --sweep and --remove cannot be done at once").WithHint("give them one after another")
	case o.Release && !o.Sweep:
		return fault.Validation("release", "--release goes with --sweep").WithHint("`agit agents --sweep --release`")
	case (o.Type != "" || o.Capabilities != nil) && o.Register == "":
		return fault.Validation("register", "--type and --capabilities go with --register").WithHint("add --register NAME")
	}
	return nil
}

func runAgents(ctx context.Context, o *agentsOptions) error {
	db, err := o.env.Registry(ctx)
	if err != nil {
		return err
	}
	cfg, err := o.env.Config(ctx)
	if err != nil {
		return err
	}
	store := &agents.Store{DB: db, StaleAfter: cfg.Agent.StaleAfter}
	switch {
	case o.Register != "":
		e, err := store.Register(ctx, agent.Registration{Name: o.Register, Type: o.Type, Capabilities: o.Capabilities})
		if err != nil {
			return err
		}
		return printAgent(ctx, o.env, e)
	case o.Heartbeat != "":
		e, err := store.Heartbeat(ctx, o.Heartbeat)
		if err != nil {
			return err
		}
		return printAgent(ctx, o.env, e)
	case o.Sweep:
		return sweepAgents(ctx, o, store, cfg)
	case o.Remove != "":
		return removeAgent(ctx, o, store)
	}
	agents, err := store.List(ctx)
	if err != nil {
		return err
	}
	if len(agents) == 0 {
		o.env.Streams.Notice("no agent is registered yet; a claim or `agit agents --register NAME` registers one")
	}
	return output.List(ctx, o.env.Printer(), "agents", agents, agentColumns(time.Now()))
}

func agentColumns(now time.Time) []output.Column[agents.Entry] {
	return []output.Column[agents.Entry]{
		{Title: "ID", Value: func(e agents.Entry) string { return e.UID }},
		{Title: "NAME", Value: func(e agents.Entry) string { return e.Name }, Flex: true},
		{Title: "TYPE", Value: func(e agents.Entry) string { return e.Type }},
		{Title: "STATE", Value: func(e agents.Entry) string { return entryState(e, now) }, Style: entryStyle},
		{Title: "LAST SEEN", Value: func(e agents.Entry) string { return term.Ago(e.LastSeen.Time, now) }},
		{Title: "WORKTREE", Value: func(e agents.Entry) string { return e.CurrentWorktree }},
		{Title: "TASK", Value: func(e agents.Entry) string { return e.CurrentTask }},
	}
}

// entryState is what an agent does, as every view says it; its registered status where nothing is known.
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

func printAgent(ctx context.Context, env *cli.Env, e agents.Entry) error {
	return env.Printer().Document(ctx, e, func(s *term.Streams) error { return s.Line(e.UID, e.Name, e.Type, e.Status) })
}

func sweepAgents(ctx context.Context, o *agentsOptions, store *agents.Store, cfg *config.Config) error {
	swept, spared, err := store.Sweep(ctx, cfg.Agent.StaleAfter, o.Release)
	if err != nil {
		return err
	}
	switch {
	case len(spared) > 0:
		o.env.Streams.Notice("silent, but waiting for you or in a tool, and left as they are: %s", strings.Join(spared, ", "))
	case len(swept) == 0:
		o.env.Streams.Notice("every agent was heard of within %s", cfg.Agent.StaleAfter)
	}
	now := time.Now()
	return output.List(ctx, o.env.Printer(), "swept", swept, []output.Column[agents.Swept]{
		{Title: "AGENT", Value: func(s agents.Swept) string { return s.Agent }},
		{Title: "STATUS", Value: func(agents.Swept) string { return agent.StatusDisconnected }},
		{Title: "LAST SEEN", Value: func(s agents.Swept) string { return term.Ago(s.LastSeen.Time, now) }},
		{Title: "RELEASED", Value: func(s agents.Swept) string { return strings.Join(s.Released, " ") }, Flex: true},
	})
}

func removeAgent(ctx context.Context, o *agentsOptions, store *agents.Store) error {
	plan, err := store.Remove(ctx, o.Remove, true)
	if err != nil {
		return err
	}
	if !o.DryRun {
		question := fmt.Sprintf("Remove agent %q? %s go back to pending, %s lose their agent.", plan.Agent,
			text.Count(len(plan.Released), "task", "tasks"), text.Count(len(plan.Worktrees), "worktree", "worktrees"))
		if len(plan.Released)+len(plan.Worktrees) > 0 || o.env.Streams.InTTY {
			agreed, err := o.env.Streams.Confirm(ctx, question, o.Yes)
			if err != nil {
				return err
			}
			if !agreed {
				o.env.Streams.Notice("%q stays registered", plan.Agent)
				return nil
			}
		}
		if plan, err = store.Remove(ctx, o.Remove, false); err != nil {
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
