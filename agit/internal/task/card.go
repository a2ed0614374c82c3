package task

import (
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Card is a task as a board shows it: without its text, since boards read ten thousand.
type Card struct {
	ID       string
	Name     string
	Status   string // as in a list
	Ready    bool   // anyone may claim it now
	Priority work.Priority
	Epic     string // id of the epic it is in
	Agent    string
	Changed  timestamp.Time
}

// Edge is a task that waits, or waited, for an item.
type Edge struct {
	Task, On string
	Holds    bool // it still waits
}

// Cards returns the tasks of a project, 0 for all, finished ones included, by age. Those of agents that have been silent for after are ready.
func Cards(tx *registry.Tx, projectID int64, after time.Duration) ([]Card, error) {
	where, args := ofProject(projectID)
	ready, asking, err := lease.Ready(tx, after, work.Ready, 0)
	if err != nil {
		return nil, err
	}
	return registry.Collect(tx, func(row registry.Scanner) (c Card, err error) {
		var blocked bool
		err = row.Scan(&c.ID, &c.Name, &c.Status, &c.Ready, &c.Priority, &c.Epic, &c.Agent, &c.Changed, &blocked)
		if blocked {
			c.Status = Blocked
		}
		return c, err
	}, `SELECT items.ref, items.title, items.status, CASE WHEN `+ready+` THEN 1 ELSE 0 END, items.priority, COALESCE(epic.ref, ''),
		COALESCE(agents.name, ''), items.updated_at, `+IsBlocked+`
		FROM items LEFT JOIN leases ON leases.item_id = items.id LEFT JOIN agents ON agents.id = COALESCE(leases.agent_id, items.assignee_agent_id)
		LEFT JOIN items epic ON epic.id = items.parent_id AND epic.kind = 'epic' AND epic.deleted_at IS NULL
		WHERE items.kind = 'task' AND items.deleted_at IS NULL`+where+` ORDER BY items.id`, append(asking, args...)...)
}

// Edges returns the items that the tasks of a project, 0 for all, wait or waited for.
func Edges(tx *registry.Tx, projectID int64) ([]Edge, error) {
	where, args := ofProject(projectID)
	return registry.Collect(tx, func(row registry.Scanner) (e Edge, err error) { return e, row.Scan(&e.Task, &e.On, &e.Holds) },
		`SELECT items.ref, b.ref, CASE WHEN `+work.Unresolved+` THEN 1 ELSE 0 END FROM dependencies d JOIN items ON items.id = d.target_id JOIN items b ON b.id = d.source_id
		WHERE d.relation = 'blocks' AND items.kind = 'task' AND items.deleted_at IS NULL AND b.deleted_at IS NULL`+where+` ORDER BY d.id`, args...)
}

func ofProject(projectID int64) (where string, args []any) {
	if projectID == 0 {
		return ``, nil
	}
	return ` AND items.project_id = ?`, []any{projectID}
}
