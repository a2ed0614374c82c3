package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// newAgent groups the commands on agents' records.
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

// oneAgent is the agent of a command.
type oneAgent struct {
	where
	Name  string // from the arguments; when empty, the one of --agent or AGIT_AGENT
	Scope string
}

// about returns the agent of a command of env.
func about(env *cli.Env) oneAgent { return oneAgent{where: where{env: env}} }

// bindAgent adds --agent.
func (o *oneAgent) bindAgent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Agent, "agent", "", "`agent` it is about, as NAME (default AGIT_AGENT)")
	cli.CompleteFlag(cmd, "agent", cli.Complete(o.env, listAgents))
}

// bindBooking adds the flags for the project and agent of a write.
func (o *oneAgent) bindBooking(cmd *cobra.Command) {
	o.bindProject(o.env, cmd)
	o.bindAgent(cmd)
	cmd.Flags().StringVar(&o.Scope, "scope", "", "`scope` of the work, such as frontend (default the agent's type)")
}

// name returns the name of the command's agent.
func (o *oneAgent) name() string {
	if o.Name != "" {
		o.Agent = o.Name
	}
	return o.agent()
}

// booking opens the stores for a record, and returns where it is booked.
func (o *oneAgent) booking(ctx context.Context) (st *stores.Stores, by record.By, err error) {
	if by.Place, err = o.place(); err != nil {
		return nil, by, err
	}
	by.Agent, by.Scope = o.name(), o.Scope
	st, err = open(ctx, o.env)
	return st, by, err
}

// dir returns the folder whose repository resolves named commits: that of --project when it is a folder, else the current one. For a
// project named otherwise it is "".
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
