package work

import (
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

// Event is one change of an item: who changed which field, from what to what,
// and why.
type Event struct {
	Seq   int64     `json:"seq"`
	At    time.Time `json:"at"`
	Agent int64     `json:"-"`
	Name  string    `json:"agent,omitempty"`
	Actor string    `json:"actor,omitempty"` // who, where it was no agent: "merge", "sweep"
	Field string    `json:"field"`
	Old   string    `json:"old,omitempty"`
	New   string    `json:"new,omitempty"`
	Why   string    `json:"why,omitempty"`
	Epoch int64     `json:"claim_token,omitempty"`
}

// Record appends to an item's history.
func Record(tx *registry.Tx, itemID int64, e Event) error {
	_, err := tx.Exec(`INSERT INTO item_history (item_id, at, agent_id, actor, field, old, new, why, epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, itemID, tx.Stamp(), registry.NullIfZero(e.Agent), e.Actor,
		e.Field, registry.NullIfZero(e.Old), registry.NullIfZero(e.New), e.Why, registry.NullIfZero(e.Epoch))
	return err
}

// History gives an item's events, oldest first.
func History(tx *registry.Tx, itemID int64) ([]Event, error) {
	return registry.Collect(tx, func(row registry.Scanner) (e Event, err error) {
		var at string
		var name, old, new registry.Null[string]
		var epoch registry.Null[int64]
		if err = row.Scan(&e.Seq, &at, &name, &e.Actor, &e.Field, &old, &new, &e.Why, &epoch); err != nil {
			return e, err
		}
		e.Name, e.Old, e.New, e.Epoch = name.V, old.V, new.V, epoch.V
		e.At, err = registry.ParseTime(at)
		return e, err
	}, `SELECT h.id, h.at, a.name, h.actor, h.field, h.old, h.new, h.why, h.epoch
		FROM item_history h LEFT JOIN agents a ON a.id = h.agent_id WHERE h.item_id = ? ORDER BY h.id`, itemID)
}
