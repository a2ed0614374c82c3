package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// mergeTrees merges on trees, touching no file, and returns the merged tree.
func (m *merging) mergeTrees(ctx context.Context) (string, error) {
	v, err := git.CurrentVersion(ctx)
	if err != nil {
		return "", err
	}
	if !v.AtLeast(2, 38) || withoutMergeTree {
		return m.mergeInScratch(ctx)
	}
	out, err := m.g.Output(ctx, git.Options{}, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", m.j.Old, m.tip)
	records := git.Records(out)
	switch {
	case err == nil && len(records) > 0:
		return records[0], nil
	case git.ExitCode(err) == 1 && len(records) > 0:
		return "", m.conflict(ctx, records[1:])
	}
	return "", git.Fault(err, "merge %q into %q", m.w.Branch, m.set.DefaultBranch)
}

// withoutMergeTree lets tests take the way of a git before 2.38.
var withoutMergeTree bool

// mergeInScratch merges in a temporary worktree.
func (m *merging) mergeInScratch(ctx context.Context) (tree string, err error) {
	err = m.withCheckout(ctx, m.j.Old, func(dir string, scratch *git.Repo) error {
		o := git.Options{Env: checkout.Committer()}
		if _, err := scratch.Output(ctx, o, "merge", "--no-ff", "--no-commit", "--no-verify", "--quiet", m.tip); err != nil {
			out, listErr := scratch.Output(ctx, git.Options{}, "diff", "--name-only", "--diff-filter=U", "-z")
			if listErr == nil && len(out) > 0 {
				return m.conflict(ctx, git.Records(out))
			}
			return git.Fault(err, "merge %q into %q", m.w.Branch, m.set.DefaultBranch)
		}
		tree, err = scratch.Run(ctx, "write-tree")
		if err != nil {
			return git.Fault(err, "write the merged tree")
		}
		return nil
	})
	return tree, err
}
