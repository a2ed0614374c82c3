package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/work"
)

func newPlan(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "plan",
		Short: "Plan steps of your own, which no tracker gets",
		Long: `Plans are steps and notes of the people and agents here. They may belong to a
ticket, wait for other work and block it. No tracker ever gets them.`,
	}, newPlanCreate(env, runPlanCreate), newPlanUpdate(env, starts(runPlanUpdate)), newPlanList(env, looks(runPlanList)), newPlanShow(env, looks(runPlanShow)), newPlanDelete(env, starts(runPlanDelete)))
}

type planCreateOptions struct {
	where
	plan.New
	Priority string
}

func newPlanCreate(env *cli.Env, run cli.Func[planCreateOptions]) *cobra.Command {
	o := &planCreateOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "create TITLE [flags]",
		SuggestFor: []string{"add", "new"},
		Short:      "Make a plan",
		Example:    "pmsync plan create \"Write the migration\" --ticket SEM-12\npmsync plan create \"Switch over\" --ticket SEM-12 --blocked-by p-06q8v1k2m4",
	}, o, cli.Take(&o.Title), run))
	f := cmd.Flags()
	f.StringVarP(&o.Description, "description", "d", "", "`text`")
	f.StringVar(&o.Ticket, "ticket", "", "`id` of the ticket it belongs to")
	f.StringVar(&o.Priority, "priority", "", "`priority`: none, low, medium, high, critical or 0 to 4")
	f.StringSliceVar(&o.Tags, "tag", nil, "`tags`, separated by commas")
	f.StringSliceVar(&o.Blocks, "blocks", nil, "`ids` of the items that wait for it")
	f.StringSliceVar(&o.BlockedBy, "blocked-by", nil, "`ids` of the items that it waits for")
	cli.CompleteFlag(cmd, "ticket", completeTickets(env))
	return cmd
}

func runPlanCreate(ctx context.Context, o *planCreateOptions) (err error) {
	if o.New.Priority, err = work.ParsePriority(o.Priority); err != nil {
		return err
	}
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	p, err := st.Plans.Create(ctx, c, o.New)
	return o.printPlan(ctx, p, err)
}

func (w *where) printPlan(ctx context.Context, p plan.Changed, err error) error {
	return w.show(ctx, p, err, func(s *term.Streams) error { return s.Line(p.ID, p.Status, p.Title) })
}

type planUpdateOptions struct {
	where
	ID   string
	edit plan.Edit

	Title, Description, Status, Priority string

	Tags  []string
	Order int
}

func newPlanUpdate(env *cli.Env, run cli.Func[planUpdateOptions]) *cobra.Command {
	o := &planUpdateOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "update PLAN [flags]",
		SuggestFor:        []string{"edit", "set", "done", "complete", "start", "status"},
		ValidArgsFunction: completePlans(env),
		Short:             "Change a plan or its status",
		Long: `Change what the flags name. A plan goes from pending to in_progress and from there
to completed; it may be blocked and go on, or be canceled. Completed and canceled
are final.`,
		Example: "pmsync plan update p-06q8v1k2m4 --status in_progress\npmsync plan update p-06q8v1k2m4 --status blocked --why \"waits for the vendor\"",
	}, o, o.take, run))
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "new title")
	f.StringVarP(&o.Description, "description", "d", "", "new `text`")
	f.StringVar(&o.Status, "status", "", "new `status`: "+strings.Join(plan.Statuses(), ", "))
	f.StringVar(&o.Priority, "priority", "", "new `priority`: none, low, medium, high, critical or 0 to 4")
	f.StringSliceVar(&o.Tags, "tag", nil, "its `tags` from now on")
	f.IntVar(&o.Order, "order", 0, "`place` in the list of plans, the lowest first")
	f.StringVar(&o.edit.Why, "why", "", "`reason`, kept in the history")
	cli.CompleteFlag(cmd, "status", cli.Words(plan.Statuses()...))
	return cmd
}

func (o *planUpdateOptions) take(g cli.Given) error {
	o.ID = g.Args[0]
	o.edit.Title, o.edit.Description, o.edit.Status = cli.IfGiven(g, "title", &o.Title), cli.IfGiven(g, "description", &o.Description), cli.IfGiven(g, "status", &o.Status)
	o.edit.Tags, o.edit.Order = cli.IfGiven(g, "tag", &o.Tags), cli.IfGiven(g, "order", &o.Order)
	if g.Changed("priority") {
		p, err := work.ParsePriority(o.Priority)
		if err != nil {
			return err
		}
		o.edit.Priority = &p
	}
	return nil
}

func runPlanUpdate(ctx context.Context, o *planUpdateOptions, st *stores.Stores, c caller.Caller) error {
	p, err := st.Plans.Update(ctx, c, o.ID, o.edit)
	return o.printPlan(ctx, p, err)
}

type planListOptions struct {
	where
	plan.Filter
}

