package remove

import (
	"context"
	"errors"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// purgedAtOnce is how many expired trashes a removal empties: it adds one, so that what is left behind gets less.
const purgedAtOnce = 2

// Expired returns the trash whose time is over, also that of repositories that were removed, without that of repositories on other machines,
// and of those whose folder is gone: its disk may only be away.
func (s *Store) Expired(ctx context.Context) (list []Trash, err error) {
	repos, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (repos []repo.Repo, err error) {
		ids, err := registry.Collect(tx, registry.One[int64], `SELECT DISTINCT w.repo_id FROM trash t JOIN worktrees w ON w.id = t.worktree_id
			WHERE t.status IN ('kept', 'moving') AND t.expires_at <= ? ORDER BY w.repo_id`, tx.Stamp())
		for _, id := range ids {
			r, err := repo.ByID(tx, id)
			if err != nil {
				return nil, err
			}
			repos = append(repos, r)
		}
		return repos, err
	})
	for _, r := range repos {
		if r.Missing() || r.Here() != nil {
			continue
		}
		some, err := s.expired(ctx, r)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, err
}

// expired returns that of one repository, the oldest first. It includes trash whose emptying was cut off. It leaves out the worktrees that
// are being restored, or whose restore was cut off: recovery ends that.
func (s *Store) expired(ctx context.Context, r repo.Repo) ([]Trash, error) {
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Trash, error) {
		list, err := registry.Collect(tx, scanTrash, trashSelection+`WHERE t.status IN ('kept', 'moving') AND w.intent = '' AND w.repo_id = ? AND t.expires_at <= ? ORDER BY t.id`,
			r.ID, tx.Stamp())
		for i := range list {
			if err == nil {
				list[i].Worktree, err = worktree.ByID(tx, list[i].Worktree.ID)
			}
		}
		return list, err
	})
}

// purgeSome empties some of what expired in a repository. Trash that it cannot empty, for instance of another user, stays for `agit doctor`.
func (s *Store) purgeSome(ctx context.Context, r repo.Repo) {
	list, _ := s.expired(ctx, r)
	emptied := 0
	for _, t := range list {
		if emptied == purgedAtOnce {
			return
		}
		if s.PurgeOne(ctx, t) == nil {
			emptied++
		}
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

// PurgeOne empties the trash of one worktree, which cannot be restored from then on. It returns a Conflict fault for one that is being
// restored, and nil for one that was emptied meanwhile. While it works the row is 'moving', without an intent of the worktree; a row that stays so is emptied by the next call.
func (s *Store) PurgeOne(ctx context.Context, t Trash) error {
	r, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (repo.Repo, error) { return repo.ByID(tx, t.Worktree.RepoID) })
	if err != nil {
		return err
	}
	g, err := r.Open()
	if err != nil {
		return err
	}
	err = s.mark(ctx, t, worktree.Conflictf(t.Worktree, "the trash of worktree %q is in use", t.Worktree.Ref).WithHint("try again when it is restored").Retry(),
		`UPDATE trash SET status = 'moving' WHERE id = ? AND status <> 'restored'
			AND EXISTS (SELECT 1 FROM worktrees w WHERE w.id = trash.worktree_id AND w.intent = '')`)
	if err != nil {
		return err
	}
	if err := empty(ctx, g, t); err != nil {
		return errors.Join(err, s.mark(context.WithoutCancel(ctx), t, nil, `UPDATE trash SET status = 'kept' WHERE id = ? AND status = 'moving'`))
	}
	return s.CloseTrash(context.WithoutCancel(ctx), t)
}

// empty deletes what a trash keeps.
func empty(ctx context.Context, g *git.Repo, t Trash) error {
	if err := dropRefs(ctx, g, t); err != nil {
		return err
	}
	for _, folder := range []string{t.home(g), t.Path} {
		if err := os.RemoveAll(folder); err != nil {
			return fault.Operation(err, "empty the trash of %q", t.Worktree.Ref)
		}
	}
	return nil
}

// CloseTrash marks a trash as purged once its files are gone.
func (s *Store) CloseTrash(ctx context.Context, t Trash) error {
	return s.mark(ctx, t, nil, `UPDATE trash SET status = 'purged' WHERE id = ?`)
}

// mark changes the row of a trash. refusal is the error where that changes no row; nil where it need not.
func (s *Store) mark(ctx context.Context, t Trash, refusal error, update string) error {
	return s.Trees.DB.Write(ctx, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) error {
		if refusal == nil {
			return tx.Do(update, t.ID)
		}
		return tx.Must(refusal, update, t.ID)
	})
}
