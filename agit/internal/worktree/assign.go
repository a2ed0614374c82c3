package worktree

import (
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/registry"
)

// Unassign takes an agent's worktrees away from it and returns their refs; the worktrees stay.
func Unassign(tx *registry.Tx, agentID int64) ([]string, error) {
	refs, err := registry.Collect(tx, registry.One[string],
		`SELECT ref FROM worktrees WHERE agent_id = ? AND `+repo.LiveWorktree+` ORDER BY id`, agentID)
	if err != nil {
		return nil, err
	}
	if err := tx.Do(`UPDATE worktrees SET agent_id = NULL, updated_at = ? WHERE agent_id = ?`, tx.Time(), agentID); err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		tx.Changed(registry.TopicWorktrees, 0, "")
	}
	return refs, nil
}

// HandOver moves a worktree from one agent to another; a worktree that the first agent does not have stays as it is.
func HandOver(tx *registry.Tx, id, from, to int64) error {
	n, err := tx.Exec(`UPDATE worktrees SET agent_id = ?, updated_at = ? WHERE id = ? AND agent_id = ? AND `+repo.LiveWorktree,
		to, tx.Time(), id, from)
	if n > 0 {
		tx.Changed(registry.TopicWorktrees, 0, "")
	}
	return err
}

// OfTask returns the ref of a worktree that was made for an item and has a folder;
// "" when there is none.
func OfTask(tx *registry.Tx, itemID int64) (string, error) {
	return registry.OrZero(registry.One[string](tx.QueryRow(`SELECT ref FROM worktrees
		WHERE item_id = ? AND `+repo.LiveWorktree+` ORDER BY id LIMIT 1`, itemID)))
}

// Assign gives a worktree to an agent.
func Assign(tx *registry.Tx, id, agentID int64) error {
	return tx.Do(`UPDATE worktrees SET agent_id = ? WHERE id = ?`, agentID, id)
}

// SetItem links a worktree to the item that it was made for, or to none for 0.
func SetItem(tx *registry.Tx, id, itemID int64) error {
	return tx.Do(`UPDATE worktrees SET item_id = ? WHERE id = ?`, registry.NullIfZero(itemID), id)
}

// ForTask returns the worktree that an agent (0 for none) has for a task, so that a repeated call makes no second one. It leaves out the
// worktree except, and returns the zero worktree when it finds none.
func ForTask(tx *registry.Tx, repoID, itemID, agentID, except int64) (Worktree, error) {
	if itemID == 0 {
		return Worktree{}, nil
	}
	w, err := registry.OrZero(scan(tx.QueryRow(selection+`WHERE w.repo_id = ? AND w.item_id = ? AND COALESCE(w.agent_id, 0) = ? AND w.id <> ?
		AND w.`+repo.LiveWorktree+` ORDER BY w.id LIMIT 1`, repoID, itemID, agentID, except)))
	switch {
	case err != nil || w.ID == 0:
		return w, err
	case w.intent.op != "":
		return Worktree{}, busy(w)
	}
	w.Reused, w.Note = true, fmt.Sprintf("task %s has this worktree already; none was made", w.TaskID)
	return w, nil
}

// ForItem returns a worktree of an item that has a folder on this host: the agent's own first, else the newest. It returns the zero
// worktree when there is none.
func ForItem(tx *registry.Tx, repoID, itemID, agentID int64) (Worktree, error) {
	return registry.OrZero(scan(tx.QueryRow(selection+`WHERE w.repo_id = ? AND w.item_id = ? AND w.host = ? AND w.status IN ('active', 'stale', 'conflict')
		ORDER BY CASE WHEN w.agent_id = ? THEN 0 ELSE 1 END, w.id DESC LIMIT 1`, repoID, itemID, registry.Host(), agentID)))
}

// LeftBy returns the branch of the worktree of an item on this host that was removed last, without a merge; "" when there is none. The
// branch may be gone.
func LeftBy(tx *registry.Tx, repoID, itemID int64) (string, error) {
	return registry.OrZero(registry.One[string](tx.QueryRow(`SELECT branch FROM worktrees
		WHERE repo_id = ? AND item_id = ? AND host = ? AND status = 'trashed' ORDER BY finished_at DESC, id DESC LIMIT 1`, repoID, itemID, registry.Host())))
}
