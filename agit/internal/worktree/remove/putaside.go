package remove

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// PutAside moves a folder that neither git nor the registry knows to the trash, as a worktree without a branch.
func (s *Store) PutAside(ctx context.Context, g *git.Repo, r repo.Repo, set worktree.Settings, path string) error {
	var t Trash
	w := worktree.Worktree{Ref: registry.NewID("w-"), Path: path, Status: worktree.Removing}
	end, err := worktree.Begin(w)
	if err != nil {
		return err
	}
	defer end()
	err = s.Trees.Adopt(ctx, r, set, w, func(tx *registry.Tx, w worktree.Worktree) (err error) {
		if t, err = discard(tx, &obstacle.Proof{Subject: obstacle.Subject{Git: g, Repo: r, Worktree: w}}, set.RestoreFor, 0); err != nil {
			return err
		}
		return worktree.SetIntent(tx, w, worktree.OpRemove, worktree.Removing, journal{Before: worktree.Removing, After: worktree.Trashed, TrashID: t.ID})
	})
	if err != nil {
		return err
	}
	if err := s.moveToTrash(ctx, g, &t, ""); err != nil {
		return err
	}
	_, err = s.trashed(ctx, t, journal{After: worktree.Trashed, TrashID: t.ID}, nil)
	return err
}
