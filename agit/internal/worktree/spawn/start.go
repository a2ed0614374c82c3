package spawn

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
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
