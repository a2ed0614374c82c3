package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/work"
)

type planCreateInput struct {
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	Ticket      string         `json:"external_item_id,omitempty" desc:"Ticket it belongs to" is:"name"`
	Priority    *work.Priority `json:"priority,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Blocks      []string       `json:"blocks,omitempty" desc:"Ids"`
	BlockedBy   []string       `json:"blocked_by,omitempty" desc:"Ids"`
	signed
}

type planUpdateInput struct {
	ID          string         `json:"plan_id" is:"name"`
	Title       *string        `json:"title,omitempty"`
	Description *string        `json:"description,omitempty"`
	Status      string         `json:"status,omitempty" enum:"pending,in_progress,completed,blocked,canceled"`
	Priority    *work.Priority `json:"priority,omitempty"`
	Tags        *[]string      `json:"tags,omitempty"`
	signed
}

type planListInput struct {
	Ticket   string   `json:"external_item_id,omitempty" is:"name"`
	Status   string   `json:"status,omitempty"`
	Tags     []string `json:"tags,omitempty" desc:"Any of these"`
	Finished bool     `json:"include_completed,omitempty"`
	placed
}

type plansOutput struct {
	Plans []plan.Plan `json:"plans"`
	More  int         `json:"left_out,omitempty"`
}

// mostPlans is how many plans a tool returns.
const mostPlans = 100

type planDeleteInput struct {
	ID string `json:"plan_id" is:"name"`
	signed
}

var planTools = []func(*service){
	writing(mcpkit.Tool{
		Name:        "plan_create",
		Description: "Note a step or subtask of your own; no tracker gets it.",
	}, func(ctx context.Context, c call, in planCreateInput) (plan.Changed, caller.BookedOn, error) {
		n := plan.New{Title: in.Title, Description: in.Description, Ticket: in.Ticket, Priority: in.Priority.Or(work.PriorityMedium), Tags: in.Tags, Blocks: in.Blocks, BlockedBy: in.BlockedBy}
		made, err := c.stores().Plans.Create(ctx, c.who, n)
		return made, made.BookedOn, err
	}),
	writing(mcpkit.Tool{
		Name: "plan_update", Idempotent: true,
		Description: "Change a plan. completed and canceled are final.",
	}, func(ctx context.Context, c call, in planUpdateInput) (plan.Changed, caller.BookedOn, error) {
		e := plan.Edit{Title: in.Title, Description: in.Description, Tags: in.Tags, Priority: in.Priority}
		if in.Status != "" {
			e.Status = &in.Status
		}
		done, err := c.stores().Plans.Update(ctx, c.who, in.ID, e)
		return done, done.BookedOn, err
	}),
	reading(mcpkit.Tool{
		Name: "plan_list", ReadOnly: true, Description: "Your unfinished plans, or a ticket's.",
	}, func(ctx context.Context, c call, in planListInput) (plansOutput, error) {
		out := plansOutput{Plans: []plan.Plan{}}
		all, err := c.stores().Plans.List(ctx, c.who, plan.Filter{Ticket: in.Ticket, Status: in.Status, Tags: in.Tags, Finished: in.Finished})
		if len(all) > mostPlans {
			all, out.More = all[:mostPlans], len(all)-mostPlans
		}
		out.Plans = append(out.Plans, all...)
		return out, err
	}),
	writing(mcpkit.Tool{
		Name: "plan_delete", Destructive: true, Idempotent: true, Description: "Delete a plan with its dependencies.",
	}, func(ctx context.Context, c call, in planDeleteInput) (plan.Deleted, caller.BookedOn, error) {
		done, err := c.stores().Plans.Delete(ctx, c.who, in.ID, false)
		return done, done.BookedOn, err
	}),
}
