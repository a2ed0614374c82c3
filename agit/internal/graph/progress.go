package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// ProgressStatuses are the statuses that an agent may report.
var ProgressStatuses = []string{task.InProgress, task.Completed, task.Failed}

// Progress is an agent's report on a task.
type Progress struct {
	task.Caller
	Task, Status string
	Artifacts    []Produced
	Folder       string         // the caller's folder, for the sizes of artifacts; "" when unknown
	Metrics      map[string]any // duration is stored with the task, all metrics in its history
	Notes        string
}

// Moved is the result of a report.
type Moved struct {
	Success   bool     `json:"success" wire:"name"`
	TaskID    string   `json:"taskId"`
	Before    string   `json:"previousStatus"`
	After     string   `json:"newStatus"`
	Artifacts int      `json:"artifactsCreated" wire:"name"`
	Unblocked []string `json:"unblockedTasks" wire:"name"`
	Token     int64    `json:"claimToken,omitempty"`

	Task task.Task `json:"-"`
}

// Report changes a task's status, stores its artifacts and returns the tasks that are now ready because of it, all or nothing.
func (s *Store) Report(ctx context.Context, p Progress) (out Moved, err error) {
	if !slices.Contains(ProgressStatuses, p.Status) {
		return out, fault.Validation("status", "a task cannot be reported as %q", p.Status).WithHint("use in_progress, completed or failed")
	}
	if p.Notes, err = text.Body("notes", p.Notes); err != nil {
		return out, err
	}
	took, err := duration(p.Metrics)
	if err != nil {
		return out, err
	}
	if p.Artifacts, err = s.measured(ctx, p.Task, p.Folder, p.Artifacts); err != nil {
		return out, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		report := task.Report{Caller: p.Caller, ID: p.Task, Status: p.Status, Why: p.Notes, Took: took}
		if p.Status != task.InProgress {
			report.Result = p.Notes
		}
		done, err := s.Tasks.ReportIn(tx, report)
		if err != nil {
			return err
		}
		moved := done.Task
		out = Moved{Success: true, TaskID: moved.ID, Before: done.Before, After: moved.Status, Unblocked: []string{}, Token: moved.ClaimToken, Task: moved}
		item, err := find(tx, work.KindTask, "taskId", moved.ID)
		if err != nil {
			return err
		}
		if done.Same && p.Status != task.InProgress {
			return refuseMore(tx, item, p)
		}
		if out.Artifacts, err = produce(tx, item, p.Artifacts, 0); err != nil {
			return err
		}
		if err := keepMetrics(tx, item.ID, p.Metrics); err != nil || p.Status == task.InProgress {
			return err
		}
		out.Unblocked, err = work.FreedBy(tx, item)
		return err
	})
	return out, err
}

// duration reads metrics.duration: a text as in "4m 30s", or seconds.
func duration(metrics map[string]any) (time.Duration, error) {
	switch d := metrics["duration"].(type) {
	case nil:
		return 0, nil
	case string:
		return work.ParseDuration("metrics.duration", d)
	default:
		return work.ParseDuration("metrics.duration", fmt.Sprint(d)+"s")
	}
}

// keepMetrics stores measurements in a task's history.
func keepMetrics(tx *registry.Tx, itemID int64, metrics map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if _, err := text.Name("metrics", name); err != nil {
			return err
		}
		value, err := text.Body("metrics", fmt.Sprint(metrics[name]))
		if err != nil {
			return err
		}
		if err := work.Record(tx, itemID, work.Event{Field: "metrics." + name, New: value}); err != nil {
			return err
		}
	}
	return nil
}

// refuseMore refuses a report on a finished task that adds to its final report: a finished task changes only after it is reopened.
func refuseMore(tx *registry.Tx, item work.Item, p Progress) error {
	known, err := registry.Collect(tx, registry.One[string], `SELECT path FROM artifacts WHERE produced_by = ?`, item.ID)
	if err != nil {
		return err
	}
	more := func(what string) error {
		return fault.Conflict("task", item.Ref, "task %q is already %s, and %s is new", item.Ref, item.Status, what).
			WithHint("reopen it first if it is to be done again")
	}
	for _, a := range p.Artifacts {
		if !slices.Contains(known, a.Path) {
			return more(fmt.Sprintf("artifact %q", a.Path))
		}
	}
	for name, value := range p.Metrics {
		said, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM item_history WHERE item_id = ? AND field = ? AND new = ?)`,
			item.ID, "metrics."+name, fmt.Sprint(value)))
		if err != nil {
			return err
		}
		if !said {
			return more(fmt.Sprintf("metric %q", name))
		}
	}
	return nil
}
