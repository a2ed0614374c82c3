package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type createEpicInput struct {
	EpicID      string         `json:"epicId" is:"name"`
	ProjectID   string         `json:"projectId" is:"name"`
	Name        string         `json:"name" is:"name"`
	Description string         `json:"description,omitempty"`
	Priority    *work.Priority `json:"priority,omitempty"`
}

type epicOutput struct {
	Success bool `json:"success"`
	graph.Epic
	BookedOn booking.Booking `json:"booked_on"`
}

func addCreateEpic(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_epic", Description: "Make an epic: tasks of a project that belong together.",
	}, func(ctx context.Context, c *mcpkit.Call, in createEpicInput) (out epicOutput, err error) {
		n := graph.NewEpic{ID: in.EpicID, Project: in.ProjectID, Name: in.Name, Description: in.Description, Priority: in.Priority.Or(work.PriorityMedium)}
		if n.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		if out.Epic, err = s.stores.Graph.CreateEpic(ctx, n); err != nil {
			return out, err
		}
		out.Success, out.BookedOn = true, s.Desk.Book(ctx, c, n.Agent, out.Project)
		return out, nil
	})
}
