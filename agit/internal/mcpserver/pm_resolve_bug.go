package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type resolveInput struct {
	BugID  string `json:"bugId" is:"name"`
	Status string `json:"status" enum:"fixed,wont_fix"`
}

type resolveOutput struct {
	graph.Resolution
	BookedOn booking.Booking `json:"booked_on"`
}

func addResolveBug(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_resolve_bug", Idempotent: true, Description: "Resolve a bug; returns the tasks that no bug blocks any more.",
	}, func(ctx context.Context, c *mcpkit.Call, in resolveInput) (out resolveOutput, err error) {
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return out, err
		}
		if out.Resolution, err = s.stores.Graph.SetBugStatus(ctx, in.BugID, in.Status, who); err != nil {
			return out, err
		}
		out.BookedOn = s.Desk.Book(ctx, c, who, out.Project)
		return out, nil
	})
}
