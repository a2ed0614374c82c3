package worktree

import "github.com/agit-suite/agit/shared/registry"

// Unassign takes an agent from the worktrees it was given and says which they
// are; the worktrees stay.
func Unassign(tx *registry.Tx, agentID int64) ([]string, error) {
	refs, err := registry.Collect(tx, registry.One[string],
		`SELECT ref FROM worktrees WHERE agent_id = ? AND status NOT IN ('completed', 'trashed') ORDER BY id`, agentID)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(`UPDATE worktrees SET agent_id = NULL, updated_at = ? WHERE agent_id = ?`, tx.Stamp(), agentID); err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		tx.Changed(registry.TopicWorktrees, 0, "")
	}
	return refs, nil
}

// HandOver returns a worktree that one agent has to another; one that is not the
// first one's stays as it is.
func HandOver(tx *registry.Tx, id, from, to int64) error {
	n, err := tx.Exec(`UPDATE worktrees SET agent_id = ?, updated_at = ? WHERE id = ? AND agent_id = ? AND status NOT IN ('completed', 'trashed')`,
		to, tx.Stamp(), id, from)
	if n > 0 {
		tx.Changed(registry.TopicWorktrees, 0, "")
	}
	return err
}

// OfTask returns the ref of a worktree that was made for an item and has a folder;
// "" when there is none.
func OfTask(tx *registry.Tx, itemID int64) (string, error) {
	ref, err := registry.One[string](tx.QueryRow(`SELECT ref FROM worktrees WHERE item_id = ? AND status NOT IN ('completed', 'trashed') ORDER BY id LIMIT 1`, itemID))
	if registry.NoRows(err) {
		return "", nil
	}
	return ref, err
}
