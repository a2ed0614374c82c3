package land

import (
	"context"
	"errors"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// Committing runs commit, which lets git make a commit in the worktree w, under an intent like a landing's: git ends with its agit, and
// rarely leaves a lock that would stop every later git. The next operation clears it. Once there is a commit, then reads in the registry.
func (s *Store) Committing(ctx context.Context, w worktree.Worktree, commit func() error, then func(*registry.Tx) error) error {
	end, err := worktree.Begin(w)
	if err != nil {
		return err
	}
	defer end()
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return worktree.SetIntent(tx, w, worktree.OpMerge, w.Status, journal{Before: w.Status, Commit: true})
	})
	if err != nil {
		return err
	}
	if err = s.Trees.Reach("commit:planned"); err == nil {
		err = commit()
	}
	if err == nil {
		return s.Trees.SettleThen(ctx, w, w.Status, then)
	}
	return errors.Join(err, s.Trees.Settle(ctx, w, w.Status))
}
