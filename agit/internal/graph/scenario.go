package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// ScenarioStatuses are the statuses of a test scenario.
var ScenarioStatuses = []string{"pending", "running", "passed", "failed"}

// Scenario is a test scenario and the tasks that it validates.
type Scenario struct {
	ID          string        `json:"scenarioId"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Status      string        `json:"status"`
	Priority    work.Priority `json:"priority"`
	PassRate    *float64      `json:"passRate,omitempty"` // percent
	Validates   []string      `json:"validates,omitempty"`
	Project     string        `json:"projectId"`
}

// ScenarioRecord is the result of a run of a scenario.
type ScenarioRecord struct {
	ID, Name, Description, Status string
	Priority                      string   // "" keeps it; medium for a new scenario
	PassRate                      *float64 // nil keeps it
	Validates                     []string // ids of tasks, added to the known ones
	Project                       string   // required for a new scenario that validates nothing
	Agent                         string
}

// RecordScenario creates a scenario, or updates the one with that id.
func (s *Store) RecordScenario(ctx context.Context, r ScenarioRecord) (Scenario, error) {
	r.Status = cmp.Or(r.Status, "pending")
	if !slices.Contains(ScenarioStatuses, r.Status) {
		return Scenario{}, fault.Validation("status", "scenario status %q is not known", r.Status).WithHint("use pending, running, passed or failed")
	}
	if r.PassRate != nil && !(*r.PassRate >= 0 && *r.PassRate <= 100) {
		return Scenario{}, fault.Validation("passRate", "a pass rate of %g is not a percentage", *r.PassRate).WithHint("give a number from 0 to 100")
	}
	return write(ctx, s, r.Agent, func(tx *registry.Tx, by int64) (out Scenario, err error) {
		item, err := r.item(tx, by)
		if err != nil {
			return out, err
		}
		if r.PassRate != nil {
			if err := tx.Do(`UPDATE scenarios SET pass_rate = ? WHERE item_id = ?`, *r.PassRate, item.ID); err != nil {
				return out, err
			}
		}
		for _, id := range r.Validates {
			validated, err := find(tx, work.KindTask, "validates", id)
			if err != nil {
				return out, err
			}
			if err := tx.Do(`INSERT INTO scenario_tasks (scenario_id, task_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, item.ID, validated.ID); err != nil {
				return out, err
			}
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		found, err := scenarios(tx, ` AND items.id = ?`, item.ID)
		if err != nil {
			return out, err
		}
		return found[0], nil
	})
}

// item returns the scenario's row in the status of the record, and creates it when it is new.
func (r ScenarioRecord) item(tx *registry.Tx, by int64) (work.Item, error) {
	states := map[string]work.State{"pending": work.StateOpen, "running": work.StateActive, "passed": work.StateDone, "failed": work.StateDropped}
	item, err := work.Find(tx, work.KindScenario, r.ID)
	if err == nil {
		if err := tx.In(item.ProjectID); err != nil {
			return item, err
		}
		if item.Status == r.Status {
			return item, nil
		}
		return item, work.SetStatus(tx, &item, work.Move{Status: r.Status, State: states[r.Status], Event: work.Event{Agent: by}})
	}
	if !fault.Is(err, fault.KindNotFound) {
		return item, err
	}
	projectID, err := r.place(tx)
	if err == nil {
		err = tx.In(projectID)
	}
	if err != nil {
		return item, err
	}
	priority, err := work.ParsePriority(r.Priority)
	if err != nil {
		return item, err
	}
	item, err = work.Create(tx, work.NewItem{ProjectID: projectID, Kind: work.KindScenario, Ref: r.ID, Text: body(cmp.Or(r.Name, r.ID), r.Description),
		Status: r.Status, State: states[r.Status], Priority: priority, By: by})
	if err != nil {
		return item, err
	}
	err = tx.Do(`INSERT INTO scenarios (item_id) VALUES (?)`, item.ID)
	return item, err
}

func (r ScenarioRecord) place(tx *registry.Tx) (int64, error) {
	if r.Project != "" {
		p, err := project.Get(tx, r.Project)
		return p.ID, err
	}
	if len(r.Validates) == 0 {
		return 0, fault.Validation("validates", "the project of scenario %q is not known", r.ID).WithHint("name a task that it validates")
	}
	item, err := find(tx, work.KindTask, "validates", r.Validates[0])
	return item.ProjectID, err
}

// Scenarios returns the scenarios of a project ("" for all), oldest first.
func (s *Store) Scenarios(ctx context.Context, projectID string) ([]Scenario, error) {
	return listed(ctx, s, projectID, scenarios)
}

func scenarios(tx *registry.Tx, where string, args ...any) ([]Scenario, error) {
	var ids []int64
	all, err := registry.Collect(tx, func(r registry.Scanner) (s Scenario, err error) {
		var rate registry.Null[float64]
		item, err := work.Scan(r, &rate, &s.Project)
		ids = append(ids, item.ID)
		s.ID, s.Name, s.Description, s.Status, s.Priority = item.Ref, item.Title, rest(item), item.Status, item.Priority
		if rate.Valid {
			s.PassRate = &rate.V
		}
		return s, err
	}, `SELECT `+work.Columns+`, scenarios.pass_rate, projects.uid FROM items JOIN scenarios ON scenarios.item_id = items.id
		JOIN projects ON projects.id = items.project_id WHERE items.deleted_at IS NULL`+where+` ORDER BY items.id`, args...)
	for i := range all {
		if err == nil {
			all[i].Validates, err = registry.Collect(tx, registry.One[string], `SELECT t.ref FROM scenario_tasks s JOIN items t ON t.id = s.task_id
				WHERE s.scenario_id = ? AND t.deleted_at IS NULL ORDER BY t.id`, ids[i])
		}
	}
	return all, err
}
