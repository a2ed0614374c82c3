package command

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
)

// listTaskIDs lists the tasks that a verb may be used on; "" is any.
func listTaskIDs(verb string) func(context.Context, *registry.DB, string) ([]string, error) {
	statuses := map[string][]string{
		"claim": {task.Pending}, "start": {task.Claimed, task.Pending}, "release": {task.InProgress, task.Claimed}, "hand-over": {task.InProgress, task.Claimed},
		"reopen": {task.Failed, task.Completed}, "unblock": {task.Blocked}, "delete": {task.Pending},
	}[verb]
	return func(ctx context.Context, db *registry.DB, _ string) ([]string, error) {
		page, err := (&task.Store{DB: db}).List(ctx, task.Filter{Statuses: statuses, Limit: 100})
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(page.Tasks))
		for i, t := range page.Tasks {
			ids[i] = t.ID + "\t" + t.Name
		}
		return ids, nil
	}
}
