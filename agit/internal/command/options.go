package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// byAgent is the agent that a command acts for.
type byAgent struct{ Agent string }

// agentFlag adds --agent.
func (o *byAgent) agentFlag(cmd *cobra.Command, env *cli.Env) {
	agentFlag(cmd, env, &o.Agent, doneFor)
}

// doneFor is the help of --agent where it names whom a command acts for.
const doneFor = "`agent` this is done for (default AGIT_AGENT)"

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

// nameOptions are those of a command that takes one name and no flags.
type nameOptions struct {
	env  *cli.Env
	Name string
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

// open puts the stores of a run together. The output of hooks goes to standard error.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	return stores.Open(ctx, env, env.Streams.ErrWriter())
}

// look is open for a run that only looks: unreadable settings of a project cause a warning, and do not stop it.
func look(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	env.OnlyLooks()
	return open(ctx, env)
}

// changing makes the function of a command out of one that needs the stores.
func changing[O any](env *cli.Env, run func(context.Context, *O, *stores.Stores) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		s, err := open(ctx, env)
		if err != nil {
			return err
		}
		return run(ctx, o, s)
	}
}

// looking is changing for a command that only looks.
func looking[O any](env *cli.Env, run func(context.Context, *O, *stores.Stores) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		env.OnlyLooks()
		return changing(env, run)(ctx, o)
	}
}

// stored makes the function of a command out of one that needs the registry.
func stored[O any](env *cli.Env, run func(context.Context, *O, *registry.DB) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		db, err := env.Registry(ctx)
		if err != nil {
			return err
		}
		return run(ctx, o, db)
	}
}

// action is what the flags of a command stand for: one of its subcommands, with its options.
type action struct {
	options any
	run     func(context.Context) error
}

func actionOf[O any](run cli.Func[O], o *O) action {
	return action{o, func(ctx context.Context) error { return run(ctx, o) }}
}

// openTo is look when the run only looks, else open.
func openTo(ctx context.Context, env *cli.Env, onlyLooks bool) (*stores.Stores, error) {
	if onlyLooks {
		return look(ctx, env)
	}
	return open(ctx, env)
}

// asker is who runs a command, where a person decides.
func asker(env *cli.Env) land.Asker {
	return land.Asker{Agent: env.Getenv("AGIT_AGENT"), Run: env.Getenv(worker.RunVariable)}
}
