package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type updateTaskInput struct {
	TaskID       string         `json:"task_id" also:"taskId,id" is:"name"`
	Action       string         `json:"action,omitempty" enum:"edit,release,reopen,block,unblock,delete"`
	Description  *string        `json:"description,omitempty"`
	Priority     *plainPriority `json:"priority,omitempty"`
	Estimate     *string        `json:"estimate,omitempty" also:"estimatedDuration"`
	Epic         *string        `json:"epic,omitempty" also:"epicId"`
	Assignee     *string        `json:"assignee,omitempty"`
	Capabilities *[]string      `json:"capabilities,omitempty" also:"requiredCapabilities" max:"50"`
	Why          string         `json:"why,omitempty"`
	Confirm      bool           `json:"confirm,omitempty"`
	AgentID      string         `json:"agent_id,omitempty" also:"agent,agentName" is:"name"`
	ClaimToken   int64          `json:"claim_token,omitempty" also:"claimToken"`
}

// plainPriority is a priority whose schema leaves room for the other parameters.
type plainPriority work.Priority

// MCPSchema is the part that clients check.
func (*plainPriority) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"string"}`) }

// UnmarshalJSON reads what a work.Priority does.
func (p *plainPriority) UnmarshalJSON(b []byte) error { return (*work.Priority)(p).UnmarshalJSON(b) }

// updateTaskOutput is one field deep: its schema leaves room for the input's.
type updateTaskOutput struct {
	Task     any             `json:"task"`
	BookedOn booking.Booking `json:"booked_on"`
}

func addUpdateTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_update_task", Destructive: true,
		Description: "Edit a task (default), give it back, reopen, hold back, or delete (with confirm) one never begun.",
	}, func(ctx context.Context, c *mcpkit.Call, in updateTaskInput) (out updateTaskOutput, err error) {
		by, err := s.caller(c, "agent_id", in.AgentID, in.TaskID, in.ClaimToken)
		if err != nil {
			return out, err
		}
		who := cmp.Or(by.Agent, by.Client)
		if in.Action == "delete" {
			gone, err := s.deleteTask(ctx, in, by)
			return updateTaskOutput{gone, s.Desk.Book(ctx, c, who, "")}, err
		}
		t, err := s.updateTask(ctx, in, by)
		if err != nil {
			return out, err
		}
		return updateTaskOutput{briefTask(t), s.Desk.Book(ctx, c, who, t.Project)}, nil
	})
}

func (s *service) updateTask(ctx context.Context, in updateTaskInput, by task.Caller) (task.Task, error) {
	tasks := s.stores.Tasks
	switch in.Action {
	case "release":
		return tasks.Report(ctx, task.Report{ID: in.TaskID, Status: task.Pending, Why: in.Why, Caller: by})
	case "reopen":
		return tasks.Reopen(ctx, in.TaskID, by, in.Why)
	case "block":
		return tasks.Block(ctx, in.TaskID, by, in.Why)
	case "unblock":
		return tasks.Unblock(ctx, in.TaskID, by, in.Why)
	}
	edit := task.Edit{Text: in.Description, Epic: in.Epic, Assignee: in.Assignee, Capabilities: in.Capabilities, Priority: (*work.Priority)(in.Priority)}
	if in.Estimate != nil {
		d, err := work.ParseDuration("estimate", *in.Estimate)
		if err != nil {
			return task.Task{}, err
		}
		edit.Estimate = &d
	}
	return tasks.Edit(ctx, in.TaskID, edit, by)
}

// deleteTask returns first what would be deleted: only a call that confirms deletes.
func (s *service) deleteTask(ctx context.Context, in updateTaskInput, by task.Caller) (task.Deletion, error) {
	gone, err := s.stores.Tasks.Delete(ctx, []string{in.TaskID}, by, !in.Confirm)
	if err != nil || in.Confirm {
		return gone, err
	}
	what := fmt.Sprintf("deleting task %q is not confirmed", in.TaskID)
	if len(gone.Waiting) > 0 {
		what += ", for which " + strings.Join(gone.Waiting, ", ") + " waits"
	}
	return gone, fault.Validation("confirm", "%s", what).WithHint("ask the person who wanted the task")
}
