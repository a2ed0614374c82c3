package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// newAgent groups what is kept of agents.
func newAgent(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "agent",
		Short: "Show agents' scores, and record bugs, grades, retrospectives and activities",
		Long: `Keep agents' records: score points (SP), experience (XP), communication score
(CS), commits and bugs. An agent whose score points are used up by bugs is halted
and gets no claim until a person resumes it.`,
	}, newAgentStatus(env), newAgentList(env), newAgentSheet(env),
		newAgentBug(env), newAgentGrade(env), newAgentRetro(env),
		newAgentLog(env), newAgentResume(env))
}

// agentOptions are what the commands about one agent have in common.
type agentOptions struct {
	where
	Name  string // from the arguments; the agent by --agent or AGIT_AGENT when empty
	Scope string
}

// agentCommand makes a command whose one argument may name an agent.
func agentCommand[O any](env *cli.Env, cmd *cobra.Command, o *O, common *agentOptions, run func(context.Context, *O) error) *cobra.Command {
	common.env = env
	cmd.Args = cli.Args("[NAME]")
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			common.Name = args[0]
		}
		return run(c.Context(), o)
	}
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listAgents)
	return cmd
}

// bindAgent adds --agent.
func (o *agentOptions) bindAgent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Agent, "agent", "", "`agent` it is about, as NAME (default AGIT_AGENT)")
	cli.CompleteFlag(cmd, "agent", cli.Complete(o.env, listAgents))
}

// bindBooking adds what a write is booked on.
func (o *agentOptions) bindBooking(cmd *cobra.Command) {
	o.bindProject(o.env, cmd)
	o.bindAgent(cmd)
	cmd.Flags().StringVar(&o.Scope, "scope", "", "`scope` of the work, such as frontend (default the agent's type)")
}

// name is the agent that the command is about.
func (o *agentOptions) name() string {
	if o.Name != "" {
		o.Agent = o.Name
	}
	return o.agent()
}

// by says whom a write is booked on, and where.
func (o *agentOptions) by() (record.By, error) {
	place, err := o.place()
	return record.By{Agent: o.name(), Place: place, Scope: o.Scope}, err
}

// dir is the folder whose repository knows the commits that are named: that of
// --project where it is one, else the current one. Of a project named otherwise no
// folder is known.
func (o *agentOptions) dir() string {
	switch {
	case o.Project == "":
		return o.env.Dir
	case strings.ContainsAny(o.Project, `/\`) || strings.HasPrefix(o.Project, "."):
		if path, err := o.env.Path(o.Project); err == nil {
			return path
		}
	}
	return ""
}

// listAgents completes names.
func listAgents(ctx context.Context, db *registry.DB, _ string) (names []string, err error) {
	err = db.Read(ctx, func(tx *registry.Tx) error {
		all, err := agent.List(tx)
		for _, a := range all {
			names = append(names, a.Name)
		}
		return err
	})
	return names, err
}
