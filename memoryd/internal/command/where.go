package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/project"
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
	if w.Agent == "" {
		w.Agent = w.env.Getenv("AGIT_AGENT")
	}
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
