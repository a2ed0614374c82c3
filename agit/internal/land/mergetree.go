package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// mergeTrees merges what is to land into what is there, on trees, and returns the merged tree.
func (m *merging) mergeTrees(ctx context.Context) (string, error) {
	tree, files, err := m.mergeOf(ctx, m.j.Old, m.tip)
	if err == nil && len(files) > 0 {
		err = m.conflict(ctx, files)
	}
	return tree, err
}

// mergeOf merges two commits on trees, touching no file, and returns the merged tree, or the files in conflict.
func (m *merging) mergeOf(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	v, err := git.CurrentVersion(ctx)
	if err != nil {
		return "", nil, err
	}
	if !v.AtLeast(2, 38) || withoutMergeTree {
		return m.mergeInScratch(ctx, ours, theirs)
	}
	out, err := m.g.Output(ctx, m.objects, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	records := git.Records(out)
	switch {
	case err == nil && len(records) > 0:
		return records[0], nil, nil
	case git.ExitCode(err) == 1 && len(records) > 1:
		return "", records[1:], nil
	}
	return "", nil, git.Fault(err, "merge %q into %q", m.w.Branch, m.target)
}

// withoutMergeTree lets tests take the way of a git before 2.38.
var withoutMergeTree bool

// mergeInScratch merges in a temporary worktree.
func (m *merging) mergeInScratch(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	err = m.withCheckout(ctx, ours, nil, func(dir string, scratch *git.Repo) error {
		o := git.Options{Env: checkout.Committer()}
		if _, err := scratch.Output(ctx, o, "merge", "--no-ff", "--no-commit", "--no-verify", "--quiet", theirs); err != nil {
			out, listErr := scratch.Output(ctx, git.Options{}, "diff", "--name-only", "--diff-filter=U", "-z")
			if conflicts = git.Records(out); listErr == nil && len(conflicts) > 0 {
				return nil
			}
			return git.Fault(err, "merge %q into %q", m.w.Branch, m.target)
		}
		tree, err = scratch.Run(ctx, "write-tree")
		if err != nil {
			return git.Fault(err, "write the merged tree")
		}
		return nil
	})
	return tree, conflicts, err
}
