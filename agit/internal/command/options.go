package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
)

// byAgent is the agent that a command acts for.
type byAgent struct{ Agent string }

// agentFlag adds --agent.
func (o *byAgent) agentFlag(cmd *cobra.Command, env *cli.Env) {
	agentFlag(cmd, env, &o.Agent, "`agent` this is done for (default AGIT_AGENT)")
}

func agentFlag(cmd *cobra.Command, env *cli.Env, agent *string, help string) {
	cmd.Flags().StringVar(agent, "agent", "", help)
	cli.CompleteFlag(cmd, "agent", cli.Complete(env, listAgentNames))
}

func repoFlag(cmd *cobra.Command, env *cli.Env, repo *string, help string) {
	cmd.Flags().StringVar(repo, "repo", "", help)
	cli.CompleteFlag(cmd, "repo", cli.Complete(env, listRepoNames))
}

// setOptions are what a command that sets a status by hand takes.
type setOptions struct {
	byAgent
	env        *cli.Env
	ID, Status string
}

func newSet(env *cli.Env, run cli.Func[setOptions], cmd *cobra.Command) *cobra.Command {
	o := &setOptions{env: env}
	o.agentFlag(cmd, env)
	return cli.Command(cmd, o, cli.Take(&o.ID, &o.Status), run)
}

// inProject is the project of the knowledge graph that a command is about.
type inProject struct {
	env     *cli.Env
	Project string
	Wide    bool // of every project, wherever the command is run
}

// projectFlag adds --project.
func (o *inProject) projectFlag(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&o.Project, "project", "", what)
	cli.CompleteFlag(cmd, "project", cli.Complete(o.env, listProjectIDs))
}

// listFlags are the flags of a list. It is limited to the project of the current folder unless another project, or all of them, is asked
// for.
func (o *inProject) listFlags(cmd *cobra.Command) {
	o.projectFlag(cmd, "only this `project` (default: the folder's; outside of one, all)")
	if cmd.Flags().Lookup("all") == nil {
		cmd.Flags().BoolVar(&o.Wide, "all", false, "of every project")
	}
}

// within returns the project that a list is limited to; "" for all.
func (o *inProject) within(ctx context.Context, s *stores.Stores) (string, error) {
	if o.Project != "" || o.Wide {
		return o.Project, nil
	}
	if name := o.env.Getenv("AGIT_REPO"); name != "" {
		r, err := s.Repos.Get(ctx, name)
		if err != nil {
			return "", err
		}
		return s.Graph.ProjectOf(ctx, r.Path)
	}
	return s.Graph.ProjectOf(ctx, o.env.Dir)
}

// here is the project asked for: --project, else the current folder's.
func (o *inProject) here(ctx context.Context, s *stores.Stores) (string, error) {
	if o.Project != "" {
		return o.Project, nil
	}
	if id, err := s.Graph.ProjectOf(ctx, o.env.Dir); err != nil || id != "" {
		return id, err
	}
	return "", fault.Validation("project", "no project is named, and the current folder belongs to none that is known").
		WithHint("name one of `agit project list`")
}

var listProjectIDs = listed(project.List, func(p project.Project) string { return p.UID + "\t" + p.Name })
