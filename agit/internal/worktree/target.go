package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

// stays refuses a folder of the worktrees that lies in the repository by its name
// and elsewhere in truth: a link comes with a clone, and would have agents build
// wherever it leads.
func stays(r repo.Repo, dir string) error {
	rel, err := filepath.Rel(r.Path, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil // elsewhere by the user's own configuration
	}
	at := r.Path
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return nil // it and what is below is made anew
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fault.Conflict("folder", at, "the folder of the worktrees %q is a symbolic link, which worktrees are not made through", at).
				WithHint("move the link out of the way, or set worktree.dir to another folder")
		}
	}
	return nil
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

// targetOf returns the full name of the default branch and its commit: the local
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
