package remove

import (
	"context"
	"errors"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// purgedAtOnce is how many expired trashes a removal empties: it adds one, so that what is left behind gets less.
const purgedAtOnce = 2

// Expired returns the trash whose time is over, oldest first, without that of repositories on other machines, and of those whose folder is
// gone: its disk may only be away.
func (s *Store) Expired(ctx context.Context) (list []Trash, err error) {
	repos, err := s.Trees.Repos(ctx, "")
	for _, r := range repos {
		if r.Missing() || r.Here() != nil {
			continue
		}
		some, err := s.expired(ctx, r, -1)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, err
}

func (s *Store) expired(ctx context.Context, r repo.Repo, most int) ([]Trash, error) {
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Trash, error) {
		list, err := registry.Collect(tx, scanTrash, trashSelection+`WHERE t.status = 'kept' AND w.repo_id = ? AND t.expires_at <= ? ORDER BY t.id`, r.ID, tx.Stamp())
		if most >= 0 {
			list = list[:min(most, len(list))]
		}
		for i := range list {
			if err == nil {
				list[i].Worktree, err = worktree.ByID(tx, list[i].Worktree.ID)
			}
		}
		return list, err
	})
}

// purgeSome empties some of what expired in a repository. What fails stays, for `agit doctor` to name.
func (s *Store) purgeSome(ctx context.Context, r repo.Repo) {
	list, _ := s.expired(ctx, r, purgedAtOnce)
	for _, t := range list {
		_ = s.PurgeOne(ctx, t)
	}
}

// Purge deletes the trash that expired, and returns it. It is the one place that deletes a worktree's files.
func (s *Store) Purge(ctx context.Context) (purged []Trash, err error) {
	expired, err := s.Expired(ctx)
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
	g, err := r.Open()
	if err != nil {
		return err
	}
	if err := dropRefs(ctx, g, t); err != nil {
		return err
	}
	for _, folder := range []string{t.home(g), t.Path} {
		if err := os.RemoveAll(folder); err != nil {
			return fault.Operation(err, "empty the trash of %q", t.Worktree.Ref)
		}
	}
	return s.CloseTrash(ctx, t)
}

// CloseTrash marks a trash as purged once its files are gone.
func (s *Store) CloseTrash(ctx context.Context, t Trash) error {
	return s.Trees.DB.Write(ctx, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE trash SET status = 'purged' WHERE id = ?`, t.ID)
	})
}
