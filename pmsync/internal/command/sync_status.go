package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

type statusOptions struct {
	where
	Log    int
	Online bool
}

func newStatus(env *cli.Env, run cli.Func[statusOptions]) *cobra.Command {
	o := &statusOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:     "status [flags]",
		Short:   "Show how fresh the tickets are, and what waits",
		Long:    "Show when the project was last synced with its tracker, whether that could be\nreached, and what waits to be sent or decided. It asks the tracker nothing,\nunless --online is given.",
		Example: "pmsync status\npmsync status --log 10\npmsync status --online",
	}, o, nil, run))
	cmd.Flags().IntVar(&o.Log, "log", 0, "show the last `n` pulls and pushes")
	cmd.Flags().BoolVar(&o.Online, "online", false, "ask the tracker whether it can be reached and knows you")
	cli.Exits(cmd, fault.ExitProvider, "with --online: the tracker cannot be reached, or refuses the credentials")
	return cmd
}

func runStatus(ctx context.Context, o *statusOptions) error {
	if o.Log < 0 {
		return fault.Validation("log", "%d is not a number of entries", o.Log).WithHint("give 0 or more")
	}
	st, c, err := o.look(ctx)
	if err != nil {
		return err
	}
	s, err := st.Sync.Status(ctx, c, o.Log)
	if err == nil && o.Online {
		s, err = st.Sync.Online(ctx, c, s)
	}
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, s, func(out *term.Streams) error {
		rows := [][2]string{{"tracker", trackerText(s)}, {"tickets", fmt.Sprint(s.Tickets)}}
		if s.Provider != "local" {
			rows = append(rows, [2]string{"pulled", since(s.LastPullAt)}, [2]string{"pushed", since(s.LastPushAt)}, [2]string{"waiting", fmt.Sprint(s.Pending)}, [2]string{"conflicts", fmt.Sprint(s.Conflicts)})
		}
		if s.Failures > 0 {
			rows = append(rows, [2]string{"failed", fmt.Sprintf("%d tickets could not be stored and are tried again", s.Failures)})
		}
		if s.LastError != "" && len(s.Held) == 0 {
			rows = append(rows, [2]string{"last error", s.LastError})
		}
		for _, row := range rows {
			if err := out.Line(row[0], row[1]); err != nil {
				return err
			}
		}
		if err := printHeld(out, s.Held); err != nil {
			return err
		}
		for _, l := range s.Log {
			line := fmt.Sprintf("%s  %-4s  %-7s  %d items in %s", l.StartedAt.Local().Format(time.DateTime), l.Direction, l.Status, l.Processed, time.Duration(l.DurationMS)*time.Millisecond)
			if err := out.Line(line); err != nil {
				return err
			}
			if l.Errors != "" {
				if err := out.Line(term.EscapeText("  " + strings.Split(l.Errors, "\n")[0])); err != nil {
					return err
				}
			}
		}
		hintStatus(out, s)
		return nil
	})
}

func trackerText(s sync.Status) string {
	text := s.Provider
	if text == "local" {
		return "none: the tickets are kept here alone"
	}
	if s.Scope != "" {
		text += " " + s.Scope
	}
	if s.Account != "" {
		text += ", as " + s.Account
	}
	switch {
	case s.Syncing:
		text += " (a sync is under way)"
	case s.OfflineSince != nil:
		text += " (could not be reached, first " + since(s.OfflineSince) + ")"
	}
	return text
}

func since(at *timestamp.Time) string {
	if at == nil {
		return "never"
	}
	return term.Ago(at.Time, time.Now())
}

func hintStatus(out *term.Streams, s sync.Status) {
	switch {
	case s.Provider == "local":
		out.Notice("next: `pmsync connect` sets a tracker up")
	case s.Conflicts > 0:
		out.Notice("next: `pmsync conflicts` shows what was changed on both sides")
	case slices.ContainsFunc(s.Held, func(h sync.Held) bool { return h.Refused }):
		out.Notice("next: `pmsync retry ID` sends a refused change once more; `--all` does so for all")
	case s.LastPullAt == nil:
		out.Notice("next: `pmsync pull` fetches the tickets")
	case s.Pending > s.Foreign:
		out.Notice("next: `pmsync push` sends what waits")
	}
}

