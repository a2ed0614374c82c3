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
	Event  Event // who and why; field and values are filled in here
}

// SetStatus moves an item and notes it in its history. started_at is set when
// the item becomes active in the word in_progress, finished_at when it is done
// or dropped; both are cleared when it opens again.
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
	deleted, err := registry.One[bool](tx.QueryRow(`UPDATE items SET status = ?, state = ?, started_at = ?, finished_at = ?, updated_at = ?, version = version + 1 WHERE id = ?
		RETURNING deleted_at IS NOT NULL`, m.Status, m.State, stored(started), stored(finished), tx.Stamp(), item.ID))
	if err != nil {
		return err
	}
	was := Resolves(item.Kind, item.State)
	m.Event.Field, m.Event.Old, m.Event.New = "status", item.Status, m.Status
	item.Status, item.State, item.StartedAt, item.FinishedAt, item.UpdatedAt = m.Status, m.State, started, finished, tx.Now()
	if err := Record(tx, item.ID, m.Event); err != nil {
		return err
	}
	switch is := Resolves(item.Kind, item.State); {
	case deleted: // it blocks nothing, whatever it is
	case is && !was:
		return release(tx, item.ID)
	case was && !is:
		return hold(tx, item.ID)
	}
	return nil
}

func stored(t time.Time) registry.Null[string] {
	if t.IsZero() {
		return registry.Null[string]{}
	}
	return registry.Null[string]{V: registry.FormatTime(t), Valid: true}
}

// Assign says who an item is meant for, or was done by; 0 is no one in particular.
func Assign(tx *registry.Tx, itemID, agentID int64) error {
	return tx.Do(`UPDATE items SET assignee_agent_id = ? WHERE id = ?`, registry.NullIfZero(agentID), itemID)
}

// AssignPerson says which person at a tracker an item is assigned to, by any name
// or id; "" is none. An agent of that name is assigned it too, so that its own
// work is offered to it.
func AssignPerson(tx *registry.Tx, itemID int64, person string) error {
	key := text.Key(person)
	return tx.Do(`UPDATE items SET assignee = ?, assignee_agent_id = (SELECT id FROM agents WHERE name_key = ? AND removed_at IS NULL) WHERE id = ?`,
		registry.NullIfZero(key), key, itemID)
}

// SetOwnNames says under which names the registry's user is known in a project, as
// far as one source knows: "user" for what a person said, "tracker" for the
// account that a tracker sees.
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

// OwnNames are the names that the registry's user has in a project.
func OwnNames(tx *registry.Tx, projectID int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT name FROM own_names WHERE project_id = ? ORDER BY name_key`, projectID)
}

// Rename gives an item another ref, for instance when its tracker moved it. A
// deleted item that has the ref gives it up; one that is there is a Conflict fault.
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

// FreeKey takes a ref from a deleted item of a project that still has it.
func FreeKey(tx *registry.Tx, projectID int64, kind Kind, ref string) error {
	return tx.Do(`UPDATE items SET ref = ref || '~' || uid, ref_key = ref_key || '~' || uid
		WHERE project_id = ? AND kind = ? AND ref_key = ? AND deleted_at IS NOT NULL`, projectID, kind, text.Key(ref))
}

// Revive brings a deleted item back as it was: what waits for it waits again.
func Revive(tx *registry.Tx, itemID int64, by Event) error {
	n, err := tx.Exec(`UPDATE items SET deleted_at = NULL, updated_at = ? WHERE id = ? AND deleted_at IS NOT NULL`, tx.Stamp(), itemID)
	if err != nil || n == 0 {
		return err
	}
	item, err := ByID(tx, itemID)
	if err != nil {
		return err
	}
	if item.Holds > 0 {
		if err := holdChildren(tx, []int64{itemID}, +1); err != nil {
			return err
		}
	}
	if !Resolves(item.Kind, item.State) {
		if err := hold(tx, itemID); err != nil {
			return err
		}
	}
	by.Field, by.Old, by.New = "deleted", "deleted", ""
	return Record(tx, itemID, by)
}

// Delete leaves a tombstone: the row stays for whatever points at it. What
// waited for it, or was held because it was, waits no longer. by says who and why.
func Delete(tx *registry.Tx, itemID int64, by Event) error {
	item, err := ByID(tx, itemID)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`UPDATE items SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS NULL`, tx.Stamp(), tx.Stamp(), itemID)
	if err != nil || n == 0 {
		return err
	}
	if item.Holds > 0 {
		if err := holdChildren(tx, []int64{itemID}, -1); err != nil {
			return err
		}
	}
	if !Resolves(item.Kind, item.State) {
		if err := release(tx, itemID); err != nil {
			return err
		}
	}
	by.Field, by.New = "deleted", "deleted"
	return Record(tx, itemID, by)
}

// Order puts an item at a place in the manual order of its list; equal places are
// in the order of the queue.
func Order(tx *registry.Tx, itemID int64, place int) error {
	return tx.Do(`UPDATE items SET order_index = ?, updated_at = ? WHERE id = ?`, place, tx.Stamp(), itemID)
}
