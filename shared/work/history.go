package work

import (
	"slices"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Event is one change of an item: who changed which field, from what to what,
// and why.
type Event struct {
	Seq   int64          `json:"seq"`
	At    timestamp.Time `json:"at"`
	Agent int64          `json:"-"`
	Name  string         `json:"agent,omitempty"`
	Actor string         `json:"actor,omitempty"` // who, where it was not an agent: "merge", "sweep"
	Field string         `json:"field"`
	Old   string         `json:"old,omitempty"`
	New   string         `json:"new,omitempty"`
	Why   string         `json:"why,omitempty"`
	Epoch int64          `json:"claim_token,omitempty"`
}

// PresentEpoch as the Epoch of an event that is recorded stands for the token of the item's lease at that moment.
const PresentEpoch = -1

// Record appends an event to an item's history, with its secrets taken out.
func Record(tx *registry.Tx, itemID int64, e Event) error {
	e.Old, e.New, e.Why = redact.Stored(e.Old), redact.Stored(e.New), redact.Stored(e.Why)
	epoch, of := `?`, any(registry.NullIfZero(e.Epoch))
	if e.Epoch == PresentEpoch {
		epoch, of = `(SELECT epoch FROM leases WHERE leases.item_id = ?)`, itemID
	}
	return tx.Do(`INSERT INTO item_history (item_id, at, agent_id, actor, field, old, new, why, epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, `+epoch+`)`, itemID, tx.Stamp(), registry.NullIfZero(e.Agent), e.Actor,
		e.Field, registry.NullIfZero(e.Old), registry.NullIfZero(e.New), e.Why, of)
}

const eventColumns = `h.id, h.at, a.name, h.actor, h.field, h.old, h.new, h.why, h.epoch`

// scan reads eventColumns, and any columns after them into more.
func (e *Event) scan(row registry.Scanner, more ...any) error {
	return row.Scan(append([]any{&e.Seq, &e.At, registry.Nullable(&e.Name), &e.Actor, &e.Field,
		registry.Nullable(&e.Old), registry.Nullable(&e.New), &e.Why, registry.Nullable(&e.Epoch)}, more...)...)
}

// History returns an item's events, oldest first.
func History(tx *registry.Tx, itemID int64) ([]Event, error) {
	return registry.Collect(tx, func(row registry.Scanner) (e Event, err error) { return e, e.scan(row) }, `SELECT `+eventColumns+`
		FROM item_history h LEFT JOIN agents a ON a.id = h.agent_id WHERE h.item_id = ? ORDER BY h.id`, itemID)
}

// Logged is an event with the item that it happened to.
type Logged struct {
	Event
	Item    string `json:"id"`
	Title   string `json:"title"`
	Kind    Kind   `json:"kind"`
	Project string `json:"project"`
}

// LogFilter narrows the log of events.
type LogFilter struct {
	ProjectID int64 // 0 for every project
	After     int64 // the last Seq seen
	Limit     int   // 0 for all
}

// Log returns the events of items of every kind after a point, oldest first. With Limit and no After, it returns the newest Limit events.
func Log(tx *registry.Tx, f LogFilter) ([]Logged, error) {
	order, limit := ``, ``
	args := []any{f.After}
	where := ``
	if f.ProjectID != 0 {
		where, args = ` AND i.project_id = ?`, append(args, f.ProjectID)
	}
	if f.Limit > 0 {
		limit, args = ` LIMIT ?`, append(args, f.Limit)
	}
	if f.Limit > 0 && f.After == 0 {
		order = ` DESC`
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (l Logged, err error) {
		return l, l.scan(row, &l.Item, &l.Title, &l.Kind, &l.Project)
	}, `SELECT `+eventColumns+`, i.ref, i.title, i.kind, p.uid
		FROM item_history h JOIN items i ON i.id = h.item_id JOIN projects p ON p.id = i.project_id LEFT JOIN agents a ON a.id = h.agent_id
		WHERE h.id > ?`+where+` ORDER BY h.id`+order+limit, args...)
	if order != "" {
		slices.Reverse(all)
	}
	return all, err
}
