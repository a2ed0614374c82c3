// Package sprint keeps sprints: those of a tracker (cycles, iterations) and those that local tickets name. No other package writes their
// table.
package sprint

import (
	"cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Statuses of a sprint.
const (
	Planned   = "planned"
	Active    = "active"
	Completed = "completed"
)

// Statuses lists them.
func Statuses() []string { return []string{Planned, Active, Completed} }

// Sprint is one sprint.
type Sprint struct {
	Row      int64           `json:"-"`
	ID       string          `json:"id"` // the tracker's
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	Goal     string          `json:"goal,omitempty"`
	StartsAt *timestamp.Time `json:"starts_at,omitempty"`
	EndsAt   *timestamp.Time `json:"ends_at,omitempty"`
	Provider string          `json:"provider"`
}

const columns = `id, remote_id, name, status, goal, starts_at, ends_at, provider`

func scan(row registry.Scanner) (s Sprint, err error) {
	return s, row.Scan(&s.Row, &s.ID, &s.Name, &s.Status, &s.Goal, &s.StartsAt, &s.EndsAt, &s.Provider)
}

// maxName is the length of a sprint's name in bytes.
const maxName = 200

// Put stores a sprint as it is at its tracker.
func Put(tx *registry.Tx, projectID int64, s Sprint) (Sprint, error) {
	s.Name = redact.Stored(text.Cut(s.Name, maxName))
	stamp := func(t *timestamp.Time) registry.Null[string] {
		if t == nil {
			return registry.Null[string]{}
		}
		return registry.Null[string]{V: registry.FormatTime(t.Time), Valid: true}
	}
	stored, err := scan(tx.QueryRow(`INSERT INTO sprints (uid, project_id, provider, remote_id, name, name_key, status, goal, starts_at, ends_at, created_at, updated_at, synced_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project_id, provider, remote_id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, status = excluded.status, goal = excluded.goal,
			starts_at = excluded.starts_at, ends_at = excluded.ends_at, updated_at = excluded.updated_at, synced_at = excluded.synced_at, gone_at = NULL
		RETURNING `+columns,
		registry.NewUID(), projectID, s.Provider, s.ID, s.Name, text.Key(s.Name), cmp.Or(s.Status, Planned), redact.Stored(s.Goal), stamp(s.StartsAt), stamp(s.EndsAt),
		tx.Stamp(), tx.Stamp(), tx.Stamp()))
	if err == nil {
		tx.Changed(registry.TopicTickets, projectID, "")
	}
	return stored, err
}

// Gone records that a tracker no longer has a sprint.
func Gone(tx *registry.Tx, projectID int64, provider, remoteID string) error {
	return tx.Do(`UPDATE sprints SET gone_at = ? WHERE project_id = ? AND provider = ? AND remote_id = ? AND gone_at IS NULL`, tx.Stamp(), projectID, provider, remoteID)
}

// Ensure returns the sprint of a provider by its id or name, and makes a new one; the tracker completes it later. A local ticket may also
// be in a sprint of the project's tracker, given by id or name. A local sprint that is made while none is active becomes active.
func Ensure(tx *registry.Tx, projectID int64, provider, remoteID, name string) (Sprint, error) {
	if provider == "local" {
		s, err := Find(tx, projectID, cmp.Or(remoteID, name))
		if !fault.Is(err, fault.KindNotFound) {
			return s, err
		}
	}
	where, value := `remote_id = ?`, remoteID
	if remoteID == "" {
		where, value = `name_key = ?`, text.Key(name)
	}
	s, err := scan(tx.QueryRow(`SELECT `+columns+` FROM sprints WHERE project_id = ? AND provider = ? AND `+where+` ORDER BY id DESC LIMIT 1`, projectID, provider, value))
	if !registry.NoRows(err) {
		return s, err
	}
	made := Sprint{ID: cmp.Or(remoteID, registry.NewUID()), Name: cmp.Or(name, remoteID), Provider: provider, Status: Planned}
	if provider == "local" {
		active, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM sprints WHERE project_id = ? AND status = 'active' AND gone_at IS NULL)`, projectID))
		if err != nil {
			return s, err
		}
		if !active {
			made.Status = Active
		}
	}
	return Put(tx, projectID, made)
}

// unfinished reports in SQL whether a sprint has an unfinished ticket.
const unfinished = `EXISTS (SELECT 1 FROM tickets t JOIN items i ON i.id = t.item_id WHERE t.sprint_id = sprints.id AND t.status_category NOT IN ('done', 'canceled') AND i.deleted_at IS NULL)`

// Advance completes the active local sprint of a project when its tickets are finished and another local sprint has some to do. The oldest
// of those becomes active.
func Advance(tx *registry.Tx, projectID int64) error {
	var active int64
	var next registry.Null[int64]
	err := tx.QueryRow(`SELECT id, (SELECT MIN(sprints.id) FROM sprints WHERE project_id = ? AND provider = 'local' AND status <> 'active' AND gone_at IS NULL AND `+unfinished+`)
		FROM sprints WHERE project_id = ? AND provider = 'local' AND status = 'active' AND gone_at IS NULL AND NOT `+unfinished, projectID, projectID).Scan(&active, &next)
	if registry.NoRows(err) || err == nil && !next.Valid {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE sprints SET status = CASE WHEN id = ? THEN 'active' ELSE 'completed' END, updated_at = ? WHERE id IN (?, ?)`, next.V, tx.Stamp(), active, next.V)
}

// Find returns a sprint of a project by its id or name.
func Find(tx *registry.Tx, projectID int64, idOrName string) (Sprint, error) {
	s, err := scan(tx.QueryRow(`SELECT `+columns+` FROM sprints WHERE project_id = ? AND gone_at IS NULL AND (remote_id = ? OR name_key = ?)
		ORDER BY CASE WHEN remote_id = ? THEN 0 ELSE 1 END, id DESC LIMIT 1`, projectID, idOrName, text.Key(idOrName), idOrName))
	if registry.NoRows(err) {
		return s, fault.NotFound("sprint", idOrName).WithHint("`pmsync sprint list` shows the sprints")
	}
	return s, err
}

// Current returns the sprint that runs now; of several, the one that ends first. It returns registry.ErrNoRows when none runs.
func Current(tx *registry.Tx, projectID int64) (Sprint, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM sprints WHERE project_id = ? AND status = 'active' AND gone_at IS NULL
		ORDER BY CASE WHEN ends_at IS NULL THEN 1 ELSE 0 END, ends_at, id DESC LIMIT 1`, projectID))
}

// List returns the sprints of a project, the newest first; status "" is any.
func List(tx *registry.Tx, projectID int64, status string) ([]Sprint, error) {
	return registry.Collect(tx, scan, `SELECT `+columns+` FROM sprints WHERE project_id = ? AND gone_at IS NULL AND (? = '' OR status = ?)
		ORDER BY CASE WHEN starts_at IS NULL THEN 0 ELSE 1 END, starts_at DESC, id DESC`, projectID, status, status)
}

// RemoteID returns a tracker's own id of its sprint with that name or id, "" when it has none. Of several with one name it takes the
// newest.
func RemoteID(tx *registry.Tx, projectID int64, provider, name string) (string, error) {
	id, err := registry.One[string](tx.QueryRow(`SELECT remote_id FROM sprints WHERE project_id = ? AND provider = ? AND gone_at IS NULL AND (name_key = ? OR remote_id = ?)
		ORDER BY id DESC LIMIT 1`, projectID, provider, text.Key(name), name))
	if registry.NoRows(err) {
		return "", nil
	}
	return id, err
}
