package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/work"
)

type ticketUpdateOptions struct {
	where
	ID   string
	edit ticket.Edit

	Title, Description, Status, Priority, Assignee, Due, Type, Parent, Sprint string

	Labels, AddLabels, RemoveLabels []string
	Links, Fields                   []string

	Estimate float64
}

func newTicketUpdate(env *cli.Env, run cli.Func[ticketUpdateOptions]) *cobra.Command {
	o := &ticketUpdateOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "update TICKET [flags]",
		SuggestFor: []string{"edit", "set", "assign", "comment"},
		Short:      "Change a ticket",
		Long: `Change the fields that the flags name, and no others. Changes of a tracker's ticket are queued,
and pmsync push sends them; its due date and type are changed there. A field that its
tracker does not have is refused.`,
		Example:           "pmsync ticket update SEM-12 --priority critical --add-label backend\npmsync ticket update APP-7 --assignee ann --sprint \"Sprint 4\"\npmsync ticket update SEM-12 --parent SEM-3 --link blocked_by=SEM-9 --field Severity=Major",
		ValidArgsFunction: completeTickets(env),
	}, o, o.take, run))
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "new title")
	f.StringVarP(&o.Description, "description", "d", "", "new `text`, as markdown")
	f.StringVar(&o.Status, "status", "", "new `status`: a tracker's own, or todo, in_progress, done, canceled")
	f.StringVar(&o.Priority, "priority", "", "new `priority`: none, low, medium, high, critical or 0 to 4")
	f.StringSliceVar(&o.Labels, "label", nil, "its `labels` from now on, separated by commas; empty for none")
	f.StringSliceVar(&o.AddLabels, "add-label", nil, "`labels` to add to those that it has")
	f.StringSliceVar(&o.RemoveLabels, "remove-label", nil, "`labels` to take away")
	f.StringVar(&o.Assignee, "assignee", "", "`person` or agent it is for; me for you, empty for none")
	f.StringVar(&o.Parent, "parent", "", "`id` of the epic or ticket it belongs to; empty for none")
	f.StringVar(&o.Sprint, "sprint", "", "`name` of its sprint; empty for none")
	f.StringVar(&o.Due, "due", "", "`date` it is due; empty for none")
	f.StringVar(&o.Type, "type", "", "`type`: ticket or subtask")
	f.Float64Var(&o.Estimate, "points", 0, "estimate in `points`")
	f.Float64Var(&o.Estimate, "estimate", 0, "the same as --points, in `points`")
	bindParts(cmd, &o.Links, &o.Fields)
	cmd.MarkFlagsMutuallyExclusive("label", "add-label")
	cmd.MarkFlagsMutuallyExclusive("label", "remove-label")
	cmd.MarkFlagsMutuallyExclusive("points", "estimate")
	f.StringVar(&o.edit.Comment, "comment", "", "`text` to add as a comment")
	cli.CompleteFlag(cmd, "status", cli.Words(ticket.Categories()...))
	return cmd
}

// bindParts adds the options for relations between tickets and for custom fields.
func bindParts(cmd *cobra.Command, links, fields *[]string) {
	f := cmd.Flags()
	f.StringArrayVar(links, "link", nil, "`RELATION=TICKET` to add: blocks, blocked_by, related_to, duplicates or duplicated_by; may be repeated")
	f.StringArrayVar(fields, "field", nil, "custom field of its tracker, as `NAME=VALUE`; empty for none; may be repeated")
}

func (o *ticketUpdateOptions) take(g cli.Given) error {
	o.ID = g.Args[0]
	o.edit = ticket.Edit{
		Title: cli.IfGiven(g, "title", &o.Title), Description: cli.IfGiven(g, "description", &o.Description), Status: cli.IfGiven(g, "status", &o.Status),
		Assignee: cli.IfGiven(g, "assignee", &o.Assignee), Labels: cli.IfGiven(g, "label", &o.Labels), DueDate: cli.IfGiven(g, "due", &o.Due), Comment: o.edit.Comment,
		Estimate: cli.IfGiven(g, "estimate", &o.Estimate), Type: cli.IfGiven(g, "type", &o.Type), Parent: cli.IfGiven(g, "parent", &o.Parent), Sprint: cli.IfGiven(g, "sprint", &o.Sprint),
		AddLabels: o.AddLabels, RemoveLabels: o.RemoveLabels,
	}
	var err error
	if o.edit.Links, err = ticket.ParseRelates(o.Links); err != nil {
		return err
	}
	if o.edit.Fields, err = ticket.ParseFields(o.Fields); err != nil {
		return err
	}
	if g.Changed("points") {
		o.edit.Estimate = &o.Estimate
	}
	if g.Changed("priority") {
		p, err := work.ParsePriority(o.Priority)
		if err != nil {
			return err
		}
		o.edit.Priority = &p
	}
	return nil
}

func runTicketUpdate(ctx context.Context, o *ticketUpdateOptions, st *stores.Stores, c caller.Caller) error {
	return o.change(ctx, st, c, o.ID, o.edit)
}

type ticketStatusOptions struct {
	where
	ID, Status, Comment string
	NotOffline          bool
}

func newTicketStatus(env *cli.Env, run cli.Func[ticketStatusOptions]) *cobra.Command {
	o := &ticketStatusOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "status TICKET STATUS [flags]",
		SuggestFor: []string{"close", "done", "finish", "start", "move", "transition", "reopen"},
		Short:      "Move a ticket to another status",
		Long: `Move a ticket to a status: todo, in_progress, done or canceled, or one of its
tracker's own. For a tracker the change is queued, at most 100 of them, and
pmsync push sends it. What its workflow does not allow is refused.`,
		Example:           "pmsync ticket status APP-7 in_progress\npmsync ticket status SEM-12 \"In Review\" --comment \"see the branch passkeys\"",
		ValidArgsFunction: completeInTurn(completeTickets(env), cli.Words(ticket.Categories()...)),
	}, o, cli.Take(&o.ID, &o.Status), run))
	f := cmd.Flags()
	f.StringVar(&o.Comment, "comment", "", "`text` to add as a comment")
	f.BoolVar(&o.NotOffline, "not-offline", false, "refuse while the tracker cannot be reached, instead of queueing")
	return cmd
}

func runTicketStatus(ctx context.Context, o *ticketStatusOptions, st *stores.Stores, c caller.Caller) error {
	return o.change(ctx, st, c, o.ID, ticket.Edit{Status: &o.Status, Comment: o.Comment, NotOffline: o.NotOffline})
}

// change changes a ticket, and has the change sent to its tracker soon.
func (w *where) change(ctx context.Context, st *stores.Stores, c caller.Caller, id string, e ticket.Edit) error {
	done, err := st.Tickets.Update(ctx, c, "ticket", id, e)
	if err == nil && done.Outcome == ticket.Queued {
		st.Sync.Soon(ctx, c.Place, w.env.Environ)
	}
	return w.printChanged(ctx, done, err)
}
