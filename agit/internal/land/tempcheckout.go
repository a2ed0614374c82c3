package land

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// withCheckout runs fn in a temporary detached worktree of a commit. note, when not nil, writes in the transaction of the journal that
// names the worktree.
func (m *merging) withCheckout(ctx context.Context, commit string, note func(*registry.Tx) error, fn func(dir string, scratch *git.Repo) error) error {
	dir := worktree.FolderOf(m.r, m.set)
	if err := worktree.RefuseLink(m.r, dir); err != nil {
		return err
	}
	if err := checkout.Hide(ctx, m.g, dir); err != nil {
		return err
	}
	m.j.Scratch = filepath.Join(dir, ".merge-"+m.w.Ref)
	if err := m.noteDown(ctx, note); err != nil {
		return err
	}
	if err := checkout.Discard(m.g, m.w.Ref, m.j.Scratch); err != nil { // of a merge that was cut off
		return err
	}
	defer func() { _ = checkout.Discard(m.g, m.w.Ref, m.j.Scratch) }() // doctor finds the rest
	scratch, err := addWhole(ctx, m.g, m.j.Scratch, commit)
	if err != nil {
		return err
	}
	if err := m.Trees.Reach("merge:scratch"); err != nil {
		return err
	}
	return fn(m.j.Scratch, scratch)
}

// addWhole makes a worktree with all files of a commit, on no branch. Git copies the settings of the checkout that it runs in to a new one:
// where that is sparse, a gate would judge only a part of what lands.
func addWhole(ctx context.Context, g *git.Repo, at, commit string) (*git.Repo, error) {
	o := noReflog
	o.Config = append(slices.Clone(o.Config), "core.sparseCheckout=false", "index.sparse=false")
	if _, err := g.Output(ctx, o, "worktree", "add", "--quiet", "--detach", "--", at, commit); err != nil {
		return nil, git.Fault(err, "make a temporary worktree for the merge")
	}
	scratch, err := git.Find(at)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(scratch.GitDir, "config.worktree")); err != nil {
		return scratch, nil //nolint:nilerr // it has no settings of its own
	}
	for _, key := range []string{"core.sparseCheckout", "index.sparse"} { // for the gits that the gate runs
		if _, err := scratch.Run(ctx, "config", "--worktree", key, "false"); err != nil {
			return nil, git.Fault(err, "have the temporary worktree hold all files")
		}
	}
	return scratch, nil
}

// noteDown writes the journal, and runs note, in one transaction.
func (m *merging) noteDown(ctx context.Context, note func(*registry.Tx) error) error {
	return m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		if note != nil {
			if err := note(tx); err != nil {
				return err
			}
		}
		return worktree.WriteJournal(tx, m.w, m.j)
	})
}
