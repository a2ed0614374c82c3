package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/project"
)

type createProjectInput struct {
	ID          string `json:"id" is:"name"`
	Name        string `json:"name" is:"name"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status,omitempty" enum:"active,completed,on_hold"`
	Path        string `json:"path,omitempty" desc:"Folder whose project gets the id"`
}

type projectOutput struct {
	Success bool `json:"success"`
	project.Project
	BookedOn booking.Booking `json:"booked_on"`
}

func addCreateProject(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_project", Description: "Make a project.",
	}, func(ctx context.Context, c *mcpkit.Call, in createProjectInput) (out projectOutput, err error) {
		n := graph.NewProject{ID: in.ID, Name: in.Name, Description: in.Description, Status: in.Status}
		if in.Path != "" {
			if n.Path, err = s.path(c, in.Path); err != nil {
				return out, err
			}
		}
		if n.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		if out.Project, err = s.stores.Graph.CreateProject(ctx, n); err != nil {
			return out, err
		}
		out.Success, out.BookedOn = true, s.Desk.Book(ctx, c, n.Agent, out.UID)
		return out, nil
	})
}
