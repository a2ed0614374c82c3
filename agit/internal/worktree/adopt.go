package worktree

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Adopt registers a folder that exists as a worktree of a repository, with the fields Path, Branch, Base, Status and Maker of w, and
// its Ref unless that is empty. more, which may be nil, runs in the same transaction.
func (s *Store) Adopt(ctx context.Context, r repo.Repo, set Settings, w Worktree, more func(*registry.Tx, Worktree) error) error {
	if _, err := os.Lstat(w.Path); err != nil {
		return fault.Operation(err, "look at %q", w.Path)
	}
	if w.Ref == "" {
		w.Ref = registry.NewID("w-")
	}
	w.Path = filepath.Clean(w.Path)
	return s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) (err error) {
		if w.Port, err = PickPort(tx, w.Ref, set); err != nil {
			return err
		}
		made, err := Insert(tx, r, w)
		if err != nil {
			return err
		}
		tx.Changed(registry.TopicWorktrees, r.ProjectID, w.Ref)
		if more == nil {
			return nil
		}
		return more(tx, made)
	})
}
