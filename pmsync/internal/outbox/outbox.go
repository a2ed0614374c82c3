// Package outbox keeps changes on their way to a tracker: in order for each ticket, at most so many, each with the tracker's value at the
// time it was made. It sends nothing: a push does, and moves the rows through this package alone.
package outbox

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Types of a change: the part of a ticket that it changes.
const (
	Status   = "status"
	Assignee = "assignee"
	Priority = "priority"
	Labels   = "labels"
	Comment  = "comment"
	Create   = "create"

	Title       = "title"
	Description = "description" // as Markdown
	Estimate    = "estimate"    // in points, "" for none
	Sprint      = "sprint"      // its name, "" for none
	Parent      = "parent"      // the id of the ticket above it, "" for none
	Link        = "link"        // a relation and the id of another ticket: "blocks SEM-4"

	custom = "field:" // prefix of a custom field's name
)

// Fields are the types of changes that set a field of a ticket at its tracker. Custom fields come on top.
var Fields = []string{Title, Description, Status, Assignee, Priority, Labels, Estimate, Sprint, Parent}

// Custom returns the type of a change of the named custom field.
func Custom(name string) string { return custom + name }

// CustomName returns the name of the custom field that a change of this type sets, "" for another type.
func CustomName(kind string) string {
	name, ok := strings.CutPrefix(kind, custom)
	if !ok {
		return ""
	}
	return name
}

// States of a change. Sending lasts from before the request until its answer is
// stored, so that a lost answer is noticed.
const (
	Pending  = "pending"
	Sending  = "sending"
	Synced   = "synced"
	Failed   = "failed"
	Conflict = "conflict"
	Canceled = "canceled"
)

// Change is one change that waits, or waited, to be sent.
type Change struct {
	Row       int64          `json:"-"`
	ID        string         `json:"id"`
	Item      int64          `json:"-"`
	Ticket    string         `json:"ticket"`
	Type      string         `json:"change_type"`
	Value     string         `json:"value"`
	Base      *string        `json:"base,omitempty"` // the tracker's value when it was made
	ClientID  string         `json:"-"`              // lets the tracker recognise a repeated request
	Status    string         `json:"status"`
	Attempts  int            `json:"attempts"`
	LastError string         `json:"last_error,omitempty"`
	RemoteID  string         `json:"remote_id,omitempty"` // of the comment or ticket that it made
	CreatedAt timestamp.Time `json:"created_at"`
	UpdatedAt timestamp.Time `json:"updated_at"`
	TriedAt   timestamp.Time `json:"last_attempt_at,omitzero"`
	NextAt    timestamp.Time `json:"next_attempt_at,omitzero"` // earliest time for an automatic push
}

const selection = `SELECT c.id, c.ref, c.item_id, i.ref, c.change_type, c.value, c.base, c.client_id, c.status, c.attempts, c.last_error, c.remote_id,
	c.created_at, c.updated_at, c.last_attempt_at, c.next_attempt_at FROM pending_changes c JOIN items i ON i.id = c.item_id `

func scan(row registry.Scanner) (c Change, err error) {
	var tried, next registry.Null[timestamp.Time]
	err = row.Scan(&c.Row, &c.ID, &c.Item, &c.Ticket, &c.Type, &c.Value, &c.Base, &c.ClientID, &c.Status, &c.Attempts, &c.LastError, &c.RemoteID, &c.CreatedAt, &c.UpdatedAt, &tried, &next)
	c.TriedAt, c.NextAt = tried.V, next.V
	return c, err
}

// New is a change to queue.
type New struct {
	ProjectID int64
	Item      int64
	Type      string
	Value     string
	Base      string // the tracker's value, as far as it is known; for a Create, the default priority that no one chose
	AgentID   int64
	Most      int // changes that may wait in a project
}

