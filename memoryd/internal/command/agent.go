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
	}, newAgentStatus(env, runAgentStatus), newAgentList(env, runAgentList), newAgentSheet(env, runAgentSheet),
		newAgentBug(env, runAgentBug), newAgentGrade(env, runAgentGrade), newAgentRetro(env, runAgentRetro),
		newAgentLog(env, runAgentLog), newAgentResume(env, runAgentResume))
}

// oneAgent is the agent that a command is about.
type oneAgent struct {
	where
	Name  string // from the arguments; the agent by --agent or AGIT_AGENT when empty
	Scope string
}

// about is the agent that a command of env is about.
func about(env *cli.Env) oneAgent { return oneAgent{where: where{env: env}} }

// bindAgent adds --agent.
func (o *oneAgent) bindAgent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Agent, "agent", "", "`agent` it is about, as NAME (default AGIT_AGENT)")
	cli.CompleteFlag(cmd, "agent", cli.Complete(o.env, listAgents))
}

// bindBooking adds what a write is booked on.
func (o *oneAgent) bindBooking(cmd *cobra.Command) {
	o.bindProject(o.env, cmd)
	o.bindAgent(cmd)
	cmd.Flags().StringVar(&o.Scope, "scope", "", "`scope` of the work, such as frontend (default the agent's type)")
}

// name is the agent that the command is about.
func (o *oneAgent) name() string {
	if o.Name != "" {
		o.Agent = o.Name
	}
	return o.agent()
}

// by says whom a write is booked on, and where.
func (o *oneAgent) by() (record.By, error) {
	place, err := o.place()
	return record.By{Agent: o.name(), Place: place, Scope: o.Scope}, err
}

// dir is the folder whose repository knows the commits that are named: that of
// --project where it is one, else the current one. Of a project named otherwise no
// folder is known.
func (o *oneAgent) dir() string {
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
