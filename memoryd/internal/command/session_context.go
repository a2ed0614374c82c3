package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type sessionContextOptions struct {
	oneSession
	session.ContextQuery
}

func newSessionContext(env *cli.Env, run cli.Func[sessionContextOptions]) *cobra.Command {
	o := &sessionContextOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:               "context [SESSION] [flags]",
		Short:             "Print the context of a session: events, memories, criteria, blockers, files",
		Long:              "Print what an agent needs to go on in the middle of a session. Long texts are cut;\n`memoryd session show` prints them whole.",
		Example:           "memoryd session context\nmemoryd session context s-1q2w3e4r5t --events-limit 10 --no-memory --json",
		ValidArgsFunction: cli.CompleteFirst(env, sessionRefs),
	}, o, cli.Take(&o.Session), run)
	o.bindSession(env, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.NoEvents, "no-events", false, "leave events out")
	f.BoolVar(&o.NoMemory, "no-memory", false, "leave memories out")
	f.BoolVar(&o.NoCriteria, "no-criteria", false, "leave acceptance criteria out")
	f.IntVar(&o.Limit, "events-limit", session.DefaultEvents, "at most `n` of the newest events")
	return cmd
}

func newSessionShow(env *cli.Env, run cli.Func[sessionContextOptions]) *cobra.Command {
	o := &sessionContextOptions{ContextQuery: session.ContextQuery{Whole: true, NoMemory: true, Limit: session.MaxEvents}}
	cmd := cli.Command(&cobra.Command{
		Use:               "show [SESSION] [flags]",
		SuggestFor:        []string{cli.ForID},
		Short:             "Print all of a session, its texts uncut",
		Example:           "memoryd session show s-1q2w3e4r5t",
		ValidArgsFunction: cli.CompleteFirst(env, sessionRefs),
	}, o, cli.Take(&o.Session), run)
	o.bindSession(env, cmd)
	return cmd
}

func runSessionContext(ctx context.Context, o *sessionContextOptions) error {
	o.env.OnlyLooks()
	st, id, err := o.open(ctx)
	if err != nil {
		return err
	}
	o.ID = id
	found, err := st.Sessions.Context(ctx, o.ContextQuery)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, found, func(s *term.Streams) error { return s.Text(found.Text()) })
}
