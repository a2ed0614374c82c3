package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/mcpkit"
)

var ticketTools = []func(*service){addGetTicket, addUpdateTicketStatus}

type getTicketInput struct {
	ID      string `json:"identifier" also:"ticket_id,external_item_id" is:"name"`
	Plans   *bool  `json:"include_plans,omitempty" desc:"Default true, as the next two"`
	AC      *bool  `json:"include_ac,omitempty"`
	Memory  *bool  `json:"include_memory,omitempty"`
	History bool   `json:"include_history,omitempty" desc:"Sessions"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

// ticketText is how many bytes of a description a tool returns; the resource has all of it.
const ticketText = 6000

func addGetTicket(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_ticket", ReadOnly: true, Kept: true,
		Description: "A ticket with criteria, plans, blockers, memories.",
	}, func(ctx context.Context, c *mcpkit.Call, in getTicketInput) (worklist.Detail, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return worklist.Detail{}, err
		}
		return s.stores().Board.Ticket(ctx, who, worklist.DetailQuery{ID: in.ID, Plans: on(in.Plans), Criteria: on(in.AC), Memories: on(in.Memory), Past: in.History, MaxDescription: ticketText})
	})
}

type ticketStatusInput struct {
	ID      string `json:"identifier" also:"ticket_id,external_item_id" is:"name"`
	Status  string `json:"status" desc:"todo, in_progress, done, canceled, or the tracker's own" is:"name"`
	Comment string `json:"add_comment,omitempty"`
	Queue   *bool  `json:"queue_if_offline,omitempty" desc:"Default true"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent   string `json:"agent,omitempty" is:"name"`
}

func addUpdateTicketStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "update_ticket_status", Idempotent: true,
		Description: "Move a ticket; a tracker's is queued and sent later.",
	}, func(ctx context.Context, c *mcpkit.Call, in ticketStatusInput) (ticket.Changed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return ticket.Changed{}, err
		}
		done, err := s.stores().Tickets.Update(ctx, who, "identifier", in.ID, ticket.Edit{Status: &in.Status, Comment: in.Comment, NotOffline: !on(in.Queue)})
		done.Description = "" // the caller requested only a move
		s.booked(c, done.BookedOn)
		if done.Outcome == ticket.Queued {
			s.stores().Sync.Soon(ctx, who.Place, s.Env.Environ)
		}
		return done, err
	})
}
