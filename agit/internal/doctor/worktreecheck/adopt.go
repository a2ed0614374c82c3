package worktreecheck

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git"
)

// adopt registers a worktree that git has and agit does not know.
func (c *visit) adopt(ctx context.Context, t git.Worktree) error {
	base, err := worktree.LeftAt(ctx, c.g, c.set, t.Head)
	if err != nil {
		return err
	}
	return c.Trees.Adopt(ctx, c.r, c.set, worktree.Worktree{Path: t.Path, Branch: strings.TrimPrefix(t.Branch, "refs/heads/"), Base: base, Status: worktree.Active}, nil)
}
