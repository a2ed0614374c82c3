package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
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
