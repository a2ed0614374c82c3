package remove

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Relocate follows a repository that was moved, with its trash.
func (s *Store) Relocate(ctx context.Context, r repo.Repo) error {
	g, err := r.Open()
	if err != nil {
		return err
	}
	kept, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Trash, error) { return Kept(tx, r.ID) })
	if err != nil {
		return err
	}
	for _, t := range kept {
		if err := s.RelocateOne(ctx, g, r, t); err != nil {
			return err
		}
	}
	return nil
}

// RelocateOne notes where the trash of a worktree is now, if it moved with the repository.
func (s *Store) RelocateOne(ctx context.Context, g *git.Repo, r repo.Repo, t Trash) error {
	now := filepath.Join(g.CommonDir, "agit", "trash", filepath.Base(t.Path))
	if _, err := os.Lstat(t.Path); err == nil || now == t.Path {
		return nil
	}
	if _, err := os.Lstat(now); err != nil {
		return nil // doctor reports it
	}
	folder := filepath.Join(worktree.FolderOf(r, s.Trees.Settings(r)), filepath.Base(t.Worktree.Path))
	return s.Trees.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if err := tx.Do(`UPDATE trash SET path = ? WHERE id = ?`, now, t.ID); err != nil {
			return err
		}
		return worktree.SetPath(tx, t.Worktree.ID, folder)
	})
}
