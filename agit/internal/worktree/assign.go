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