// Add queues a change. An unsent change of the same field takes the new value; it is canceled, and ok is false, when the tracker has that
// value. A change that waits in a conflict takes the new value too and stays in the conflict, unless the value is the one that both sides
// had: then this side no longer changes the field, and the next push takes the tracker's value. A full queue is a Conflict fault.
func Add(tx *registry.Tx, n New) (c Change, ok bool, err error) {
	n.Value = redact.Stored(n.Value)
	if n.Type != Comment && n.Type != Create && n.Type != Link { // a later change replaces an earlier one
		waiting, err := scan(tx.QueryRow(selection+`WHERE c.item_id = ? AND c.change_type = ? AND (c.status = 'pending' AND c.attempts = 0 OR c.status = 'conflict') ORDER BY c.id DESC LIMIT 1`, n.Item, n.Type))
		found, err := registry.Found(err)
		if err != nil || !found && n.Value == n.Base {
			return c, false, err
		}
		if found {
			return replace(tx, waiting, n)
		}
	}
	waiting, err := Count(tx, n.ProjectID)
	if err != nil {
		return c, false, err
	}
	if waiting >= n.Most {
		return c, false, fault.Conflict("change", "", "%d changes wait to be sent to the tracker, and no more are kept", waiting).
			WithHint("run `pmsync push` once the tracker can be reached")
	}
	ref, err := tx.FreeID("pending_changes", "c-")
	if err != nil {
		return c, false, err
	}
	var row int64
	err = tx.QueryRow(`INSERT INTO pending_changes (uid, ref, project_id, item_id, change_type, value, base, client_id, agent_id, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, registry.NewUID(), ref, n.ProjectID, n.Item, n.Type, n.Value, n.Base, clientID(),
		registry.NullIfZero(n.AgentID), tx.Stamp(), tx.Stamp()).Scan(&row)
	if err != nil {
		return c, false, err
	}
	tx.Changed(registry.TopicTickets, n.ProjectID, "")
	c, err = ByRow(tx, row)
	return c, err == nil, err
}

// replace changes the value of an unsent change.
func replace(tx *registry.Tx, waiting Change, n New) (c Change, ok bool, err error) {
	status, taken := Pending, waiting.Base != nil && *waiting.Base == n.Value
	switch {
	case waiting.Status == Conflict && !taken:
		status = Conflict
	case waiting.Status != Conflict && taken:
		status = Canceled
	}
	if err := tx.Do(`UPDATE pending_changes SET value = ?, status = ?, updated_at = ? WHERE id = ?`, n.Value, status, tx.Stamp(), waiting.Row); err != nil {
		return c, false, err
	}
	tx.Changed(registry.TopicTickets, n.ProjectID, "")
	c, err = ByRow(tx, waiting.Row)
	return c, status != Canceled && err == nil, err
}

// clientID returns a random UUID (version 4), the form in which trackers accept ids of their callers.
func clientID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Count returns how many changes of a project wait to be sent.
func Count(tx *registry.Tx, projectID int64) (int, error) {
	return registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM pending_changes WHERE project_id = ? AND status IN ('pending', 'sending', 'conflict')`, projectID))
}

// ByRow returns a change by its row.
func ByRow(tx *registry.Tx, row int64) (Change, error) {
	return scan(tx.QueryRow(selection+`WHERE c.id = ?`, row))
}

// Waiting returns the changes of a project that are not settled, in the order they
// were made.
func Waiting(tx *registry.Tx, projectID int64) ([]Change, error) {
	return registry.Collect(tx, scan, selection+`WHERE c.project_id = ? AND c.status IN ('pending', 'sending', 'conflict', 'failed') ORDER BY c.id`, projectID)
}

// OfItem returns the changes of a ticket that are not settled, in the order they were made.
func OfItem(tx *registry.Tx, itemID int64) ([]Change, error) {
	return registry.Collect(tx, scan, selection+`WHERE c.item_id = ? AND c.status IN ('pending', 'sending', 'conflict') ORDER BY c.id`, itemID)
}

// Settle records the outcome of an attempt to send a change: its new state, the id of what it made at the tracker, and what went wrong (""
// for nothing).
func Settle(tx *registry.Tx, row int64, status, remoteID, failure string) error {
	attempts, synced := 0, registry.Null[string]{}
	switch status {
	case Sending:
		attempts = 1
	case Synced:
		synced = registry.Null[string]{V: tx.Stamp(), Valid: true}
	}
	return tx.Do(`UPDATE pending_changes SET status = ?, remote_id = CASE WHEN ? = '' THEN remote_id ELSE ? END, last_error = ?, attempts = attempts + ?, next_attempt_at = NULL,
		last_attempt_at = CASE WHEN ? = 1 THEN ? ELSE last_attempt_at END, synced_at = ?, updated_at = ? WHERE id = ?`,
		status, remoteID, remoteID, redact.Stored(failure), attempts, attempts, tx.Stamp(), synced, tx.Stamp(), row)
}

// Note records why a change still waits, or why the outcome of a sent one is not known. Its state stays.
func Note(tx *registry.Tx, row int64, why string) error {
	return tx.Do(`UPDATE pending_changes SET last_error = ?, updated_at = ? WHERE id = ?`, redact.Stored(why), tx.Stamp(), row)
}

// longestPause bounds how long a change waits between two attempts.
const longestPause = time.Hour

// Pause schedules another attempt for a change: after a minute at first, later after each failure, up to an hour. It never drops a change,
// however often it is called.
func Pause(tx *registry.Tx, c Change, failure string) error {
	pause := min(time.Minute<<min(max(c.Attempts, 0), 6), longestPause)
	return tx.Do(`UPDATE pending_changes SET status = 'pending', last_error = ?, next_attempt_at = ?, updated_at = ? WHERE id = ?`,
		redact.Stored(failure), registry.FormatTime(tx.Now().Add(pause)), tx.Stamp(), c.Row)
}

