package land

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// mergeTrees merges two commits on trees, and returns the merged tree, or a *MergeConflict.
func (m *merging) mergeTrees(ctx context.Context, ours, theirs string) (string, error) {
	tree, files, err := m.mergeOf(ctx, ours, theirs)
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
	if !v.AtLeast(2, git.MergeTreeMinor) || withoutMergeTree {
		return m.mergeInScratch(ctx, ours, theirs)
	}
	// The .gitattributes files in force are those of the branch which work lands on, whatever a folder has checked out. An update uses the
	// same, so that it merges what lands.
	attributes := m.j.Old
	if m.update {
		attributes = m.tip
	}
	o, done, err := m.g.Attributed(ctx, m.objects, attributes)
	if err != nil {
		return "", nil, err
	}
	defer done()
	o.Stdin = strings.NewReader(ours + " " + theirs + "\n")
	out, err := m.g.Output(ctx, o, "merge-tree", "--stdin")
	if err != nil {
		return "", nil, m.failed(ctx, err, ours, theirs)
	}
	merges, err := git.ParseMerges(out)
	switch {
	case err == nil && len(merges) != 1:
		err = fmt.Errorf("git merge-tree: %d answers to one merge", len(merges))
		fallthrough
	case err != nil:
		return "", nil, git.Fault(err, "merge %q into %q", m.w.Branch, m.target)
	case merges[0].Clean:
		return merges[0].Tree, nil, nil
	}
	for _, c := range merges[0].Conflicts {
		conflicts = append(conflicts, c.Paths...)
	}
	return "", ConflictPaths(conflicts, ours, theirs), nil
}

// failed returns the error of a merge that git could not try.
func (m *merging) failed(ctx context.Context, err error, ours, theirs string) error {
	if checkout.Unrelated(ctx, m.g, m.objects, ours, theirs) {
		return m.refusal("its branch %s and %s have no commit in common", m.w.Branch, m.with).
			WithHint("bring its changes to a branch that was made from %s", m.with)
	}
	return git.Fault(err, "merge %q into %q", m.w.Branch, m.target)
}

// ConflictPaths returns the files and folders in conflict under the names that people know: git puts a file that is in the way of a folder,
// or of a link, beside it under a name that ends in the commit it comes from.
func ConflictPaths(all []string, commits ...string) (paths []string) {
	for _, path := range all {
		for _, commit := range commits {
			if at := strings.LastIndex(path, "~"+commit); at > 0 {
				path = path[:at]
			}
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// withoutMergeTree makes merges work as with a git before 2.38, for tests.
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
			return m.failed(ctx, err, ours, theirs)
		}
		tree, err = scratch.Run(ctx, "write-tree")
		if err != nil {
			return git.Fault(err, "write the merged tree")
		}
		return nil
	})
	return tree, conflicts, err
}
