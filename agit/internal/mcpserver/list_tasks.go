package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type listTasksInput struct {
	Repo   string `json:"repo" desc:"Repository name" is:"name"`
	Status string `json:"status,omitempty" enum:"pending,claimed,in_progress,blocked,completed,failed" desc:"Open ones by default"`
	TaskID string `json:"task_id,omitempty" desc:"Only this task, whole" is:"name"`
	Limit  int    `json:"limit,omitempty" min:"1" max:"200" desc:"Default 20"`
	After  string `json:"after,omitempty" desc:"next of the page before"`
}

func addListTasks(s *service) {
	add(s, mcpkit.Tool{
		Name: "agit_list_tasks", ReadOnly: true,
		Description: "List a repository's tasks, what is moving first. Long texts are cut; give task_id for one whole.",
	}, func(ctx context.Context, c *mcpkit.Call, in listTasksInput) (task.Page, error) {
		if in.TaskID != "" {
			return s.wholeTask(ctx, in.Repo, in.TaskID)
		}
		f := task.Filter{Repo: in.Repo, Limit: in.Limit, After: in.After}
		if f.Limit == 0 {
			f.Limit = tasksPage
		}
		if in.Status != "" {
			f.Statuses = []string{in.Status}
		}
		return s.tasks(ctx, c, f)
	})
}

func (s *service) tasks(ctx context.Context, c *mcpkit.Call, f task.Filter) (task.Page, error) {
	page, err := s.stores.Tasks.List(ctx, f)
	page.Tasks = briefAll(page.Tasks)
	c.Summarize(fmt.Sprintf("%d tasks", len(page.Tasks)))
	return page, err
}

// wholeTask is a page of one task, which must be the repository's.
func (s *service) wholeTask(ctx context.Context, repoName, id string) (task.Page, error) {
	r, err := s.stores.Repos.Get(ctx, repoName)
	if err != nil {
		return task.Page{}, err
	}
	d, err := s.stores.Tasks.Get(ctx, id)
	if err != nil {
		return task.Page{}, err
	}
	if d.Repo != "" && d.Repo != r.Name {
		return task.Page{}, fault.NotFound("task", id).WithHint("repository %q has one of that id", d.Repo)
	}
	return task.Page{Tasks: []task.Task{d.Task}}, nil
}