func newPlanList(env *cli.Env, run cli.Func[planListOptions]) *cobra.Command {
	o := &planListOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "list [flags]",
		SuggestFor: []string{"ls"},
		Short:      "List plans",
		Example:    "pmsync plan list --ticket SEM-12\npmsync plan list --all --json",
	}, o, nil, run))
	f := cmd.Flags()
	f.StringVar(&o.Ticket, "ticket", "", "only those of the ticket with this `id`")
	f.StringVar(&o.Status, "status", "", "only those of this `status`")
	f.StringSliceVar(&o.Tags, "tag", nil, "only those with any of these `tags`")
	f.BoolVar(&o.Finished, "all", false, "completed and canceled ones too")
	cli.CompleteFlag(cmd, "status", cli.Words(plan.Statuses()...))
	cli.CompleteFlag(cmd, "ticket", completeTickets(env))
	return cmd
}

func runPlanList(ctx context.Context, o *planListOptions, st *stores.Stores, c caller.Caller) error {
	all, err := st.Plans.List(ctx, c, o.Filter)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("no such plan; `pmsync plan create TITLE` makes one, --all lists finished ones too")
	}
	return output.List(ctx, o.env.Printer(), "plans", all, []output.Column[plan.Plan]{
		{Title: "ID", Value: func(p plan.Plan) string { return p.ID }},
		{Title: "STATUS", Value: func(p plan.Plan) string { return p.Status }, Style: statusStyle},
		{Title: "PRIORITY", Value: func(p plan.Plan) string { return priority(p.Priority) }},
		{Title: "TICKET", Value: func(p plan.Plan) string { return p.Ticket }},
		{Title: "WAITS FOR", Value: func(p plan.Plan) string { return strings.Join(p.BlockedBy, " ") }, Flex: true},
		{Title: "TITLE", Value: func(p plan.Plan) string { return p.Title }, Flex: true},
	})
}

type planShowOptions struct {
	where
	ID string
}

func newPlanShow(env *cli.Env, run cli.Func[planShowOptions]) *cobra.Command {
	o := &planShowOptions{}
	return o.bind(env, cli.Command(&cobra.Command{
		Use:               "show PLAN",
		SuggestFor:        []string{cli.ForID, "view"},
		ValidArgsFunction: completePlans(env),
		Short:             "Show a plan with its text and what it waits for",
		Example:           "pmsync plan show p-06q8v1k2m4",
	}, o, cli.Take(&o.ID), run))
}

func runPlanShow(ctx context.Context, o *planShowOptions, st *stores.Stores, c caller.Caller) error {
	p, err := st.Plans.Get(ctx, c, o.ID)
	return o.show(ctx, p, err, func(s *term.Streams) error {
		done := ""
		if p.CompletedAt != nil {
			done = p.CompletedAt.Local().Format(time.DateTime)
		}
		return printItem(s, p.ID, p.Title, p.Description, [][2]string{
			{"status", p.Status}, {"priority", priority(p.Priority)}, {"ticket", p.Ticket}, {"tags", joined(p.Tags)}, {"waits for", joined(p.BlockedBy)},
			{"blocks", joined(p.Blocks)}, {"created", p.CreatedAt.Local().Format(time.DateTime)}, {"completed", done},
		})
	})
}

type planDeleteOptions struct {
	where
	ID     string
	DryRun bool
	Yes    bool
}

func newPlanDelete(env *cli.Env, run cli.Func[planDeleteOptions]) *cobra.Command {
	o := &planDeleteOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "delete PLAN [flags]",
		SuggestFor:        []string{"remove", "rm"},
		ValidArgsFunction: completePlans(env),
		Short:             "Delete a plan and its dependencies",
		Example:           "pmsync plan delete p-06q8v1k2m4 --dry-run",
	}, o, cli.Take(&o.ID), run))
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would go and change nothing")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func runPlanDelete(ctx context.Context, o *planDeleteOptions, st *stores.Stores, c caller.Caller) error {
	d, err := st.Plans.Delete(ctx, c, o.ID, true)
	if err != nil {
		return err
	}
	if !o.DryRun {
		agreed, err := o.env.Streams.Confirm(ctx, fmt.Sprintf("Delete plan %s %q and %d dependencies?", d.ID, d.Title, d.Edges), o.Yes)
		if err != nil {
			return err
		}
		if !agreed {
			o.env.Streams.Notice("nothing was deleted")
			return nil
		}
		if d, err = st.Plans.Delete(ctx, c, o.ID, false); err != nil {
			return err
		}
	}
	return o.env.Printer().Document(ctx, d, func(s *term.Streams) error {
		verb := "deleted"
		if !d.Deleted {
			verb = "would be deleted"
		}
		cells := []string{d.ID, verb, d.Title}
		if len(d.Waiting) > 0 {
			cells = append(cells, "waits for it no longer: "+strings.Join(d.Waiting, " "))
		}
		return s.Line(cells...)
	})
}
