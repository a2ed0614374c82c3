package checkout

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// DefaultBranch returns the full name of the default branch and its commit. Work lands on the branch of a remote where remote
// names one: its commit is the one seen there last. Else, and where none was seen, it is the local
// branch's, else the one last seen at the remote that stands for the repository, else "".
func DefaultBranch(ctx context.Context, g *git.Repo, branch, remote string) (ref, oid string, err error) {
	ref = "refs/heads/" + branch
	if remote != "" {
		if oid, err = g.Resolve(ctx, SeenRef(remote, branch)); err != nil || oid != "" {
			return ref, oid, err
		}
	}
	if oid, err = g.Resolve(ctx, ref); err != nil || oid != "" {
		return ref, oid, err
	}
	config, err := g.Config()
	if err != nil {
		return ref, "", err
	}
	if remote := config.Remote(); remote != "" {
		oid, err = g.Resolve(ctx, SeenRef(remote, branch))
	}
	return ref, oid, err
}

// Lost reports whether a repository has no such branch: it was renamed or deleted. A branch that is checked out exists, perhaps before its
// first commit.
func Lost(ctx context.Context, g *git.Repo, branch string) (bool, error) {
	main, err := g.Main()
	if err != nil {
		return false, err
	}
	head, err := main.Head(ctx)
	if err != nil && head.Ref == "" {
		return false, err
	}
	ref := "refs/heads/" + branch
	oid, err := g.Resolve(ctx, ref)
	return err == nil && oid == "" && head.Ref != ref, nil // what cannot be read is damaged, and not lost
}

// MergeName is the name by which `git merge` in a worktree finds the default branch that work lands on: that of the remote where remote
// names one, since the branch here may be older.
func MergeName(branch, remote string) string {
	if remote == "" {
		return branch
	}
	return remote + "/" + branch
}

// DefaultTips are the commits of the default branch here, at the remote that stands for the repository, and at the one that work lands
// on, where remote names it.
func DefaultTips(ctx context.Context, g *git.Repo, branch, remote string) ([]string, error) {
	var tips []string
	refs := []string{"refs/heads/" + branch}
	if remote != "" {
		refs = append(refs, SeenRef(remote, branch))
	}
	config, err := g.Config()
	if err != nil {
		return nil, err
	}
	if other := config.Remote(); other != "" && other != remote {
		refs = append(refs, SeenRef(other, branch))
	}
	for _, ref := range refs {
		oid, err := g.Resolve(ctx, ref)
		if err != nil {
			return nil, err
		}
		if oid != "" {
			tips = append(tips, oid)
		}
	}
	return tips, nil
}

// IsAncestor reports whether target contains the commit tip.
func IsAncestor(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	_, err := g.Run(ctx, "merge-base", "--is-ancestor", tip, target)
	if code := git.ExitCode(err); code == 0 || code == 1 {
		return code == 0, nil
	}
	return false, git.Fault(err, "compare %s with %s", tip, target)
}

// Unrelated reports whether two commits have no commit in common. It is false where git cannot tell.
func Unrelated(ctx context.Context, g *git.Repo, o git.Options, a, b string) bool {
	_, err := g.Output(ctx, o, "merge-base", a, b)
	return git.NoMergeBase(err)
}

// FindBranch returns the short name and the commit of a branch by what people call it: a local one, else one of a remote as
// "origin/fix"; "" when there is none.
func FindBranch(ctx context.Context, g *git.Repo, name string) (short, oid string, err error) {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		short = strings.TrimPrefix(name, prefix)
		if !git.ValidBranch(short) {
			continue
		}
		if oid, err = g.Resolve(ctx, prefix+short); err != nil || oid != "" {
			return short, oid, err
		}
	}
	return "", "", nil
}
