package remove

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// MarkStale finds the worktrees without a change and without a live agent for
// Settings.StaleAfter and marks them, and unmarks those that came back to life.
// It returns how many rows changed.
func (s *Store) MarkStale(ctx context.Context, r repo.Repo) (changed int, err error) {
	g, err := r.Open()
	if err != nil {
		return 0, err
	}
	set := s.Trees.Settings(r)
	var list []worktree.Worktree
	var seen map[int64]timestamp.Time // when the worktrees' agents were last heard of
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		if list, err = worktree.List(tx, worktree.Filter{RepoID: r.ID}); err != nil {
			return err
		}
		seen, err = registry.Map[int64, timestamp.Time](tx, `SELECT w.id, a.last_seen_at FROM worktrees w JOIN agents a ON a.id = w.agent_id
			WHERE w.repo_id = ? AND a.removed_at IS NULL AND a.status <> 'disconnected'`, r.ID)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, w := range list {
		if w.Operation() != "" || w.Status != worktree.Active && w.Status != worktree.Stale || checkout.Gone(w.Path) {
			continue
		}
		before := time.Now().Add(-set.StaleAfter)
		status := worktree.Stale
		if seen[w.ID].After(time.Now().Add(-set.AgentStale)) || changedSince(ctx, g, w, before) {
			status = worktree.Active
		}
		if status == w.Status {
			continue
		}
		err := s.Trees.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
			return worktree.SetStatus(tx, w, status)
		})
		if err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// changedSince reports whether anything happened in a worktree since a time. It looks at git's entry first, which costs nothing, then at
// the changed files. When it cannot find out, it returns true.
func changedSince(ctx context.Context, g *git.Repo, w worktree.Worktree, since time.Time) bool {
	if w.CreatedAt.After(since) || newer(w.Path, since) {
		return true
	}
	tree, err := checkout.Open(g, w.Path)
	if err != nil {
		return true
	}
	for _, name := range []string{"HEAD", "index", "logs/HEAD", "COMMIT_EDITMSG"} {
		if newer(filepath.Join(tree.GitDir, filepath.FromSlash(name)), since) {
			return true
		}
	}
	entries, err := tree.Status(ctx)
	if err != nil {
		return true
	}
	for _, e := range entries {
		if newer(filepath.Join(w.Path, filepath.FromSlash(e.Path)), since) {
			return true
		}
	}
	return false
}

func newer(path string, than time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().After(than)
}
