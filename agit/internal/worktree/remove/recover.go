package remove

import (
	"context"
	"errors"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Undone is a removal that was taken back, because it had not yet moved the folder.
type Undone struct {
	After    worktree.Status // that the worktree was to get
	KeepTask bool
	Head     string // commit that the worktree was at
}

// MendRemoval finishes a removal whose folder was moved, and returns nil. It takes back and returns a removal that had not got so far; its
// caller decides whether to try again.
func (s *Store) MendRemoval(ctx context.Context, g *git.Repo, w worktree.Worktree) (*Undone, error) {
	var j journal
	if err := w.ReadJournal(&j); err != nil {
		return nil, err
	}
	t, err := s.trashOf(ctx, j)
	if err != nil {
		return nil, err
	}
	clearTrashLocks(ctx, g, w, t)
	if _, err := os.Lstat(t.tree()); err != nil && !checkout.Gone(w.Path) {
		return &Undone{j.After, j.Keep, t.HeadOID}, s.undoRemove(ctx, g, t, j, nil)
	}
	if err := s.moveToTrash(ctx, g, &t, j.Entry); err != nil {
		return nil, err
	}
	at, err := g.Resolve(ctx, "refs/heads/"+t.Branch)
	if err != nil {
		return nil, err
	}
	if err := keepRefs(ctx, g, t, "", at == t.BranchOID && !j.Branch && !t.Worktree.Foreign()); err != nil { // one that moved since is in use
		return nil, err
	}
	if err := t.unlock(g, j.Entry); err != nil {
		return nil, err
	}
	if err := s.syncTrashed(ctx, g, t); err != nil {
		return nil, err
	}
	_, err = s.trashed(ctx, t, j, func(tx *registry.Tx, w worktree.Worktree) error {
		if j.After != worktree.Completed || s.Trees.Options.Tasks == nil || j.Keep {
			return nil
		}
		_, err := s.Trees.Options.Tasks.Merged(tx, w, "")
		return err
	})
	return nil, err
}

func (s *Store) mendRestore(ctx context.Context, g *git.Repo, _ repo.Repo, w worktree.Worktree) error {
	var j journal
	if err := w.ReadJournal(&j); err != nil {
		return err
	}
	t, err := s.trashOf(ctx, j)
	if err != nil {
		return err
	}
	clearTrashLocks(ctx, g, w, t)
	if t.whole(g, j.Entry) {
		err = restorable(ctx, g, t)
	}
	if err == nil {
		_, err = s.bringBack(ctx, g, t, j)
	}
	if err == nil || ctx.Err() != nil || !t.whole(g, j.Entry) {
		return err
	}
	s.Trees.Notice("worktree " + w.Ref + " is in the trash again: " + fault.From(err).Error())
	return s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error { return worktree.EndIntent(tx, w, j.Before) })
}

// whole reports whether a restore has moved nothing out of the trash yet. entry is the name that git's entry is to get.
func (t Trash) whole(g *git.Repo, entry string) bool {
	_, err := os.Lstat(t.entry(g))
	return checkout.Gone(t.Worktree.Path) && (entry == "" || err == nil)
}

// clearTrashLocks clears what a killed git left locked of a worktree's branches and its trash.
func clearTrashLocks(ctx context.Context, g *git.Repo, w worktree.Worktree, t Trash) {
	refs := []string{"refs/heads/" + w.Branch}
	if t.Ref != "" {
		refs = append(refs, t.Ref+"/head", t.Ref+"/branch", t.Ref+"/work")
	}
	if branches, err := t.branches(ctx, g, ""); err == nil {
		refs = append(refs, text.Each(branches, func(b git.Head) string { return b.Ref })...)
	}
	checkout.ClearRefLocks(ctx, g, w.Begun(), refs)
}

// trashOf returns the trash of an operation, the zero one when it has none.
func (s *Store) trashOf(ctx context.Context, j journal) (Trash, error) {
	if j.TrashID == 0 {
		return Trash{}, nil
	}
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (Trash, error) { return trashByID(tx, j.TrashID) })
}

// undoRemove puts back what a failed removal had moved; cause is why it failed.
func (s *Store) undoRemove(ctx context.Context, g *git.Repo, t Trash, j journal, cause error) error {
	if err := putBack(ctx, g, t, j.Entry); err != nil {
		return errors.Join(cause, err)
	}
	if err := t.unlock(g, j.Entry); err != nil {
		return errors.Join(cause, err)
	}
	if err := dropRefs(ctx, g, t); err != nil {
		return errors.Join(cause, err)
	}
	if err := s.syncRestored(ctx, g, t); err != nil {
		return errors.Join(cause, err)
	}
	err := s.Trees.DB.Write(ctx, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) error {
		if err := tx.Do(`DELETE FROM trash WHERE id = ?`, t.ID); err != nil {
			return err
		}
		return worktree.EndIntent(tx, t.Worktree, j.Before)
	})
	return errors.Join(cause, err)
}
