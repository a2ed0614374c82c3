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

// Fetch gets the default branch from the remote that a repository's work lands on, within remote_timeout. Without such a remote it does
// nothing. When the remote does not answer, it passes a notice, and work goes on with the commit that was seen last; the only error is the
// end of ctx.
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

// Share pushes the branches of agit's worktrees of a repository to its remote, where other machines see them, and fetches theirs, if the
// repository is configured to. When the remote does not answer, or refuses, it passes a notice; the only errors are the end of ctx and
// those of the registry.
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
