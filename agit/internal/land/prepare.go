package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/checkout"
	"github.com/agit-suite/agit/agit/internal/hook"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// prepare makes the merge commit, which nothing refers to yet, on the default branch as it is now. No file is touched. It
// returns true when the branch has all of the worktree's commits already.
func (m *merging) prepare(ctx context.Context) (there bool, err error) {
	ref, old, err := checkout.DefaultBranch(ctx, m.g, m.set.DefaultBranch)
	if err != nil {
		return false, err
	}
	if old == "" {
		return false, fault.Validation("default_branch", "repository %q has no branch %q, its default branch", m.r.Name, m.set.DefaultBranch).
			WithHint("`agit add %s` looks for it again; default_branch in the configuration names another", m.r.Path).About("repo", m.r.Name)
	}
	m.j.Target, m.j.Old, m.j.New = ref, old, ""
	if there, err := checkout.IsAncestor(ctx, m.g, m.tip, old); err != nil || there {
		return there, err
	}
	if _, err := workingTreesOn(ctx, m.g, m.w, ref); err != nil {
		return false, err // said before a hook has run for minutes
	}
	tree, err := m.mergeTrees(ctx)
	if err != nil {
		return false, err
	}
	if m.j.New, err = m.commit(ctx, tree); err != nil {
		return false, err
	}
	changes, err := diffTree(ctx, m.g, m.j.Old, m.j.New)
	m.files = len(changes)
	return false, err
}

// runHooks lets the pre_merge hooks judge the merge commit, in a checkout of it.
func (m *merging) runHooks(ctx context.Context) error {
	return m.withCheckout(ctx, m.j.New, func(dir string, _ *git.Repo) error {
		if err := checkout.Include(ctx, m.g, dir, worktree.FolderOf(m.r, m.set), m.trees.Options.Notice); err != nil {
			return err
		}
		return hook.Run(ctx, m.trees.Hooks("pre_merge", m.set.PreMerge, m.set, dir, m.w))
	})
}
