package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type nextTaskInput struct {
	AgentName    string         `json:"agentName,omitempty" also:"agent,agent_id" is:"name"`
	Capabilities []string       `json:"capabilities,omitempty" desc:"Default: registered"`
	Priority     *work.Priority `json:"priority,omitempty" desc:"At least"`
	ProjectID    string         `json:"projectId,omitempty" also:"project_id,project" desc:"* for all" is:"name"`
	Peek         bool           `json:"peek,omitempty"`
}

type nextTaskOutput struct {
	task.Offer
	BookedOn *booking.Booking `json:"booked_on,omitempty"`
}

func addGetNextTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "pm_get_next_task",
		Description: "Claim the next ready task. taskId null: reason counts why.",
	}, func(ctx context.Context, c *mcpkit.Call, in nextTaskInput) (out nextTaskOutput, err error) {
		ask := task.Ask{Capabilities: in.Capabilities, Project: in.ProjectID, Peek: in.Peek}
		switch in.ProjectID {
		case "*":
			ask.Project = ""
		case "":
			if ask.Repo, err = s.repoHere(ctx, c); err != nil {
				return out, err
			}
			if ask.Home, err = s.home(ctx, c); err != nil {
				return out, err
			}
		}
		ask.MinPriority = in.Priority.Or(work.PriorityNone)
		if ask.Agent, err = s.Desk.Caller(c, "agentName", in.AgentName); err != nil {
			return out, err
		}
		if out.Offer, err = s.stores.Tasks.Offer(ctx, ask); err != nil {
			return out, err
		}
		out.Description = cut(out.Description, offeredText)
		if out.TaskID == nil {
			c.Summarize("nothing ready")
			return out, nil
		}
		c.Summarize(*out.TaskID)
		if !in.Peek {
			s.claims.made(c, *out.Task)
			booked := s.Desk.Book(ctx, c, ask.Agent, out.Context.ProjectID)
			out.BookedOn = &booked
		}
		return out, nil
	})
}

// offeredText is longer than the text in a list: an agent is about to do the task.
const offeredText = 4000
