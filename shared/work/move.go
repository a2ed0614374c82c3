package work

import (
	"time"

	"github.com/agit-suite/agit/shared/registry"
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
	if _, err := tx.Exec(`UPDATE items SET status = ?, state = ?, started_at = ?, finished_at = ?, updated_at = ?, version = version + 1 WHERE id = ?`,
		m.Status, m.State, stored(started), stored(finished), tx.Stamp(), item.ID); err != nil {
		return err
	}
	was := Resolves(item.Kind, item.State)
	m.Event.Field, m.Event.Old, m.Event.New = "status", item.Status, m.Status
	item.Status, item.State, item.StartedAt, item.FinishedAt, item.UpdatedAt = m.Status, m.State, started, finished, tx.Now()
	if err := Record(tx, item.ID, m.Event); err != nil {
		return err
	}
	switch is := Resolves(item.Kind, item.State); {
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

// Assign says who an item is meant for, or was done by; 0 is nobody in particular.
func Assign(tx *registry.Tx, itemID, agentID int64) error {
	_, err := tx.Exec(`UPDATE items SET assignee_agent_id = ? WHERE id = ?`, registry.NullIfZero(agentID), itemID)
	return err
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
