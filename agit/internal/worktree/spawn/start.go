package spawn

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// startOf returns the commit that new work starts from.
func startOf(ctx context.Context, g *git.Repo, r repo.Repo, branch, remote string) (string, error) {
	_, oid, err := checkout.DefaultBranch(ctx, g, branch, remote)
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
	return "", worktree.NoDefaultBranch(r, branch)
}

// goOn continues on an existing branch that the caller named: the worktree gets a local branch of that name. A branch of a remote is
// named with its remote. It refuses a branch that a worktree has checked out, or that work lands on.
func (m *spawning) goOn(ctx context.Context) error {
	m.start = m.base
	if m.o.Branch == "" {
		return nil
	}
	asked := m.o.Branch
	all, err := m.g.RemoteBranches(ctx)
	if err != nil {
		return err
	}
	for _, b := range all {
		_, local, _ := strings.Cut(b.Name, "/")
		if b.Name == strings.TrimPrefix(m.o.Branch, "refs/remotes/") && local != "" {
			m.start, m.o.Branch = b.OID, local
			break
		}
	}
	if !git.ValidBranch(m.o.Branch) {
		return nil // nameFor reports why
	}
	oid, err := m.g.Resolve(ctx, "refs/heads/"+m.o.Branch)
	if err != nil || oid == "" {
		return err
	}
	trees, err := m.g.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Branch == "refs/heads/"+m.o.Branch && !t.Bare {
			return takenError{fault.Conflict("branch", m.o.Branch, "branch %q exists already in repository %q, and is checked out in %q", m.o.Branch, m.r.Name, t.Path).
				WithHint("work there, or choose another branch, or leave it out to have one made")}
		}
	}
	if m.o.Branch == m.set.DefaultBranch {
		return takenError{fault.Conflict("branch", m.o.Branch, "branch %q exists already: it is the branch that work lands on", m.o.Branch).
			WithHint("choose another branch, or leave it out to have one made")}
	}
	if m.start != m.base && m.start != oid {
		m.Trees.Notice(fmt.Sprintf("branch %s exists here already, at another commit than %s; the worktree has the one of here", m.o.Branch, asked))
	}
	m.start, m.existing = oid, true
	return nil
}

// leftAt notes where a worktree that continues on an existing branch left the default branch: the branch's commits since then land.
func (m *spawning) leftAt(ctx context.Context, w worktree.Worktree) (worktree.Worktree, error) {
	left, err := worktree.LeftAt(ctx, m.g, m.set, m.start)
	if err != nil || w.ID == 0 {
		return w, err
	}
	w.Base = left
	return w, m.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return worktree.SetBase(tx, w.ID, left)
	})
}
