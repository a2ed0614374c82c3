package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type listTasksInput struct {
	Repo   string `json:"repo" desc:"Repository name"`
	Status string `json:"status,omitempty" enum:"pending,claimed,in_progress,completed,failed" desc:"Open ones by default"`
	TaskID string `json:"task_id,omitempty" desc:"Only this task, whole"`
	Limit  int    `json:"limit,omitempty" min:"1" max:"200" desc:"Default 20"`
	After  string `json:"after,omitempty" desc:"next of the page before"`
}

const (
	tasksPage = 20
	// A list says what tasks are about; the whole text is one task_id away.
	listedDescription = 300
)

func addListTasks(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_list_tasks", ReadOnly: true,
		Description: "List a repository's tasks, what is moving first. Long descriptions are cut; give task_id for one whole.",
	}, func(ctx context.Context, c *mcpkit.Call, in listTasksInput) (task.Page, error) {
		if in.TaskID != "" {
			d, err := s.stores.Tasks.Get(ctx, in.TaskID)
			return task.Page{Tasks: []task.Task{d.Task}}, err
		}
		f := task.Filter{Repo: in.Repo, Limit: in.Limit, After: in.After}
		if f.Limit == 0 {
			f.Limit = tasksPage
		}
		if in.Status != "" {
			f.Statuses = []string{in.Status}
		}
		page, err := s.stores.Tasks.List(ctx, f)
		return cut(c, page), err
	})
}

// cut shortens the descriptions of a list.
func cut(c *mcpkit.Call, page task.Page) task.Page {
	for i := range page.Tasks {
		if d := &page.Tasks[i].Description; len(*d) > listedDescription {
			*d = text.Cut(*d, listedDescription) + "…"
		}
	}
	c.Summarize(fmt.Sprintf("%d tasks", len(page.Tasks)))
	return page
}

type createTaskInput struct {
	Repo        string `json:"repo" desc:"Repository name"`
	Description string `json:"description" desc:"First line is the name"`
	Priority    string `json:"priority,omitempty" enum:"none,low,medium,high,critical" desc:"Default medium"`
	ID          string `json:"id,omitempty" desc:"Own id; made by default"`
}

func addCreateTask(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name:        "agit_create_task",
		Description: "Create a task in a repository's queue.",
	}, func(ctx context.Context, c *mcpkit.Call, in createTaskInput) (task.Task, error) {
		priority, err := work.ParsePriority(in.Priority)
		if err != nil {
			return task.Task{}, err
		}
		made, err := s.stores.Tasks.Create(ctx, []task.New{{
			ID: in.ID, Repo: in.Repo, Text: in.Description, Priority: priority, Agent: s.knownAgent(c, ""),
		}})
		if err != nil {
			return task.Task{}, err
		}
		return made[0], nil
	})
}

type claimTaskInput struct {
	TaskID  string `json:"task_id"`
	AgentID string `json:"agent_id,omitempty" desc:"Agent id or name; yours by default"`
}

func addClaimTask(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_claim_task", Idempotent: true,
		Description: "Claim a pending task; exactly one caller wins. Returns a claim_token for later reports.",
	}, func(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (task.Task, error) {
		agent := s.agentOf(c, in.AgentID)
		t, err := s.stores.Tasks.Claim(ctx, in.TaskID, agent)
		if err == nil {
			s.claims.made(agent)
		}
		return t, err
	})
}

type reportInput struct {
	TaskID     string `json:"task_id"`
	Result     string `json:"result,omitempty" desc:"Kept with the task"`
	AgentID    string `json:"agent_id,omitempty" desc:"Agent id or name; yours by default"`
	ClaimToken int64  `json:"claim_token,omitempty" desc:"From the claim; a lost claim is then refused"`
}

func (s *service) report(ctx context.Context, c *mcpkit.Call, in reportInput, status string) (task.Task, error) {
	return s.stores.Tasks.Report(ctx, task.Report{
		ID: in.TaskID, Status: status, Result: in.Result, Agent: s.knownAgent(c, in.AgentID), Token: in.ClaimToken,
	})
}

func addCompleteTask(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_complete_task", Description: "Report a task as completed. A merge of its worktree does this too.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (task.Task, error) {
		return s.report(ctx, c, in, task.Completed)
	})
}

func addFailTask(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_fail_task", Description: "Report a task as failed; result says why. Result canceled closes one nobody wants.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (task.Task, error) {
		return s.report(ctx, c, in, task.Failed)
	})
}
