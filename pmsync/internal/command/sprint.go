package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

func newSprint(env *cli.Env) *cobra.Command {
	suggest := newSuggest(env, runSuggest)
	suggest.Example = "pmsync sprint suggest"
	return cli.Parent(&cobra.Command{
		Use:   "sprint",
		Short: "Look at the running sprint",
		Long: `Look at sprints: a tracker's (cycles, iterations) come with its tickets, and a
local ticket is put into one with pmsync ticket update --sprint.`,
	}, newSprintStatus(env, looks(runSprintStatus)), suggest, newSprintList(env, looks(runSprintList)))
}

type sprintStatusOptions struct {
	where
	Sprint     string
	NoCriteria bool
	NoBlockers bool
	Limit      int
}

func newSprintStatus(env *cli.Env, run cli.Func[sprintStatusOptions]) *cobra.Command {
	o := &sprintStatusOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "status [SPRINT] [flags]",
		SuggestFor: []string{"show", "current", "active"},
		Short:      "Show how the running sprint stands, or another one",
		Example:    "pmsync sprint status\npmsync sprint status \"Sprint 4\" --json --jq .summary",
	}, o, cli.Take(&o.Sprint), run))
	f := cmd.Flags()
	f.BoolVar(&o.NoCriteria, "no-criteria", false, "leave out how many criteria are verified")
	f.BoolVar(&o.NoBlockers, "no-blockers", false, "leave out how many items each ticket waits for")
	f.IntVar(&o.Limit, "limit", 0, "show at most `n` tickets; 0 for all")
	return cmd
}

func runSprintStatus(ctx context.Context, o *sprintStatusOptions, st *stores.Stores, c caller.Caller) error {
	s, err := st.Board.Sprint(ctx, c, worklist.SprintQuery{Sprint: o.Sprint, Criteria: !o.NoCriteria, Blockers: !o.NoBlockers, Limit: max(o.Limit, 0)})
	if err != nil {
		return err
	}
	if o.env.Printer().Format() == output.Table {
		head := s.Sprint.Name + "  " + s.Sprint.Status
		if s.Sprint.EndsAt != nil {
			head += "  until " + s.Sprint.EndsAt.Format("2006-01-02")
		}
		err := o.env.Streams.Text(term.EscapeText(fmt.Sprintf("%s\n%d to do, %d in progress, %d done", head, s.Summary[ticket.Todo], s.Summary[ticket.InProgress], s.Summary[ticket.Done])) + "\n")
		if err == nil && s.Velocity != (worklist.Velocity{}) {
			err = o.env.Streams.Text(fmt.Sprintf("%g points done, %g left\n", s.Velocity.Completed, s.Velocity.Remaining))
		}
		if err != nil {
			return err
		}
	}
	return output.ListDocument(ctx, o.env.Printer(), s, s.Tickets, []output.Column[worklist.SprintTicket]{
		{Title: "ID", Value: func(t worklist.SprintTicket) string { return t.ID }},
		{Title: "STATUS", Value: func(t worklist.SprintTicket) string { return t.Status }, Style: statusStyle},
		{Title: "PRIORITY", Value: func(t worklist.SprintTicket) string { return priority(t.Priority) }},
		{Title: "CRITERIA", Value: func(t worklist.SprintTicket) string { return percent(t.ACCompletion) }, Right: true},
		{Title: "BLOCKERS", Value: func(t worklist.SprintTicket) string { return count(t.BlockerCount) }, Right: true},
		{Title: "TITLE", Value: func(t worklist.SprintTicket) string { return t.Title }, Flex: true},
	})
}

func percent(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.Itoa(int(*f)) + "%"
}

func count(n *int) string {
	if n == nil || *n == 0 {
		return ""
	}
	return strconv.Itoa(*n)
}

type sprintListOptions struct {
	where
	Status string
}

func newSprintList(env *cli.Env, run cli.Func[sprintListOptions]) *cobra.Command {
	o := &sprintListOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "list [flags]",
		SuggestFor: []string{"ls"},
		Short:      "List the sprints of a project, the newest first",
		Example:    "pmsync sprint list --status active",
	}, o, nil, run))
	cmd.Flags().StringVar(&o.Status, "status", "", "only those that are `planned`, active or completed")
	cli.CompleteFlag(cmd, "status", cli.Words(sprint.Statuses()...))
	return cmd
}

// noSprints returns the sentence for an empty list of the sprints of a tracker.
func noSprints(tracker provider.Name) string {
	kind, known := provider.KindOf(tracker)
	switch {
	case !known:
		return "there is no such sprint; `pmsync ticket update ID --sprint NAME` begins one"
	case slices.Contains(kind.Lacks, provider.FieldSprint):
		return kind.Title + " has no sprints"
	}
	return "there is no such sprint here; `pmsync pull` fetches those of " + kind.Title
}

func runSprintList(ctx context.Context, o *sprintListOptions, st *stores.Stores, c caller.Caller) error {
	all, err := st.Board.Sprints(ctx, c, o.Status)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		s, err := st.Sync.Status(ctx, c, 0)
		if err != nil {
			return err
		}
		o.env.Streams.Notice("%s", noSprints(provider.Name(s.Provider)))
	}
	return output.List(ctx, o.env.Printer(), "sprints", all, []output.Column[sprint.Sprint]{
		{Title: "NAME", Value: func(s sprint.Sprint) string { return s.Name }, Flex: true},
		{Title: "STATUS", Value: func(s sprint.Sprint) string { return s.Status }},
		{Title: "GOAL", Value: func(s sprint.Sprint) string { return s.Goal }, Flex: true},
		{Title: "ID", Value: func(s sprint.Sprint) string { return s.ID }, Short: true},
	})
}
