package worktreetest

import (
	"sync"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Tasks is an owner of tasks that knows one: T-1. It refuses a worktree for the task "taken".
type Tasks struct {
	Item int64 // what T-1 is

	Merges, Spawns []string // worktrees that it was called with
	mu             sync.Mutex
}

// Resolve knows T-1.
func (k *Tasks) Resolve(_ *registry.Tx, _ repo.Repo, task, _ string) (int64, error) {
	if task == "T-1" {
		return k.Item, nil
	}
	return 0, nil
}

// Spawned notes the worktree, and makes no task.
func (k *Tasks) Spawned(_ *registry.Tx, w worktree.Worktree) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Spawns = append(k.Spawns, w.Ref)
	if w.Task == "taken" {
		return "", fault.Conflict("task", "t", "task is claimed by another")
	}
	return "", nil
}

// Merged notes the worktree.
func (k *Tasks) Merged(_ *registry.Tx, w worktree.Worktree, _ string) (string, error) {
	k.Merges = append(k.Merges, w.Ref)
	return "", nil
}
