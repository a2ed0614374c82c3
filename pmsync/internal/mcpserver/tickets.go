package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type getTicketInput struct {
	ID      string `json:"identifier" also:"ticket_id,external_item_id" is:"name"`
	Plans   *bool  `json:"include_plans,omitempty" desc:"Default true, as the next two"`
	AC      *bool  `json:"include_ac,omitempty"`
	Memory  *bool  `json:"include_memory,omitempty"`
	History bool   `json:"include_history,omitempty" desc:"Sessions"`
	placed
}

// ticketText is how many bytes of a description a tool returns; the resource has all of it.
const ticketText = 6000

type ticketStatusInput struct {
	ID      string `json:"identifier" also:"ticket_id,external_item_id" is:"name"`
	Status  string `json:"status" desc:"todo, in_progress, done, canceled, or the tracker's own" is:"name"`
	Comment string `json:"add_comment,omitempty"`
	Queue   *bool  `json:"queue_if_offline,omitempty" desc:"Default true"`
	signed
}

var ticketTools = []func(*service){
	reading(mcpkit.Tool{
		Name: "get_ticket", ReadOnly: true, Kept: true,
		Description: "A ticket with criteria, plans, blockers, memories.",
	}, func(ctx context.Context, c call, in getTicketInput) (worklist.Detail, error) {
		return c.stores().Board.Ticket(ctx, c.who, worklist.DetailQuery{ID: in.ID, Plans: on(in.Plans), Criteria: on(in.AC), Memories: on(in.Memory), Past: in.History, MaxDescription: ticketText})
	}),
	writing(mcpkit.Tool{
		Name: "update_ticket_status", Idempotent: true,
		Description: "Move a ticket; a tracker's is queued and sent later.",
	}, func(ctx context.Context, c call, in ticketStatusInput) (ticket.Changed, caller.BookedOn, error) {
		done, err := c.stores().Tickets.Update(ctx, c.who, "identifier", in.ID, ticket.Edit{Status: &in.Status, Comment: in.Comment, NotOffline: !on(in.Queue)})
		done.Description = "" // the caller requested only a move
		if done.Outcome == ticket.Queued {
			c.stores().Sync.Soon(ctx, c.who.Place, c.Env.Environ)
		}
		return done, done.BookedOn, err
	}),
}
