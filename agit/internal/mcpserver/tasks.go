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

type listTasksInput struct {
	Repo    string `json:"repo,omitempty" is:"name"`
	Project string `json:"project_id,omitempty" also:"projectId,project" is:"name"`
	Status  string `json:"status,omitempty" enum:"pending,claimed,in_progress,blocked,completed,failed" desc:"Default: open ones"`
	TaskID  string `json:"task_id,omitempty" also:"taskId,id" desc:"Only this one, whole, and why it is ready or not" is:"name"`
	Limit   int    `json:"limit,omitempty" min:"1" max:"200" desc:"Default 20"`
	After   string `json:"after,omitempty" desc:"next of the page before"`
}

// tasksOutput is a page of tasks; for a single task it includes why that is ready or not.
type tasksOutput struct {
	task.Page
	Explanation *work.Explanation `json:"explanation,omitempty"`
}

func addListTasks(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_list_tasks", ReadOnly: true,
		Description: "List a repository's or project's tasks, what is moving first. Long texts are cut.",
	}, func(ctx context.Context, c *mcpkit.Call, in listTasksInput) (out tasksOutput, err error) {
		if in.TaskID != "" {
			return s.wholeTask(ctx, c, in)
		}
		f := task.Filter{Repo: in.Repo, Project: in.Project, Limit: cmp.Or(in.Limit, tasksPage), After: in.After}
		if f.Repo == "" && f.Project == "" {
			if f.Repo, err = s.repoHere(ctx, c); err == nil && f.Repo == "" {
				if f.Project, err = s.home(ctx, c); err == nil && f.Project == "" {
					_, err = s.repoOf(ctx, c, "")
				}
			}
			if err != nil {
				return out, err
			}
		}
		if in.Status != "" {
			f.Statuses = []string{in.Status}
		}
		out.Page, err = s.tasks(ctx, c, f)
		return out, err
	})
}

func (s *service) tasks(ctx context.Context, c *mcpkit.Call, f task.Filter) (task.Page, error) {
	page, err := s.stores.Tasks.List(ctx, f)
	page.Tasks = briefAll(page.Tasks)
	if fit := fitting(page.Tasks); fit < len(page.Tasks) { // the end of a page is known to the list alone
		f.Limit = fit
		page, err = s.stores.Tasks.List(ctx, f)
		page.Tasks = briefAll(page.Tasks)
	}
	c.Summarize(fmt.Sprintf("%d tasks", len(page.Tasks)))
	return page, err
}

// wholeTask is a page of one task, which must be the named repository's.
func (s *service) wholeTask(ctx context.Context, c *mcpkit.Call, in listTasksInput) (out tasksOutput, err error) {
	d, err := s.stores.Tasks.Get(ctx, in.TaskID)
	if err != nil {
		return out, err
	}
	if in.Repo != "" {
		r, err := s.stores.Repos.Get(ctx, in.Repo)
		if err != nil {
			return out, err
		}
		if d.Repo != "" && d.Repo != r.Name {
			return out, fault.NotFound("task", in.TaskID).WithHint("repository %q has one of that id", d.Repo)
		}
	}
	why, err := s.stores.Tasks.Explain(ctx, d.ID, s.Desk.Named(c, ""))
	out.Tasks, out.Explanation = []task.Task{d.Task}, &why
	return out, err
}

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

type claimTaskInput struct {
	TaskID     string `json:"task_id" also:"taskId,id" is:"name"`
	AgentID    string `json:"agent_id,omitempty" also:"agent,agentName" desc:"Agent id or name; yours by default" is:"name"`
	HandOverTo string `json:"hand_over_to,omitempty" also:"handOverTo" desc:"Agent that goes on with a task you hold" is:"name"`
	ClaimToken int64  `json:"claim_token,omitempty" also:"claimToken"`
}

func addClaimTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_claim_task", Idempotent: true,
		Description: "Claim a pending task; exactly one caller wins. Returns a claim_token for later reports.",
	}, func(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (taskOutput, error) {
		if in.HandOverTo != "" {
			return s.handOver(ctx, c, in)
		}
		who, err := s.Desk.Caller(c, "agent_id", in.AgentID)
		if err != nil {
			return taskOutput{}, err
		}
		t, err := s.stores.Tasks.Claim(ctx, in.TaskID, who)
		if err != nil {
			return taskOutput{}, err
		}
		s.claims.made(c, t)
		return taskOutput{t, s.Desk.Book(ctx, c, who, t.Project)}, nil
	})
}

// handOver returns a claim for another agent. That agent's own calls keep it alive.
func (s *service) handOver(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (taskOutput, error) {
	if err := booking.Check("hand_over_to", in.HandOverTo); err != nil {
		return taskOutput{}, err
	}
	by, err := s.caller(c, "agent_id", in.AgentID, in.TaskID, in.ClaimToken)
	if err != nil {
		return taskOutput{}, err
	}
	t, err := s.stores.Tasks.HandOver(ctx, in.TaskID, in.HandOverTo, by)
	if err != nil {
		return taskOutput{}, err
	}
	return taskOutput{briefTask(t), s.Desk.Book(ctx, c, cmp.Or(by.Agent, by.Client), t.Project)}, nil
}

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

func addFailTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_fail_task", Description: "Report a task as failed; result says why. Result canceled closes one not wanted.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (taskOutput, error) {
		return s.report(ctx, c, in, task.Failed)
	})
}

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
