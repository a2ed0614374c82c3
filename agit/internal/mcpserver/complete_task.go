package mcpserver

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type reportInput struct {
	TaskID     string `json:"task_id" is:"name"`
	Result     string `json:"result,omitempty" desc:"Kept with the task"`
	AgentID    string `json:"agent_id,omitempty" desc:"Yours by default" is:"name"`
	ClaimToken int64  `json:"claim_token,omitempty" desc:"From the claim; a lost one is refused"`
}

func addCompleteTask(s *service) {
	add(s, mcpkit.Tool{
		Name: "agit_complete_task", Description: "Report a task as completed. A merge of its worktree does this too.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (taskOutput, error) {
		return s.report(ctx, c, in, task.Completed)
	})
}

// reporter is who a report on a task is booked on. A call that names nobody is
// the session's own where that holds the task or nobody does, else no agent's: a
// name that was made up must not take over what another holds.
func (s *service) reporter(ctx context.Context, c *mcpkit.Call, given, taskID string) string {
	who := s.desk.Named(c, given)
	if who == "" {
		own := booking.OwnName(c.Session())
		if d, err := s.stores.Tasks.Get(ctx, taskID); err == nil && (d.Agent == own || d.Status == task.Pending) {
			who = own
		}
	}
	return who
}

// report ends a task.
func (s *service) report(ctx context.Context, c *mcpkit.Call, in reportInput, status string) (taskOutput, error) {
	if err := booking.Check("agent_id", in.AgentID); err != nil {
		return taskOutput{}, err
	}
	who := s.reporter(ctx, c, in.AgentID, in.TaskID)
	t, err := s.stores.Tasks.Report(ctx, task.Report{
		ID: in.TaskID, Status: status, Result: in.Result, Agent: who, Token: in.ClaimToken,
	})
	if err != nil {
		return taskOutput{}, err
	}
	return taskOutput{brief(t), s.desk.Book(ctx, c, cmp.Or(who, t.Agent), t.Project)}, nil
}
