package command

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type readyOptions struct {
	where
	worklist.ReadyQuery
	ID string
}

func newReady(env *cli.Env, run cli.Func[readyOptions]) *cobra.Command {
	o := &readyOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "ready [ID] [flags]",
		Short: "List tickets, plans and tasks that can be begun now",
		Long: `List what can be begun now: the most urgent first, then the oldest. An item is left
out when it waits for something, lies within one that waits, is claimed, or is
assigned to another; --explain says why. With an ID it explains that item alone.`,
		Example: `pmsync ready
pmsync ready --explain
pmsync ready SEM-12
pmsync ready -o ndjson | agit tasks create myapp -`,
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.ID), run))
	f := cmd.Flags()
	f.BoolVar(&o.Explain, "explain", false, "explain why each is ready, and why others are not")
	f.BoolVar(&o.Tickets, "tickets", false, "only tickets")
	f.BoolVar(&o.Local, "local", false, "only plans and tasks")
	f.BoolVar(&o.AnyAssignee, "any-assignee", false, "also items that are assigned to others")
	f.IntVar(&o.Limit, "limit", 20, "list at most `n`; 0 for all")
	return cmd
}

// maxList bounds a list that is sorted by the registry.
const maxList = 10_000

// checkLimit parses a limit; 0 means all.
func checkLimit(n *int) error {
	if *n < 0 || *n > maxList {
		return fault.Validation("limit", "a limit of %d makes no sense", *n).WithHint("use 1 to %d, or 0 for all", maxList)
	}
	if *n == 0 {
		*n = maxList
	}
	return nil
}

func runReady(ctx context.Context, o *readyOptions) error {
	if err := checkLimit(&o.Limit); err != nil {
		return err
	}
	st, c, err := o.look(ctx)
	if err != nil {
		return err
	}
	if o.ID != "" {
		return explainItem(ctx, o, st, c)
	}
	o.ReadyQuery.Caller = c
	o.Tickets, o.Local = o.Tickets || !o.Local, o.Local || !o.Tickets
	list, err := st.Board.Ready(ctx, o.ReadyQuery)
	if err != nil {
		return err
	}
	columns := []output.Column[worklist.ReadyItem]{
		{Title: "ID", Value: func(r worklist.ReadyItem) string { return r.ID }},
		{Title: "KIND", Value: func(r worklist.ReadyItem) string { return string(r.Kind) }},
		{Title: "PRIORITY", Value: func(r worklist.ReadyItem) string { return priority(r.Priority) }},
		{Title: "TITLE", Value: func(r worklist.ReadyItem) string { return r.Title }, Flex: true},
	}
	if o.Explain {
		columns = append(columns, output.Column[worklist.ReadyItem]{Title: "WHY", Value: func(r worklist.ReadyItem) string { return joined(r.Why) }, Flex: true, Below: true})
	}
	if err := output.ListDocument(ctx, o.env.Printer(), list, list.Items, columns); err != nil {
		return err
	}
	if o.Explain && o.env.Printer().Format() == output.Table && len(list.NotReady) > 0 {
		if len(list.Items) > 0 {
			if err := o.env.Streams.Text("\n"); err != nil {
				return err
			}
		}
		t := term.NewTable(term.Column{Title: "NOT READY"}, term.Column{Title: "TITLE", Flex: true}, term.Column{Title: "BECAUSE", Flex: true, Below: true})
		for _, w := range list.NotReady {
			t.Add(w.ID, w.Title, w.Sentence())
		}
		if err := t.WriteTo(o.env.Streams); err != nil {
			return err
		}
	}
	readyHint(o.env, list, o.Explain)
	return nil
}

// readyHint returns the next step, or why the list is empty. It is for people only: a program that reads the list needs no hint.
func readyHint(env *cli.Env, list worklist.ReadyList, explained bool) {
	switch {
	case list.More:
		env.Streams.Notice("more is ready: --limit %d", 2*len(list.Items))
	case slices.ContainsFunc(list.Items, func(r worklist.ReadyItem) bool { return r.Kind == work.KindTicket }):
		nextStep(env, "`pmsync suggest` shows which to take, `pmsync ticket show ID` shows one")
	case slices.ContainsFunc(list.Items, func(r worklist.ReadyItem) bool { return r.Kind == work.KindPlan }):
		nextStep(env, "`pmsync plan update ID --status in_progress` begins a plan")
	case len(list.Items) > 0:
		nextStep(env, "`agit next` claims a task")
	case list.Open == nil || *list.Open == 0:
		env.Streams.Notice("there is no open work; `pmsync ticket import FILE` brings some")
	case list.Assigned != nil && *list.Assigned > 0:
		env.Streams.Notice("%s assigned to others; `pmsync me NAME` sets which account is yours",
			text.Count(*list.Assigned, "item is", "items are"))
	default:
		why := "; `pmsync ready --explain` explains why"
		if explained {
			why = ""
		}
		env.Streams.Notice("%s%s", text.Count(*list.Open, "item waits or is in progress", "items wait or are in progress"), why)
	}
}

// nextStep names the next command below a table.
func nextStep(env *cli.Env, format string, args ...any) {
	if env.Printer().Format() == output.Table {
		env.Streams.Notice("next: "+format, args...)
	}
}

func explainItem(ctx context.Context, o *readyOptions, st *stores.Stores, c caller.Caller) error {
	e, err := st.Board.Explain(ctx, c, o.ID)
	return o.show(ctx, e, err, func(s *term.Streams) error {
		verdict := "is ready"
		if !e.Ready {
			verdict = "is not ready"
		}
		if err := s.Line(e.ID, verdict, e.Title); err != nil {
			return err
		}
		for _, r := range e.Reasons {
			if err := s.Text("  " + r.Sentence + "\n"); err != nil {
				return err
			}
		}
		for _, note := range e.Notes {
			s.Notice("%s", note)
		}
		return nil
	})
}
