package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type pmCreateTaskInput struct {
	TaskID               string         `json:"taskId" also:"task_id,id" is:"name"`
	Name                 string         `json:"name" is:"name"`
	Description          string         `json:"description,omitempty"`
	Priority             *work.Priority `json:"priority,omitempty"`
	EpicID               string         `json:"epicId" also:"epic_id,epic" is:"name"`
	Dependencies         []string       `json:"dependencies,omitempty" max:"1000" desc:"Waits for"`
	RequiredCapabilities []string       `json:"requiredCapabilities,omitempty" max:"50"`
	EstimatedDuration    string         `json:"estimatedDuration,omitempty" desc:"E.g. 30m"`
}

type pmCreateTaskOutput struct {
	graph.Planned
	BookedOn booking.Booking `json:"booked_on"`
}

func addPMCreateTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_task", Description: "Add a task to an epic.",
	}, func(ctx context.Context, c *mcpkit.Call, in pmCreateTaskInput) (out pmCreateTaskOutput, err error) {
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return out, err
		}
		out.Planned, err = s.stores.Graph.Plan(ctx, graph.NewTask{
			ID: in.TaskID, Name: in.Name, Description: in.Description, Priority: in.Priority.Or(work.PriorityMedium).String(), Epic: in.EpicID,
			Dependencies: in.Dependencies, Capabilities: in.RequiredCapabilities, Estimate: in.EstimatedDuration, Agent: who,
		})
		if err != nil {
			return out, err
		}
		out.BookedOn = s.Desk.Book(ctx, c, who, out.Project)
		return out, nil
	})
}
