// Package tries keeps several tries of one task: each by a client in a worktree of its own, for one claim. A person compares what they
// show and accepts one; the others go to the trash then. It alone writes `tries`.
//
// tries.go has the rows, compare.go what people see side by side. Functions take the transaction of their caller; a Store is safe for
// concurrent use.
package tries

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// State is the state of a try.
type State string

// The states.
const (
	Running State = "running"
	Shown   State = "shown"  // it waits for a person
	Failed  State = "failed" // there is nothing to accept
	// Returned is a try that was shown, and that a person returned. It is read from its review.
	Returned State = "returned"
)

// Try is one try of a task.
type Try struct {
	ID         int64  `json:"-"`
	ProjectID  int64  `json:"-"`
	ItemID     int64  `json:"-"`
	WorktreeID int64  `json:"-"` // 0 before it has one
	Number     int    `json:"number"`
	Client     string `json:"client"`
	State      State  `json:"state"`
	Gate       string `json:"gate,omitempty"` // passed or failed; "" where none ran
	Why        string `json:"why,omitempty"`
}

// A shown try is as its worktree and the worktree's last review are by now.
const (
	state = `CASE WHEN t.state <> 'shown' THEN t.state WHEN COALESCE(w.status, 'trashed') IN ('completed', 'trashed') THEN 'failed'
		WHEN v.state = 'returned' THEN 'returned' ELSE t.state END`
	why = `CASE WHEN t.state <> 'shown' THEN t.why WHEN COALESCE(w.status, 'trashed') IN ('completed', 'trashed') THEN 'its worktree was removed'
		WHEN v.state = 'returned' THEN v.why ELSE t.why END`
	joins = ` LEFT JOIN worktrees w ON w.id = t.worktree_id LEFT JOIN reviews v ON v.id = (SELECT MAX(id) FROM reviews WHERE worktree_id = t.worktree_id) `
)

const (
	columns   = `t.id, t.project_id, t.item_id, COALESCE(t.worktree_id, 0), t.number, t.client, ` + state + `, t.gate, ` + why
	selection = `SELECT ` + columns + ` FROM tries t` + joins
)

func scan(row registry.Scanner) (t Try, err error) {
	err = row.Scan(&t.ID, &t.ProjectID, &t.ItemID, &t.WorktreeID, &t.Number, &t.Client, &t.State, &t.Gate, &t.Why)
	return t, err
}

// Of returns the tries of an item in order; none when there was no race.
func Of(tx *registry.Tx, itemID int64) ([]Try, error) {
	return registry.Collect(tx, scan, selection+`WHERE t.item_id = ? ORDER BY t.number`, itemID)
}

// In returns the tries of which a worktree is one, and its own try; none when it is not one.
func In(tx *registry.Tx, worktreeID int64) (all []Try, own Try, err error) {
	own, err = registry.OrZero(scan(tx.QueryRow(selection+`WHERE t.worktree_id = ? ORDER BY t.id DESC LIMIT 1`, worktreeID)))
	if err != nil || own.ID == 0 {
		return nil, own, err
	}
	all, err = Of(tx, own.ItemID)
	return all, own, err
}

// Underway is the condition that a worktree, its parameter, is one of several tries, and one of these has not ended.
const Underway = `EXISTS (SELECT 1 FROM tries own JOIN tries o ON o.item_id = own.item_id WHERE own.worktree_id = ? AND o.state = 'running')`

// Contested returns the open task of a try that does not land by itself, since another try has a folder or is the task's worktree, and
// whether the try waits for a person. The task is "" for any other worktree.
func Contested(tx *registry.Tx, worktreeID int64) (task string, shown bool, err error) {
	err = tx.QueryRow(`SELECT i.ref, `+state+` = 'shown' FROM tries t`+joins+`JOIN items i ON i.id = t.item_id
		WHERE t.worktree_id = ? AND i.status NOT IN ('completed', 'failed') AND (w.item_id IS NULL OR EXISTS (
		  SELECT 1 FROM tries o JOIN worktrees ow ON ow.id = o.worktree_id WHERE o.item_id = t.item_id AND o.id <> t.id AND ow.`+repo.LiveWorktree+`))
		ORDER BY t.id DESC LIMIT 1`, worktreeID).Scan(&task, &shown)
	_, err = registry.Found(err)
	return task, shown, err
}

// Begin makes the tries of an item, one for each client, the first in the given worktree. When tries exist that can go on, it returns those
// instead. Tries that have all failed or were returned go on in their worktrees, with the item's as that of the first. It forgets the tries
// of an earlier race when nothing is left of them.
func Begin(tx *registry.Tx, first worktree.Worktree, clients []string) ([]Try, error) {
	there, err := Of(tx, first.ItemID)
	if err != nil {
		return nil, err
	}
	has := func(s State) bool { return slices.ContainsFunc(there, func(t Try) bool { return t.State == s }) }
	if has(Running) {
		return there, nil
	}
	live, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM tries t JOIN worktrees w ON w.id = t.worktree_id
		WHERE t.item_id = ? AND w.id <> ? AND w.status NOT IN ('completed', 'trashed'))`, first.ItemID, first.ID))
	if err != nil {
		return nil, err
	}
	if live && (has(Shown) || len(there) != len(clients) && !has(Returned)) {
		return there, nil
	}
	if live {
		if err := tx.Do(`UPDATE tries SET state = 'running', gate = '', why = '', ended_at = NULL, worktree_id = CASE WHEN number = 1 THEN ?
			WHEN worktree_id IN (SELECT id FROM worktrees WHERE id <> ? AND `+repo.LiveWorktree+`) THEN worktree_id END WHERE item_id = ?`,
			first.ID, first.ID, first.ItemID); err != nil {
			return nil, err
		}
		return Of(tx, first.ItemID)
	}
	if err := tx.Do(`DELETE FROM tries WHERE item_id = ?`, first.ItemID); err != nil {
		return nil, err
	}
	for i, client := range clients {
		tree := int64(0)
		if i == 0 {
			tree = first.ID
		}
		if err := tx.Do(`INSERT INTO tries (project_id, item_id, worktree_id, number, client, state, begun_at) VALUES (?, ?, ?, ?, ?, 'running', ?)`,
			first.ProjectID, first.ItemID, registry.NullIfZero(tree), i+1, client, tx.Stamp()); err != nil {
			return nil, err
		}
	}
	return Of(tx, first.ItemID)
}

// SetWorktree sets the worktree of a try.
func SetWorktree(tx *registry.Tx, t Try, worktreeID int64) error {
	return tx.Do(`UPDATE tries SET worktree_id = ? WHERE id = ?`, worktreeID, t.ID)
}

// mostWhy bounds a reason.
const mostWhy = 1000

// End notes how a try ended, and the gate's result.
func End(tx *registry.Tx, t Try, state State, gate, why string) error {
	return tx.Do(`UPDATE tries SET state = ?, gate = ?, why = ?, ended_at = ? WHERE id = ?`, state, gate, text.Cut(why, mostWhy), tx.Stamp(), t.ID)
}

// Give makes the worktree of a try that of the task, instead of the previous one: its work is the task's then.
func Give(tx *registry.Tx, all []Try, own Try) error {
	for _, t := range all {
		if t.WorktreeID == 0 {
			continue
		}
		item := int64(0)
		if t.WorktreeID == own.WorktreeID {
			item = own.ItemID
		}
		if err := worktree.SetItem(tx, t.WorktreeID, item); err != nil {
			return err
		}
	}
	return nil
}