type conflictOptions struct {
	where
	All  bool
	ID   string
	Keep string
}

func newConflicts(env *cli.Env, run cli.Func[conflictOptions]) *cobra.Command {
	o := &conflictOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "conflicts [flags]",
		Short: "List what was changed here and at the tracker",
		Long: `List fields that were changed on both sides since they were last the same. A
status waits here until it is settled with pmsync resolve. Of other fields the
tracker's value wins; --all shows those too, with the value that lost.`,
		Example: "pmsync conflicts\npmsync conflicts --all --json",
	}, o, nil, run))
	cmd.Flags().BoolVar(&o.All, "all", false, "list those that are settled too")
	return cmd
}

func runConflicts(ctx context.Context, o *conflictOptions, st *stores.Stores, c caller.Caller) error {
	list, err := st.Sync.Conflicts(ctx, c, o.All)
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), list, list.Conflicts, []output.Column[sync.Conflict]{
		{Title: "TICKET", Value: func(c sync.Conflict) string { return c.Ticket }},
		{Title: "FIELD", Value: func(c sync.Conflict) string { return c.Field }},
		{Title: "WAS", Value: func(c sync.Conflict) string { return lines(c.Base) }, Flex: true},
		{Title: "HERE", Value: func(c sync.Conflict) string { return lines(c.Local) }, Flex: true},
		{Title: "THERE", Value: func(c sync.Conflict) string { return lines(c.Remote) }, Flex: true},
		{Title: "SETTLED", Value: func(c sync.Conflict) string { return settled(c) }},
	})
	if err != nil {
		return err
	}
	for _, c := range list.Conflicts {
		if c.ResolvedAt == nil {
			nextStep(o.env, "`pmsync resolve %s --keep local`, `--keep remote` or `--keep merge`", c.Ticket)
			return nil
		}
	}
	if !o.All {
		o.env.Streams.Notice("nothing waits to be settled")
	}
	return nil
}

func lines(s string) string { return strings.ReplaceAll(s, "\n", ", ") }

func settled(c sync.Conflict) string {
	switch {
	case c.ResolvedAt == nil:
		return "no"
	case c.Resolution == "provider":
		return "tracker wins"
	}
	return strings.ReplaceAll(c.Resolution, "_", " ")
}

func newResolve(env *cli.Env, run cli.Func[conflictOptions]) *cobra.Command {
	o := &conflictOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "resolve ID --keep SIDE [flags]",
		Short: "Settle a conflict",
		Long: `Settle a conflict, named by its ticket, its own id or that of the change. With
--keep local the next push sends the value from here; with --keep remote it is
given up; with --keep merge the value from here is kept where the tracker's
workflow allows the step.`,
		Example: "pmsync resolve SEM-12 --keep local",
		Args:    cli.Args("ID"),
	}, o, cli.Take(&o.ID), run))
	cmd.Flags().StringVar(&o.Keep, "keep", "", "`side` to keep: local, remote or merge")
	_ = cmd.RegisterFlagCompletionFunc("keep", cli.Words("local", "remote", "merge"))
	cmd.ValidArgsFunction = completeTickets(env)
	return cmd
}

func runResolve(ctx context.Context, o *conflictOptions, st *stores.Stores, c caller.Caller) error {
	how := o.Keep
	if how == "" {
		return fault.Validation("keep", "the side of %q to keep is missing", o.ID).WithHint("add `--keep local`, `--keep remote` or `--keep merge`; `pmsync conflicts` shows both values")
	}
	if how == "local" || how == "remote" {
		how = "keep_" + how
	}
	r, err := st.Sync.Resolve(ctx, c, o.ID, how)
	return o.show(ctx, r, err, func(s *term.Streams) error {
		if err := s.Line(r.Ticket, r.Field, settled(r.Conflict)); err != nil {
			return err
		}
		if r.Resolution != sync.KeepRemote {
			s.Notice("next: `pmsync push` sends it")
		}
		return nil
	})
}
