package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// newSession groups the session commands.
func newSession(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "session",
		Short: "Start, resume, note, end and look at work sessions",
		Long: `A session is one stretch of an agent's work in a project: what it works on, what
it decided and found out, the files and commits of that time. Each agent has one
open session in a project; without an agent, each folder has one.`,
	}, newSessionStart(env, runSessionStart), newSessionResume(env, runSessionStart), newSessionNote(env, runSessionNote),
		newSessionEnd(env, runSessionEnd), newSessionContext(env, runSessionContext), newSessionShow(env, runSessionContext),
		newSessionList(env, runSessionList), newSessionChores(env, runSessionChores))
}

// oneSession are the options of the commands about one session: the named one, else the open one of the agent, else of the folder.
type oneSession struct {
	where
	Session string
}

// bindSession adds the flags that select an open session.
func (o *oneSession) bindSession(env *cli.Env, cmd *cobra.Command) {
	o.env = env
	cmd.Flags().StringVar(&o.Agent, "agent", "", "the open session of this `agent` (default AGIT_AGENT, else the folder's)")
}

// open opens the stores, and returns the id of the selected session.
func (o *oneSession) open(ctx context.Context) (st *stores.Stores, id string, err error) {
	if st, err = open(ctx, o.env); err != nil {
		return nil, "", err
	}
	agent := o.agent()
	if o.Session != "" {
		return st, o.Session, nil
	}
	x, err := st.Sessions.OfClient(ctx, session.Who{Agent: agent, Folder: o.env.Dir})
	return st, x.ID, err
}

func sessionRefs(ctx context.Context, db *registry.DB, prefix string) ([]string, error) {
	return registry.Read(ctx, db, func(tx *registry.Tx) ([]string, error) { return session.Refs(tx, prefix) })
}
