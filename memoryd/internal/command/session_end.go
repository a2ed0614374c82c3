package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type sessionEndOptions struct {
	oneSession
	session.End
}

func newSessionEnd(env *cli.Env, run cli.Func[sessionEndOptions]) *cobra.Command {
	o := &sessionEndOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "end [SESSION] [flags]",
		Short: "End a session and keep what matters of it",
		Long: `End the open session, or SESSION: keep its summary (made from its events when none
is given), its files and commits as git saw them, make memories of what matters, and
send the changes that are queued for the tracker.`,
		Example:           "memoryd session end --summary 'Retry is in, the flaky test is gone'\nmemoryd session end --outcome blocked --notes 'waits for the new key'",
		ValidArgsFunction: cli.CompleteFirst(env, sessionRefs),
	}, o, cli.Take(&o.Session), run)
	o.bindSession(env, cmd)
	f := cmd.Flags()
	f.StringVar(&o.Summary, "summary", "", "`text` about what was done (default made from the events)")
	f.StringVar(&o.Outcome, "outcome", session.Outcomes()[0], "how it `ended`: "+strings.Join(session.Outcomes(), ", "))
	f.StringVar(&o.Notes, "notes", "", "`text` about the outcome")
	f.StringSliceVar(&o.Verified, "verified", nil, "`criteria` of its ticket that are met (pmsync ac verify adds evidence)")
	f.StringSliceVar(&o.Failed, "failed", nil, "`criteria` of its ticket that failed")
	f.StringVar(&o.Status, "ticket-status", "", "`status` of its ticket from now on")
	f.StringVar(&o.Tip, "tip", "", "`commit` of the current folder's repository that it ended at, where its own folder is gone")
	cli.CompleteFlag(cmd, "outcome", cli.Words(session.Outcomes()...))
	return cmd
}

func runSessionEnd(ctx context.Context, o *sessionEndOptions) error {
	st, id, err := o.open(ctx)
	if err != nil {
		return err
	}
	o.End.ID, o.Folder = id, o.env.Dir
	ended, err := st.Sessions.End(ctx, o.End)
	if err != nil {
		return err
	}
	for _, w := range ended.Warnings {
		o.env.Streams.Warn("%s", w)
	}
	return o.env.Printer().Document(ctx, ended, func(s *term.Streams) error {
		err := s.Line(ended.ID, ended.Outcome, text.Count(ended.Events, "event", "events"), text.Count(ended.Memories, "memory", "memories"),
			text.Count(ended.FileCount, "file", "files"), text.Count(ended.CommitCount, "commit", "commits"))
		if err != nil || ended.Summary == "" {
			return err
		}
		return s.Text("\n" + ended.Summary + "\n")
	})
}
