package task

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// HandOver moves a held task to another agent, with a new token; the former holder's token is no longer valid, and the task's worktree goes
// with it. An unknown agent name is registered.
func (s *Store) HandOver(ctx context.Context, id, to string, c Caller) (Task, error) {
	if to == "" {
		return Task{}, fault.Validation("to", "no agent is named to hand task %q over to", id).WithHint("name the one that goes on with it")
	}
	return s.change(ctx, id, c, toHandOver, func(tx *registry.Tx, a call) error {
		next, err := agent.Named(tx, to)
		if err != nil {
			return err
		}
		return a.handOver(tx, next)
	})
}

// handOver moves the claim, and the worktree that its holder has for it, to another agent.
func (a *call) handOver(tx *registry.Tx, to agent.Agent) (err error) {
	from := a.lease
	if from.AgentID == to.ID {
		return nil
	}
	if a.lease, err = lease.HandOver(tx, a.item, to, a.event("handed over")); err != nil {
		return err
	}
	tree, err := registry.One[registry.Null[int64]](tx.QueryRow(`SELECT worktree_id FROM tasks WHERE item_id = ?`, a.item.ID))
	if err != nil || !tree.Valid {
		return err
	}
	return worktree.HandOver(tx, tree.V, from.AgentID, to.ID)
}

// ReleaseHeldBy puts every task that an agent holds back into the queue, and returns their ids; actor is the one that releases them, for
// the history. Tasks that wait for a review stay, because the agent has finished them.
func ReleaseHeldBy(tx *registry.Tx, agentID int64, actor, why string) ([]string, error) {
	items, err := lease.HeldBy(tx, agentID)
	if err != nil {
		return nil, err
	}
	released := make([]string, 0, len(items))
	waiting, err := registry.Collect(tx, registry.One[int64], `SELECT item_id FROM items_in_review`)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if slices.Contains(waiting, item.ID) {
			continue
		}
		held, err := lease.Get(tx, item.ID)
		if err != nil {
			return nil, err
		}
		if err := giveBack(tx, &item, work.Event{Actor: actor, Why: why, Epoch: held.Token}); err != nil {
			return nil, err
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		released = append(released, item.Ref)
	}
	return released, nil
}

// LeaveRepo prepares the removal of a repository. Its tasks lose the repository if they have a history beyond their making, or if the
// project has another repository, here or on another host. It deletes the others. dryRun only counts.
func LeaveRepo(tx *registry.Tx, repoID int64, dryRun bool) (deleted, detached int, err error) {
	ids, err := registry.Collect(tx, registry.One[int64], `SELECT tasks.item_id FROM tasks JOIN items ON items.id = tasks.item_id
		WHERE tasks.repo_id = ? AND items.deleted_at IS NULL AND items.parent_id IS NULL AND items.origin_id IS NULL
		  AND NOT EXISTS (SELECT 1 FROM repos other WHERE other.project_id = items.project_id AND other.id <> tasks.repo_id AND other.removed_at IS NULL)
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
		if err := work.Delete(tx, id, work.Event{Why: "its repository was removed"}); err != nil {
			return 0, 0, err
		}
	}
	if err := tx.Do(`UPDATE tasks SET repo_id = NULL WHERE repo_id = ?`, repoID); err != nil {
		return 0, 0, err
	}
	if all > 0 {
		tx.Changed(registry.TopicTasks, 0, "")
	}
	return deleted, detached, nil
}
