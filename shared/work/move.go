package work

import (
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Move is a change of an item's status.
type Move struct {
	Status string
	State  State
	Event  Event // who and why; SetStatus fills in the field and the values
}

// SetStatus moves an item and records it in its history. started_at is set when the item becomes active with the status in_progress,
// finished_at when it is done or dropped; both are cleared when it opens again.
func SetStatus(tx *registry.Tx, item *Item, m Move) error {
	if item.State == StateDropped && item.OriginID != 0 && m.State != StateDropped {
		if err := takenUp(tx, item.OriginID); err != nil {
			return err
		}
	}
	started, finished := item.StartedAt, item.FinishedAt
	switch {
	case m.State == StateOpen:
		started, finished = time.Time{}, time.Time{}
	case m.Status == "in_progress" && started.IsZero():
		started = tx.Now()
	case m.State == StateDone || m.State == StateDropped:
		finished = tx.Now()
	}
	const update = `UPDATE items SET status = ?, state = ?, started_at = ?, finished_at = ?, updated_at = ?, version = version + 1 WHERE id = ?`
	args := []any{m.Status, m.State, stored(started), stored(finished), tx.Stamp(), item.ID}
	was, is := Resolves(item.Kind, item.State), Resolves(item.Kind, m.State)
	var deleted bool
	var err error
	if was == is {
		err = tx.Do(update, args...)
	} else {
		deleted, err = registry.One[bool](tx.QueryRow(update+` RETURNING deleted_at IS NOT NULL`, args...))
	}
	if err != nil {
		return err
	}
	m.Event.Field, m.Event.Old, m.Event.New = "status", item.Status, m.Status
	item.Status, item.State, item.StartedAt, item.FinishedAt, item.UpdatedAt = m.Status, m.State, started, finished, tx.Now()
	if err := Record(tx, item.ID, m.Event); err != nil {
		return err
	}
	switch {
	case deleted: // it blocks nothing, whatever its state
	case is && !was:
		return holdBlocked(tx, item.ID, -1)
	case was && !is:
		return holdBlocked(tx, item.ID, +1)
	}
	return nil
}

func stored(t time.Time) registry.Null[string] {
	if t.IsZero() {
		return registry.Null[string]{}
	}
	return registry.Null[string]{V: registry.FormatTime(t), Valid: true}
}

// Assign sets the agent that an item is meant for, or was done by; 0 is none.
func Assign(tx *registry.Tx, itemID, agentID int64) error {
	return tx.Do(`UPDATE items SET assignee_agent_id = ? WHERE id = ?`, registry.NullIfZero(agentID), itemID)
}

// AssignPerson sets the person at a tracker to whom an item is assigned, by any name or id; "" is none. An agent of that name is assigned
// too, so that it is offered its own work.
func AssignPerson(tx *registry.Tx, itemID int64, person string) error {
	key := text.Key(person)
	return tx.Do(`UPDATE items SET assignee = ?, assignee_agent_id = (SELECT id FROM agents WHERE name_key = ? AND removed_at IS NULL) WHERE id = ?`,
		registry.NullIfZero(key), key, itemID)
}

// SetOwnNames sets the names of the registry's user in a project, as one source reports them: "user" for the user's own statement,
// "tracker" for the account at the tracker.
func SetOwnNames(tx *registry.Tx, projectID int64, source string, names []string) error {
	if err := tx.Do(`DELETE FROM own_names WHERE project_id = ? AND source = ?`, projectID, source); err != nil {
		return err
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := tx.Do(`INSERT INTO own_names (project_id, name_key, name, source) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			projectID, text.Key(name), name, source); err != nil {
			return err
		}
	}
	return nil
}

// OwnNames returns the names that the registry's user has in a project.
func OwnNames(tx *registry.Tx, projectID int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT name FROM own_names WHERE project_id = ? ORDER BY name_key`, projectID)
}

// Rename changes an item's ref, for instance when its tracker moved it. A deleted item with that ref loses it; an existing one makes it
// a Conflict fault.
func Rename(tx *registry.Tx, item *Item, ref string, by Event) error {
	if item.Ref == ref {
		return nil
	}
	ref, err := text.Name("key", ref)
	if err != nil {
		return err
	}
	if err := FreeKey(tx, item.ProjectID, item.Kind, ref); err != nil {
		return err
	}
	err = tx.Attempt(func() error {
		return tx.Do(`UPDATE items SET ref = ?, ref_key = ?, updated_at = ?, version = version + 1 WHERE id = ?`, ref, text.Key(ref), tx.Stamp(), item.ID)
	})
	if registry.IsDuplicate(err) {
		return fault.Conflict(string(item.Kind), ref, "the key %q is another %s's in this project", ref, item.Kind).WithHint("choose another key")
	}
	if err != nil {
		return err
	}
	by.Field, by.Old, by.New = "key", item.Ref, ref
	item.Ref = ref
	return Record(tx, item.ID, by)
}

// FreeKey takes a ref away from a deleted item of a project.
func FreeKey(tx *registry.Tx, projectID int64, kind Kind, ref string) error {
	return tx.Do(`UPDATE items SET ref = ref || '~' || uid, ref_key = ref_key || '~' || uid
		WHERE project_id = ? AND kind = ? AND ref_key = ? AND deleted_at IS NOT NULL`, projectID, kind, text.Key(ref))
}

// Revive brings a deleted item back as it was: the items that waited for it wait again.
func Revive(tx *registry.Tx, itemID int64, by Event) error {
	n, err := tx.Exec(`UPDATE items SET deleted_at = NULL, updated_at = ? WHERE id = ? AND deleted_at IS NOT NULL`, tx.Stamp(), itemID)
	if err != nil || n == 0 {
		return err
	}
	item, err := ByID(tx, itemID)
	if err != nil {
		return err
	}
	if err := holdBehind(tx, item, +1); err != nil {
		return err
	}
	by.Field, by.Old, by.New = "deleted", "deleted", ""
	return Record(tx, itemID, by)
}

// Delete leaves a tombstone: the row stays for references to it. Items that waited for it, or were held because it was, no longer wait. by
// holds who deletes it and why.
func Delete(tx *registry.Tx, itemID int64, by Event) error {
	item, err := ByID(tx, itemID)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`UPDATE items SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS NULL`, tx.Stamp(), tx.Stamp(), itemID)
	if err != nil || n == 0 {
		return err
	}
	if err := holdBehind(tx, item, -1); err != nil {
		return err
	}
	by.Field, by.New = "deleted", "deleted"
	return Record(tx, itemID, by)
}

// Order puts an item at a place in the manual order of its list; items at equal places are in the order of the queue.
func Order(tx *registry.Tx, itemID int64, place int) error {
	return tx.Do(`UPDATE items SET order_index = ?, updated_at = ? WHERE id = ?`, place, tx.Stamp(), itemID)
}
