package spawn

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// startOf is the commit that new work starts from.
func startOf(ctx context.Context, g *git.Repo, r repo.Repo, branch string) (string, error) {
	_, oid, err := checkout.DefaultBranch(ctx, g, branch)
	if err != nil || oid != "" {
		return oid, err
	}
	head, err := g.Head(ctx)
	if err != nil {
		return "", err
	}
	if head.OID == "" {
		return "", fault.Validation("repo", "repository %q has no commit yet, so there is nothing to start from", r.Name).
			WithHint("make a first commit on %q", branch).About("repo", r.Name)
	}
	return "", fault.Validation("default_branch", "repository %q has no branch %q, its default branch", r.Name, branch).
		WithHint("`agit add %s` looks for it again; default_branch in the configuration names another", text.ShellWord(r.Path)).About("repo", r.Name)
}

// continueRemote takes the branch asked for as one that a remote has: the worktree goes on with it, on a local branch of its name.
func (m *spawning) continueRemote(ctx context.Context) error {
	m.start = m.base
	if m.o.Branch == "" {
		return nil
	}
	all, err := m.g.RemoteBranches(ctx)
	if err != nil {
		return err
	}
	for _, b := range all {
		_, local, _ := strings.Cut(b.Name, "/")
		if b.Name == strings.TrimPrefix(m.o.Branch, "refs/remotes/") && local != "" {
			m.start, m.o.Branch = b.OID, local
			return nil
		}
	}
	return nil
}

// leftAt notes where a worktree that goes on with another's branch left the default branch: what the branch has since then lands.
func (m *spawning) leftAt(ctx context.Context, w worktree.Worktree) (worktree.Worktree, error) {
	left, err := worktree.LeftAt(ctx, m.g, m.set.DefaultBranch, m.start)
	if err != nil || w.ID == 0 {
		return w, err
	}
	w.Base = left
	return w, m.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return worktree.SetBase(tx, w.ID, left)
	})
}
