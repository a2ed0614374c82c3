package worktree

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// folderOf is the folder that a repository's worktrees are in.
func folderOf(r repo.Repo, set Settings) string {
	if filepath.IsAbs(set.Dir) {
		return filepath.Clean(set.Dir)
	}
	return filepath.Join(r.Path, set.Dir)
}

// startOf is the commit that new work starts from.
func startOf(ctx context.Context, g *git.Repo, r repo.Repo, branch string) (string, error) {
	_, oid, err := targetOf(ctx, g, branch)
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
		WithHint("`agit add %s` looks for it again; default_branch in the configuration names another", r.Path).About("repo", r.Name)
}

// targetOf gives the full name of the default branch and its commit: the local
// branch's, else the one last seen at the remote, else "".
func targetOf(ctx context.Context, g *git.Repo, branch string) (ref, oid string, err error) {
	ref = "refs/heads/" + branch
	if oid, err = g.Resolve(ctx, ref); err != nil || oid != "" {
		return ref, oid, err
	}
	config, err := g.Config()
	if err != nil {
		return ref, "", err
	}
	if remote := config.Remote(); remote != "" {
		oid, err = g.Resolve(ctx, "refs/remotes/"+remote+"/"+branch)
	}
	return ref, oid, err
}
