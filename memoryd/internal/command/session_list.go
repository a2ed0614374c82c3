package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type sessionListOptions struct {
	where
	session.Filter
}

func newSessionList(env *cli.Env, run cli.Func[sessionListOptions]) *cobra.Command {
	o := &sessionListOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:     "list [flags]",
		Short:   "List sessions, the newest first",
		Example: "memoryd session list --status interrupted\nmemoryd session list --item SEM-12 --json --jq '.sessions[].session_id'",
	}, o, nil, run)
	o.bindProject(env, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.All, "all-projects", false, "those of every project")
	f.StringVar(&o.Item, "item", "", "only those about this ticket or task, by `id`")
	f.StringVar(&o.Status, "status", "", "only those of this `status`: "+strings.Join(session.Statuses(), ", "))
	f.StringVar(&o.Filter.Agent, "agent", "", "only those of this `agent`")
	f.IntVar(&o.Limit, "limit", session.DefaultList, "at most `n` sessions")
	f.IntVar(&o.Offset, "offset", 0, "leave out the newest `n`")
	cli.CompleteFlag(cmd, "status", cli.Words(session.Statuses()...))
	return cmd
}

func runSessionList(ctx context.Context, o *sessionListOptions) error {
	o.env.OnlyLooks()
	st, place, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	o.Place = place
	found, err := st.Sessions.List(ctx, o.Filter)
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), found, found.Sessions, []output.Column[session.Session]{
		{Title: "SESSION", Value: func(x session.Session) string { return x.ID }},
		{Title: "STATUS", Value: func(x session.Session) string { return x.Status }, Style: func(status string) term.Style { return sessionStyles[status] }},
		{Title: "STARTED", Value: func(x session.Session) string { return local(x.StartedAt) }},
		{Title: "AGENT", Value: func(x session.Session) string { return x.Agent }},
		{Title: "ITEM", Value: func(x session.Session) string { return x.Item }},
		{Title: "EVENTS", Value: func(x session.Session) string { return fmt.Sprint(x.Events) }, Right: true},
		{Title: "SUMMARY", Value: func(x session.Session) string { return strings.ReplaceAll(x.Summary, "\n", " ") }, Flex: true},
	})
	switch {
	case err != nil:
		return err
	case found.Next > 0:
		o.env.Streams.Notice("more: --offset %d", found.Next)
	case len(found.Sessions) == 0:
		if o.Item != "" || o.Status != "" || o.Filter.Agent != "" || o.Offset > 0 {
			o.env.Streams.Notice("no session matches; `memoryd session list` without filters shows all")
		} else {
			o.env.Streams.Notice("no session yet; `memoryd session start` starts one")
		}
	}
	return nil
}

var sessionStyles = map[string]term.Style{session.Active: term.Green, session.Abandoned: term.Yellow, session.Interrupted: term.Yellow}
