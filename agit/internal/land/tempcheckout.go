package land

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// withCheckout runs fn in a temporary detached worktree of a commit. What note writes, when it is not nil, is written with the
// journal that says so.
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
	defer func() { _ = checkout.Discard(m.g, m.w.Ref, m.j.Scratch) }() // doctor finds what is left
	if _, err := m.g.Output(ctx, noReflog, "worktree", "add", "--quiet", "--detach", "--", m.j.Scratch, commit); err != nil {
		return git.Fault(err, "make a temporary worktree for the merge")
	}
	if err := m.Trees.Reach("merge:scratch"); err != nil {
		return err
	}
	scratch, err := git.Find(m.j.Scratch)
	if err != nil {
		return err
	}
	return fn(m.j.Scratch, scratch)
}

// noteDown writes the journal, and what note has to say, in one transaction.
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
