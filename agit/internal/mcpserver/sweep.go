package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// worktreeSweep notices changes that no commit to the registry shows: files edited in a worktree. When something changed it scans, and the
// scan commits what it found.
type worktreeSweep struct{ s *service }

// A sweep rests ten times as long as it took, and a second at least, so that
// watching costs a tenth of a core at most.
const (
	restShare = 10
	leastRest = time.Second
)

func (w worktreeSweep) Watch(ctx context.Context, heard func([]mcpkit.Change)) error {
	heard(nil)
	known := map[int64]bool{} // repositories that this watch has scanned whole
	for {
		began := time.Now()
		if err := w.sweep(ctx, known); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(restShare*time.Since(began), leastRest)):
		}
	}
}

func (w worktreeSweep) sweep(ctx context.Context, known map[int64]bool) error {
	repos, err := w.s.stores.Repos.List(ctx, 0)
	if err != nil {
		return err
	}
	for _, r := range repos {
		if r.WorktreeCount == 0 {
			continue // one alone may conflict with the default branch
		}
		err := w.look(ctx, r.Repo, known)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			w.s.Env.Logger().DebugContext(ctx, "watching worktrees", "error", err)
		}
	}
	return nil
}

// look scans a repository when something changed there. What a scan at a lesser
// depth, here or before this watch, has seen does not look changed any more
// though no client was notified; then it scans in any case.
func (w worktreeSweep) look(ctx context.Context, r repo.Repo, known map[int64]bool) error {
	_, partly := w.s.partly.LoadAndDelete(r.ID)
	if known[r.ID] && !partly {
		if changed, err := w.s.stores.Conflicts.Changed(ctx, r.ID); err != nil || !changed {
			return err
		}
	}
	_, err := w.s.stores.Conflicts.Scan(ctx, r.ID, conflict.Options{})
	known[r.ID] = err == nil
	return err
}
