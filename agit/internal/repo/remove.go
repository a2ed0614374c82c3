package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Release is called inside the transaction when a repository is removed. With it the owner of another table drops its references to the
// repository. Tasks with an epic, a dependency or history lose only their repository.
type Release func(tx *registry.Tx, r Repo) error

// Remove removes a repository's registration. It refuses while the repository has worktrees, and names each; no folder is touched. When the
// repository's folder is gone, worktrees whose folders are gone too do not count: a release ends their rows.
func (s *Store) Remove(ctx context.Context, nameOrID string, releases ...Release) (r Repo, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if r, err = Find(tx, nameOrID); err != nil {
			return err
		}
		if err := tx.In(r.ProjectID); err != nil {
			return err
		}
		if err := refuseWorktrees(tx, r); err != nil {
			return err
		}
		for _, release := range releases {
			if err := release(tx, r); err != nil {
				return err
			}
		}
		tx.Changed(registry.TopicRepos, r.ProjectID, r.Name)
		return tx.Do(`UPDATE repos SET removed_at = ?, updated_at = ? WHERE id = ?`, tx.Stamp(), tx.Stamp(), r.ID)
	})
	return r, err
}

// Removable returns the repository of a name or id if Remove would not refuse it.
func (s *Store) Removable(ctx context.Context, nameOrID string) (Repo, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Repo, error) {
		r, err := Find(tx, nameOrID)
		if err != nil {
			return r, err
		}
		return r, refuseWorktrees(tx, r)
	})
}

// refuseWorktrees refuses worktrees that exist. A worktree that is gone with the repository does not count: without it git could not take
// the entry off its list.
func refuseWorktrees(tx *registry.Tx, r Repo) error {
	type tree struct{ ref, path string }
	trees, err := registry.Collect(tx, func(row registry.Scanner) (t tree, err error) {
		err = row.Scan(&t.ref, &t.path)
		return t, err
	}, `SELECT ref, path FROM worktrees WHERE repo_id = ? AND `+live+` ORDER BY id`, r.ID)
	if err != nil {
		return err
	}
	deleted := r.Here() == nil && gone(r.Path) && gone(r.CommonDir)
	var names []string
	for _, t := range trees {
		if !deleted || !gone(t.path) {
			names = append(names, fmt.Sprintf("%s at %s", t.ref, t.path))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fault.Conflict("repo", r.Name, "repository %q still has %s: %s", r.Name, text.Count(len(names), "worktree", "worktrees"), strings.Join(names, ", ")).
		WithHint("merge or clean up each of them first")
}

// gone reports whether there is nothing at a path.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
