package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// adopt registers a worktree that git has and agit does not know.
func (c *checking) adopt(ctx context.Context, t git.Worktree) error {
	_, target, err := targetOf(ctx, c.g, c.set.DefaultBranch)
	if err != nil {
		return err
	}
	base := t.Head
	if target != "" && t.Head != "" {
		if common, err := c.g.Run(ctx, "merge-base", target, t.Head); err == nil {
			base = common
		}
	}
	return c.insert(ctx, registry.NewID("w-"), t.Path, strings.TrimPrefix(t.Branch, "refs/heads/"), base, Active, nil)
}

// putAside moves a folder that nobody knows to the trash.
func (c *checking) putAside(ctx context.Context, path string) error {
	var t Trash
	ref := registry.NewID("w-")
	end, err := begin(Worktree{Ref: ref})
	if err != nil {
		return err
	}
	defer end()
	err = c.insert(ctx, ref, path, "", "", Removing, func(tx *registry.Tx, w Worktree) (err error) {
		if t, err = discard(tx, c.g, w, &proof{}, c.set.RestoreFor, 0); err != nil {
			return err
		}
		return setIntent(tx, w, intentRemove, Removing, journal{Before: Removing, After: Trashed, TrashID: t.ID})
	})
	if err != nil {
		return err
	}
	j := journal{After: Trashed, TrashID: t.ID}
	if err := c.moveToTrash(ctx, c.g, &t, ""); err != nil {
		return err
	}
	_, err = c.trashed(ctx, t, j, nil)
	return err
}

func (c *checking) insert(ctx context.Context, ref, path, branch, base string, status Status, more func(*registry.Tx, Worktree) error) error {
	if _, err := os.Lstat(path); err != nil {
		return fault.Operation(err, "look at %q", path)
	}
	return c.db.Write(ctx, registry.Scope{Project: c.r.ProjectID}, func(tx *registry.Tx) error {
		port, err := pickPort(tx, ref, c.set)
		if err != nil {
			return err
		}
		id, err := tx.Insert(`INSERT INTO worktrees (uid, ref, repo_id, host, path, branch, base_oid, port, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			registry.NewUID(), ref, c.r.ID, c.r.Host, filepath.Clean(path), branch, base, registry.NullIfZero(port), status, tx.Stamp(), tx.Stamp())
		if err != nil {
			return err
		}
		tx.Changed(registry.TopicWorktrees, c.r.ProjectID, ref)
		if more == nil {
			return nil
		}
		w, err := byID(tx, id)
		if err != nil {
			return err
		}
		return more(tx, w)
	})
}
