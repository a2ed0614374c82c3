package mergetree

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// Picked reports whether target has, for every commit of tip that it lacks, a commit with the same patch.
func (s *ObjectStore) Picked(ctx context.Context, repo *git.Repo, target, tip string) (bool, error) {
	return checkout.Picked(ctx, repo, git.Options{Env: s.env()}, tip, target)
}

// Squash makes one commit, in the store, of the changes between base and tip.
func (s *ObjectStore) Squash(ctx context.Context, repo *git.Repo, base, tip string) (string, error) {
	return checkout.Squash(ctx, repo, git.Options{Env: s.env()}, base, tip)
}
