package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type createTaskInput struct {
	Repo         string         `json:"repo,omitempty" is:"name"`
	Description  string         `json:"description" desc:"First line is the name"`
	Priority     *work.Priority `json:"priority,omitempty"`
	ID           string         `json:"id,omitempty" also:"task_id,taskId" is:"name"`
	Dependencies []string       `json:"dependencies,omitempty" max:"1000" desc:"Ids it waits for"`
}

// taskOutput is a task after a write.
type taskOutput struct {
	task.Task
	BookedOn booking.Booking `json:"booked_on"`
}

func addCreateTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agit_create_task",
		Description: "Add a task to a repository's queue.",
	}, func(ctx context.Context, c *mcpkit.Call, in createTaskInput) (taskOutput, error) {
		who, name, err := s.callerIn(ctx, c, "", "", in.Repo)
		if err != nil {
			return taskOutput{}, err
		}
		made, err := s.stores.Tasks.Create(ctx, []task.New{{
			ID: in.ID, Repo: name, Text: in.Description, Priority: in.Priority.Or(work.PriorityMedium), DependsOn: in.Dependencies, Agent: who,
		}})
		if err != nil {
			return taskOutput{}, err
		}
		return taskOutput{briefTask(made[0]), s.Desk.Book(ctx, c, who, made[0].Project)}, nil
	})
}