// Due reports whether it is time for another attempt. A time further off than longestPause was written by a wrong clock, and counts as
// reached.
func (c Change) Due(now time.Time) bool {
	return c.NextAt.IsZero() || !now.Before(c.NextAt.Time) || c.NextAt.Sub(now) > longestPause
}

// Youngest returns when the most recent waiting change was made or changed, the zero time when none waits.
func Youngest(tx *registry.Tx, projectID int64) (time.Time, error) {
	at, err := registry.One[registry.Null[string]](tx.QueryRow(`SELECT MAX(updated_at) FROM pending_changes WHERE project_id = ? AND status = 'pending' AND attempts = 0`, projectID))
	if err != nil || !at.Valid {
		return time.Time{}, err
	}
	stamp, err := timestamp.Parse(at.V)
	return stamp.Time, err
}

// Rebase records the tracker's current value of a field as the base of the ticket's waiting changes of it.
func Rebase(tx *registry.Tx, itemID int64, kind, value string) error {
	return tx.Do(`UPDATE pending_changes SET base = ? WHERE item_id = ? AND change_type = ? AND status IN ('pending', 'sending', 'conflict')`,
		redact.Stored(value), itemID, kind)
}

// Release frees the changes of a field that a conflict held back, so that they are sent over the tracker's current value.
func Release(tx *registry.Tx, itemID int64, kind, base string) error {
	return tx.Do(`UPDATE pending_changes SET status = 'pending', base = ?, last_error = '', updated_at = ? WHERE item_id = ? AND change_type = ? AND status = 'conflict'`,
		redact.Stored(base), tx.Stamp(), itemID, kind)
}

// Strand refuses the waiting creations of a project that got another tracker: a retry makes the tickets there.
func Strand(tx *registry.Tx, projectID int64, why string) error {
	return tx.Do(`UPDATE pending_changes SET status = 'failed', last_error = ?, updated_at = ? WHERE project_id = ? AND change_type = 'create' AND status IN ('pending', 'sending')`,
		why, tx.Stamp(), projectID)
}

// unsettled selects the changes that need a person's attention: refused ones, until they are sent again, discarded or replaced by a later
// one, and waiting ones after a failed attempt.
const unsettled = `WHERE c.project_id = ? AND (c.status IN ('pending', 'sending') AND c.last_error <> '' OR c.status = 'failed' AND NOT EXISTS (
	SELECT 1 FROM pending_changes l WHERE l.item_id = c.item_id AND l.change_type = c.change_type AND l.id > c.id
	AND l.change_type NOT IN ('comment', 'link') AND l.status IN ('pending', 'sending', 'synced', 'conflict', 'failed'))) `

// Held returns at most so many changes of a project that could not be sent so far, the oldest first: those that the tracker refused, and
// those that wait for it. LastError holds each one's reason.
func Held(tx *registry.Tx, projectID int64, most int) ([]Change, error) {
	return registry.Collect(tx, scan, selection+unsettled+`ORDER BY c.id LIMIT ?`, projectID, most)
}

// Refused returns the changes of a project that the tracker refused and that are not settled. A non-empty id limits them to that change, or
// to the changes of that ticket.
func Refused(tx *registry.Tx, projectID int64, id string) ([]Change, error) {
	return registry.Collect(tx, scan, selection+unsettled+`AND c.status = 'failed' AND (? = '' OR LOWER(c.ref) = LOWER(?) OR LOWER(i.ref) = LOWER(?)) ORDER BY c.id`, projectID, id, id, id)
}

// Open returns the unsettled changes of a project, waiting or refused, whose own id or whose ticket's id is id. It returns a NotFound fault
// when there are none.
func Open(tx *registry.Tx, projectID int64, id string) ([]Change, error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE c.project_id = ? AND c.status IN ('pending', 'sending', 'conflict', 'failed') AND (LOWER(c.ref) = LOWER(?) OR LOWER(i.ref) = LOWER(?)) ORDER BY c.id`, projectID, id, id)
	if err == nil && len(all) == 0 {
		err = fault.NotFound("change", id).WithHint("`pmsync status` lists what waits and what was refused")
	}
	return all, err
}

// Again queues a refused change once more, over base: the value that the tracker has.
func Again(tx *registry.Tx, row int64, base string) error {
	return tx.Do(`UPDATE pending_changes SET status = 'pending', base = CASE WHEN change_type IN ('comment', 'create', 'link') THEN base ELSE ? END, last_error = '', attempts = 0,
		next_attempt_at = NULL, updated_at = ? WHERE id = ? AND status = 'failed'`, base, tx.Stamp(), row)
}
