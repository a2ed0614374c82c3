package command

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/output"
)

// parallelTasks returns for each pending task whether it can start beside the work in flight.
func parallelTasks(ctx context.Context, o *taskListOptions, s *stores.Stores) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	page, err := s.Tasks.List(ctx, task.Filter{Repo: r.Name, Statuses: []string{task.Pending}, Limit: o.Limit})
	if err != nil {
		return err
	}
	texts := make([]conflict.TaskText, len(page.Tasks))
	for i, t := range page.Tasks {
		texts[i] = conflict.TaskText{ID: t.ID, Text: t.Description, Agent: t.Agent}
	}
	verdicts, err := s.Conflicts.ParallelOK(ctx, r.ID, texts)
	if err != nil {
		return err
	}
	return output.List(ctx, o.env.Printer(), "tasks", verdicts, []output.Column[conflict.Parallel]{
		{Title: "TASK", Value: func(p conflict.Parallel) string { return p.Task }},
		{Title: "PARALLEL", Value: func(p conflict.Parallel) string { return string(p.Verdict) }},
		{Title: "FILES", Value: func(p conflict.Parallel) string { return strings.Join(p.Files, ", ") }, Flex: true},
		{Title: "WITH", Value: func(p conflict.Parallel) string { return meets(p.With) }, Flex: true},
	})
}

func meets(with []conflict.Meet) string {
	names := make([]string, len(with))
	for i, m := range with {
		names[i] = strings.TrimSpace(m.File + " " + m.Worktree + m.Claim + " " + m.Agent)
	}
	return strings.Join(names, ", ")
}
