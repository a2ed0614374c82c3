package forge

import (
	"cmp"
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Refresh reads the pull request of a worktree from the forge. When it was merged there, Refresh fetches the base and completes the
// worktree's task, unless the branch has commits that were not merged; by is the agent that asks. A worktree without a pull request is a
// NotFound fault.
func (s *Store) Refresh(ctx context.Context, repoName, ref, by string) (p PullRequest, err error) {
	var r repo.Repo
	var w worktree.Worktree
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		if r, w, err = s.Trees.Find(tx, repoName, ref, false); err != nil {
			return err
		}
		p, err = last(tx, w.ID)
		return err
	})
	if err != nil && !registry.NoRows(err) {
		return p, err
	}
	return s.refresh(ctx, r, w, p, by)
}

// OfBranch returns the open pull request of a branch from a remote's forge; nil when there is none. It stores nothing.
func (s *Store) OfBranch(ctx context.Context, r repo.Repo, remoteName, branch string) (*PullRequest, error) {
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	to, err := remoteOf(g, remoteName)
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(to.Host, s.Kind)
	if err != nil {
		return nil, err
	}
	p, err := s.programOf(kind, to, g.Dir()).find(ctx, branch)
	if err != nil || p == nil {
		return nil, err
	}
	p.Repo, p.Branch, p.Forge, p.SeenAt = r.Name, branch, kind, timestamp.Of(time.Now())
	return p, nil
}

// List returns the pull requests of a repository's worktrees, with the forge's current answer for those that are open. A pull request
// without an answer has a Problem.
func (s *Store) List(ctx context.Context, repoName, by string) ([]PullRequest, error) {
	var r repo.Repo
	var trees []worktree.Worktree
	var known map[int64]PullRequest
	err := s.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if r, err = repo.Find(tx, repoName); err != nil {
			return err
		}
		if trees, err = worktree.List(tx, worktree.Filter{RepoID: r.ID}); err != nil {
			return err
		}
		known, err = Of(tx, r.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := []PullRequest{}
	for _, w := range trees {
		p, has := known[w.ID]
		if !has {
			continue
		}
		if p.State == Open {
			now, err := s.refresh(ctx, r, w, p, by)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				p.Problem = fault.From(err).Message
			} else {
				p = now
			}
		}
		list = append(list, p)
	}
	return list, nil
}

func (s *Store) refresh(ctx context.Context, r repo.Repo, w worktree.Worktree, p PullRequest, by string) (PullRequest, error) {
	g, err := git.Find(r.Path)
	if err != nil {
		return p, err
	}
	from, err := remoteOf(g, "")
	if err != nil {
		return p, err
	}
	kind := p.Forge
	if kind == "" {
		if kind, err = kindOf(from.Host, s.Kind); err != nil {
			return p, err
		}
	}
	program := s.programOf(kind, from, r.Path)
	number := p.Number
	if number == 0 { // it was opened by hand, or its opening was cut off
		found, err := program.find(ctx, w.Branch)
		if err == nil && found == nil {
			err = fault.NotFound("pull request", w.Branch).WithHint("`agit pr %s` opens one", w.Ref)
		}
		if err != nil {
			return p, err
		}
		number = found.Number
	}
	said, err := program.view(ctx, number)
	if err != nil {
		return p, err
	}
	said.Forge, said.Target = kind, cmp.Or(said.Target, p.Target, s.Trees.Settings(r).DefaultBranch)
	if said.State != Merged {
		return s.keep(ctx, w, said, nil)
	}
	return s.merged(ctx, g, from, w, said, by)
}

// merged keeps the forge's answer about a pull request that it merged.
func (s *Store) merged(ctx context.Context, g *git.Repo, from remote, w worktree.Worktree, said PullRequest, by string) (p PullRequest, err error) {
	// The base has what the forge made of the branch; removing the worktree looks there.
	if _, err := g.Run(ctx, "fetch", "--no-tags", "--", from.Name, said.Target); err != nil {
		return p, fault.Provider(err, "fetch %s from %s", said.Target, from.Name).WithHint("the pull request is merged; try again when the remote can be reached")
	}
	whole, err := contained(ctx, g, w, from, said)
	if err != nil {
		return p, err
	}
	stays := ""
	p, err = s.keep(ctx, w, said, func(tx *registry.Tx) (err error) {
		stays = "branch " + w.Branch + " has commits that were not merged"
		if !whole || s.Trees.Options.Tasks == nil {
			return nil
		}
		if stays, err = s.Trees.Options.Tasks.Merged(tx, w, by); err != nil || s.Accepted == nil {
			return err
		}
		return s.Accepted(tx, w, said.Commit)
	})
	p.TaskOpen = stays
	return p, err
}

// contained reports whether all commits of a branch were merged, unchanged, squashed or rebased.
func contained(ctx context.Context, g *git.Repo, w worktree.Worktree, from remote, said PullRequest) (bool, error) {
	tip, err := g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil || tip == "" || tip == said.Head {
		return err == nil, err
	}
	target, err := g.Resolve(ctx, "refs/remotes/"+from.Name+"/"+said.Target)
	if err != nil || target == "" {
		return false, err
	}
	return checkout.Landed(ctx, g, tip, []string{target})
}
