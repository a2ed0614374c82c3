package worktree

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Fetch asks the remote that a repository's work lands on for its default branch, within remote_timeout. Without such a remote it does
// nothing. A remote that cannot be asked is told as a notice, and work goes on with the commit that was seen last; only the end of ctx is
// an error.
func (s *Store) Fetch(ctx context.Context, g *git.Repo, r repo.Repo) error {
	set := s.Settings(r)
	if set.Remote == "" {
		return nil
	}
	_, err := checkout.Fetch(ctx, g, set.Remote, set.DefaultBranch, set.RemoteWait)
	if err != nil && ctx.Err() == nil {
		s.Notice(fmt.Sprintf("%s: going on with branch %s as it was seen last", fault.From(err).Message, set.DefaultBranch))
	}
	return ctx.Err()
}
