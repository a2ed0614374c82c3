package mcpserver

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type reportInput struct {
	TaskID     string `json:"task_id" also:"taskId,id" is:"name"`
	Result     string `json:"result,omitempty" desc:"Kept with the task"`
	AgentID    string `json:"agent_id,omitempty" also:"agent,agentName" desc:"Yours by default" is:"name"`
	ClaimToken int64  `json:"claim_token,omitempty" also:"claimToken" desc:"From the claim; a lost one is refused"`
}

func addCompleteTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_complete_task", Description: "Report a task as completed. A merge of its worktree does this too.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (taskOutput, error) {
		return s.report(ctx, c, in, task.Completed)
	})
}

// caller returns who changes a task: the agent that the call names, else its client. A session may report on its own claims under any name.
func (s *service) caller(c *mcpkit.Call, field, given, taskID string, token int64) (task.Caller, error) {
	if err := booking.Check(field, given); err != nil {
		return task.Caller{}, err
	}
	return task.Caller{
		Agent: s.Desk.Named(c, given), Token: token,
		Client: s.Desk.Own(c.Session()), SessionToken: ofSession(c.Session(), taskID),
	}, nil
}

// report ends a task.
func (s *service) report(ctx context.Context, c *mcpkit.Call, in reportInput, status string) (taskOutput, error) {
	by, err := s.caller(c, "agent_id", in.AgentID, in.TaskID, in.ClaimToken)
	if err != nil {
		return taskOutput{}, err
	}
	t, err := s.stores.Tasks.Report(ctx, task.Report{ID: in.TaskID, Status: status, Result: in.Result, Caller: by})
	if err != nil {
		return taskOutput{}, err
	}
	return taskOutput{briefTask(t), s.Desk.Book(ctx, c, cmp.Or(by.Agent, t.Agent), t.Project)}, nil
}
