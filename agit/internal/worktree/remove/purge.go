package remove

import (
	"context"
	"errors"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Purge deletes the trash that expired, and returns it. It is the one place that deletes a worktree's files.
func (s *Store) Purge(ctx context.Context) (purged []Trash, err error) {
	var expired []Trash
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := Kept(tx, 0)
		for _, t := range all {
			if !t.ExpiresAt.After(tx.Now()) {
				expired = append(expired, t)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range expired {
		if e := s.PurgeOne(ctx, t); e != nil {
			err = errors.Join(err, e)
			continue
		}
		purged = append(purged, t)
	}
	return purged, err
}

// PurgeOne empties the trash of one worktree.
func (s *Store) PurgeOne(ctx context.Context, t Trash) error {
	r, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (repo.Repo, error) { return repo.ByID(tx, t.Worktree.RepoID) })
	if err != nil {
		return err
	}
	if g, err := r.Open(); err == nil {
		if err := dropRefs(ctx, g, t); err != nil {
			return err
		}
		if err := os.RemoveAll(t.home(g)); err != nil {
			return fault.Operation(err, "empty the trash of %q", t.Worktree.Ref)
		}
	} else if !r.Missing() {
		return err // on another machine, or not readable now
	}
	if err := os.RemoveAll(t.Path); err != nil {
		return fault.Operation(err, "empty the trash of %q", t.Worktree.Ref)
	}
	return s.CloseTrash(ctx, t)
}

// CloseTrash marks a trash as purged once its files are gone.
func (s *Store) CloseTrash(ctx context.Context, t Trash) error {
	return s.Trees.DB.Write(ctx, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE trash SET status = 'purged' WHERE id = ?`, t.ID)
	})
}
