package graph

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// EpicStatuses are the statuses of an epic.
var EpicStatuses = []string{"pending", "in_progress", "completed"}

// EpicStatus is an epic's status as an SQL expression on items: the status set by hand, otherwise one derived from its tasks. It is
// pending when no task has begun, completed when all are completed, and in progress otherwise.
const EpicStatus = `CASE WHEN (SELECT by_hand FROM epics WHERE epics.item_id = items.id) = 1 THEN items.status ELSE
	(SELECT CASE WHEN COUNT(*) = 0 OR SUM(CASE WHEN part.state = 'open' THEN 1 ELSE 0 END) = COUNT(*) THEN 'pending'
	   WHEN SUM(CASE WHEN part.state = 'done' THEN 1 ELSE 0 END) = COUNT(*) THEN 'completed' ELSE 'in_progress' END
	 FROM items part WHERE part.parent_id = items.id AND part.kind = 'task' AND part.deleted_at IS NULL) END`

// Epic is a collection of tasks.
type Epic struct {
	ID          string        `json:"epicId"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Status      string        `json:"status"`
	Priority    work.Priority `json:"priority"`
	Project     string        `json:"projectId"`
	Tasks       int           `json:"tasks"`
	Completed   int           `json:"completed"`
}

// NewEpic describes an epic to be created.
type NewEpic struct {
	ID, Project, Name, Description string
	Priority                       work.Priority
	Agent                          string
}

const epicSelection = `SELECT ` + work.Columns + `, ` + EpicStatus + `, projects.uid,
	(SELECT COUNT(*) FROM items t WHERE t.parent_id = items.id AND t.kind = 'task' AND t.deleted_at IS NULL),
	(SELECT COUNT(*) FROM items t WHERE t.parent_id = items.id AND t.kind = 'task' AND t.deleted_at IS NULL AND t.state = 'done')
	FROM items JOIN projects ON projects.id = items.project_id WHERE items.kind = 'epic' AND items.deleted_at IS NULL`

func scanEpic(row registry.Scanner) (e Epic, err error) {
	item, err := work.Scan(row, &e.Status, &e.Project, &e.Tasks, &e.Completed)
	e.ID, e.Name, e.Description, e.Priority = item.Ref, item.Title, rest(item), item.Priority
	return e, err
}

// CreateEpic creates an epic. It makes an id when n has none.
func (s *Store) CreateEpic(ctx context.Context, n NewEpic) (Epic, error) {
	return write(ctx, s, n.Agent, func(tx *registry.Tx, by int64) (Epic, error) {
		item, err := makeEpic(tx, n, by)
		if err != nil {
			return Epic{}, err
		}
		return scanEpic(tx.QueryRow(epicSelection+` AND items.id = ?`, item.ID))
	})
}

func makeEpic(tx *registry.Tx, n NewEpic, by int64) (work.Item, error) {
	p, err := project.Get(tx, n.Project)
	if err == nil {
		err = tx.In(p.ID)
	}
	if err != nil {
		return work.Item{}, err
	}
	item, err := work.Create(tx, work.NewItem{
		ProjectID: p.ID, Kind: work.KindEpic, Ref: n.ID, Prefix: "e-", Text: body(n.Name, n.Description), Status: "pending", Priority: n.Priority, By: by,
	})
	if err != nil {
		return item, err
	}
	if err := tx.Do(`INSERT INTO epics (item_id) VALUES (?)`, item.ID); err != nil {
		return item, err
	}
	tx.Changed(registry.TopicTasks, p.ID, item.Ref)
	return item, nil
}

// Epics returns the epics of a project ("" for all), oldest first.
func (s *Store) Epics(ctx context.Context, projectID string) ([]Epic, error) {
	return listed(ctx, s, projectID, func(tx *registry.Tx, where string, args ...any) ([]Epic, error) {
		return registry.Collect(tx, scanEpic, epicSelection+where+` ORDER BY items.id`, args...)
	})
}

// SetEpicStatus sets an epic's status by hand; "" derives it from the tasks again.
func (s *Store) SetEpicStatus(ctx context.Context, id, status, agentName string) (Epic, error) {
	return write(ctx, s, agentName, func(tx *registry.Tx, by int64) (Epic, error) {
		item, err := find(tx, work.KindEpic, "epicId", id)
		if err == nil {
			err = setEpicStatus(tx, item, status, by)
		}
		if err != nil {
			return Epic{}, err
		}
		return scanEpic(tx.QueryRow(epicSelection+` AND items.id = ?`, item.ID))
	})
}

func setEpicStatus(tx *registry.Tx, item work.Item, status string, by int64) error {
	if status != "" && !slices.Contains(EpicStatuses, status) {
		return fault.Validation("status", "epic status %q is not known", status).WithHint("use pending, in_progress or completed, or auto to follow its tasks")
	}
	byHand := 0
	if status != "" {
		byHand = 1
		states := map[string]work.State{"pending": work.StateOpen, "in_progress": work.StateActive, "completed": work.StateDone}
		if err := work.SetStatus(tx, &item, work.Move{Status: status, State: states[status], Event: work.Event{Agent: by, Why: "set by hand"}}); err != nil {
			return err
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	return tx.Do(`UPDATE epics SET by_hand = ? WHERE item_id = ?`, byHand, item.ID)
}
