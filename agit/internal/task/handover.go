package task

import (
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// ReleaseHeldBy gives every task an agent holds back to the queue and says
// which they were.
func ReleaseHeldBy(tx *registry.Tx, agentID int64, why string) ([]string, error) {
	items, err := lease.HeldBy(tx, agentID)
	if err != nil {
		return nil, err
	}
	released := make([]string, 0, len(items))
	for _, item := range items {
		held, err := lease.Get(tx, item.ID)
		if err != nil {
			return nil, err
		}
		if err := giveBack(tx, &item, held, why); err != nil {
			return nil, err
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		released = append(released, item.Ref)
	}
	return released, nil
}

// LeaveRepo prepares the removal of a repository: tasks that have a history
// beyond their making only lose their repository, others are deleted. dryRun
// counts alone.
func LeaveRepo(tx *registry.Tx, repoID int64, dryRun bool) (deleted, detached int, err error) {
	ids, err := registry.Collect(tx, registry.One[int64], `SELECT tasks.item_id FROM tasks JOIN items ON items.id = tasks.item_id
		WHERE tasks.repo_id = ? AND items.deleted_at IS NULL AND items.parent_id IS NULL AND items.origin_id IS NULL
		  AND NOT EXISTS (SELECT 1 FROM dependencies WHERE dependencies.source_id = items.id OR dependencies.target_id = items.id)
		  AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.item_id = items.id)
		  AND (SELECT COUNT(*) FROM item_history WHERE item_history.item_id = items.id) <= 1`, repoID)
	if err != nil {
		return 0, 0, err
	}
	all, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM tasks WHERE repo_id = ?`, repoID))
	if err != nil {
		return 0, 0, err
	}
	deleted, detached = len(ids), all-len(ids)
	if dryRun {
		return deleted, detached, nil
	}
	for _, id := range ids {
		if err := work.Delete(tx, id); err != nil {
			return 0, 0, err
		}
	}
	if _, err := tx.Exec(`UPDATE tasks SET repo_id = NULL WHERE repo_id = ?`, repoID); err != nil {
		return 0, 0, err
	}
	if all > 0 {
		tx.Changed(registry.TopicTasks, 0, "")
	}
	return deleted, detached, nil
}
