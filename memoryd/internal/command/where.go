package command

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/timestamp"
)

// where is the project and the agent of a command, from its flags.
type where struct {
	env     *cli.Env
	Project string
	Agent   string
}

// bindProject adds only --project, for commands without an agent.
func (w *where) bindProject(env *cli.Env, cmd *cobra.Command) {
	w.env = env
	cmd.Flags().StringVar(&w.Project, "project", "", "`project`: an id, a name or a folder (default the current folder's)")
}

// bind adds --project and --agent.
func (w *where) bind(env *cli.Env, cmd *cobra.Command) {
	w.bindProject(env, cmd)
	cmd.Flags().StringVar(&w.Agent, "agent", "", "`agent` this is done for (default AGIT_AGENT)")
}

// place returns the project, to be found or created inside a transaction.
func (w *where) place() (project.Place, error) {
	if _, err := w.env.Path("."); err != nil && w.Project == "" {
		return project.Place{}, err
	}
	return project.Locate(w.Project, w.env.Dir)
}

// openPlace opens the stores, and returns the project as place does.
func (w *where) openPlace(ctx context.Context) (st *stores.Stores, place project.Place, err error) {
	if place, err = w.place(); err == nil {
		st, err = open(ctx, w.env)
	}
	return st, place, err
}

// local formats a time in local time.
func local(at timestamp.Time) string { return at.Local().Format(time.DateTime) }

// agent returns the name of the agent, "" without one, and sets it for the run's log lines.
func (w *where) agent() string {
	w.Agent = cmp.Or(w.Agent, w.env.Getenv("AGIT_AGENT"))
	w.env.Agent = w.Agent
	return w.Agent
}

// folder returns the folder of the project's files, "" when the project is only named.
func (w *where) folder() string {
	if w.Project == "" {
		return w.env.Dir
	}
	if place, err := w.place(); err == nil && place.At != nil {
		return place.At.Folder
	}
	return ""
}

// standing completes citations from the files, and returns a warning for each place that does not exist.
func (w *where) standing(ctx context.Context, list []memory.Citation) (warnings []string) {
	warnings = memory.Standing(ctx, w.folder(), list)
	for _, said := range warnings {
		w.env.Streams.Warn("%s", said)
	}
	return warnings
}

// open opens the stores of a run. Work that outlives the command is done by another process of memoryd.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	st, err := stores.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	st.Sessions.Detach = func(folder string, args []string) error {
		all := append(env.Globals.Args(), "session", "chores", "--folder="+folder)
		return sibling.Detach("memoryd", append(all, args...), env.Dir, env.Environ)
	}
	return st, nil
}

// look is open for a run that must not fail on a project's file that cannot be read: it only reads, or is a client's hook.
func look(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	env.OnlyLooks()
	return open(ctx, env)
}

// bindType adds --type, which chooses between memories of one key.
func bindType(cmd *cobra.Command, into *string, what string) {
	cmd.Flags().StringVarP(into, "type", "t", "", what)
	completeTypes(cmd)
}

func completeTypes(cmd *cobra.Command) {
	cli.CompleteFlag(cmd, "type", cli.Words(memory.Types()...))
}

// completeKeys offers the keys of the current folder's project.
func completeKeys(env *cli.Env) cli.Completer {
	return cli.CompleteFirst(env, func(ctx context.Context, db *registry.DB, _ string) ([]string, error) {
		place, err := project.Locate("", env.Dir)
		if err != nil {
			return nil, err
		}
		store := memory.Store{DB: db}
		return store.Keys(ctx, place)
	})
}

// find returns the project of a command that changes or reads memories; a project without any is a NotFound fault.
func (w *where) find(ctx context.Context, st *stores.Stores) (p project.Project, err error) {
	place, err := w.place()
	if err != nil {
		return p, err
	}
	return registry.Read(ctx, st.DB, place.Find)
}

// openTarget opens the stores, and returns the memory of the project with a key.
func (w *where) openTarget(ctx context.Context, key, kind string) (st *stores.Stores, t memory.Target, err error) {
	if st, err = open(ctx, w.env); err != nil {
		return nil, t, err
	}
	p, err := w.find(ctx, st)
	return st, memory.Target{ProjectID: p.ID, Key: key, Type: kind, Agent: w.agent()}, err
}

// findOrNone is find for commands that accept a folder without memories: ok is then false.
func (w *where) findOrNone(ctx context.Context, st *stores.Stores) (p project.Project, ok bool, err error) {
	p, err = w.find(ctx, st)
	if w.Project == "" && fault.Is(err, fault.KindNotFound) {
		return p, false, nil
	}
	return p, err == nil, err
}
