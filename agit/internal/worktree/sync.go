package worktree

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// The registry's rows about an operation must be true after a power cut as well. So the files that git and agit wrote are synced before the
// row is completed, and a merge's objects before the branch leads to them. Each operation names all files that it touched and syncs them in
// one go.

// Sync writes files and folders to the disk; an Operation fault names the worktree
// that they belong to.
func (s *Store) Sync(ctx context.Context, w Worktree, paths ...[]string) error {
	if err := durable.Sync(ctx, slices.Concat(paths...)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.Operation(err, "write the files of worktree %q to the disk", w.Ref).
			WithHint("check that the disk is sound and has space left")
	}
	return s.Reach("synced")
}

// SyncWithObjects is Sync, and also syncs all objects that may not be on the disk yet.
func (s *Store) SyncWithObjects(ctx context.Context, g *git.Repo, w Worktree, paths ...[]string) error {
	objects := g.FreshObjects()
	if err := s.Sync(ctx, w, append(paths, objects.Paths)...); err != nil {
		return err
	}
	objects.Synced()
	return nil
}
