package worktree

import (
	"context"
	"errors"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
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
		return nil
	}
	return s.Share(ctx, r)
}

// Share pushes the branches of the worktrees that agit has of a repository to its remote, for other machines to see, and fetches theirs, where the
// repository is configured so. A remote that cannot be asked, or that refuses, is told as a notice; only the end of ctx and the registry are errors.
func (s *Store) Share(ctx context.Context, r repo.Repo) error {
	set := s.Settings(r)
	if !set.Share || set.Remote == "" {
		return nil
	}
	list, err := s.List(ctx, r.UID, false)
	if err != nil {
		return err
	}
	g, err := r.Open()
	if err != nil {
		return err
	}
	var branches []string
	for _, w := range list {
		if w.Branch != "" && w.Status != Creating && w.Status != Removing {
			branches = append(branches, w.Branch)
		}
	}
	if err := checkout.Share(ctx, g, set.Remote, registry.Host(), branches, set.RemoteWait); err != nil && ctx.Err() == nil {
		why := fault.From(err).Message
		if refused, ok := errors.AsType[*checkout.Refused](err); ok {
			why = fmt.Sprintf("remote %q refused it (%s)", set.Remote, refused.Words)
		}
		s.Notice(why + ": agents' branches were not shared with other machines")
	}
	return ctx.Err()
}
