package spawn

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// undoSpawn takes back what a failed spawn has made so far; a branch that existed before stays. It may be repeated, and also serves a
// process that was killed.
func (s *Store) undoSpawn(ctx context.Context, g *git.Repo, w worktree.Worktree, branchStays bool) error {
	if err := checkout.Discard(g, w.Ref, w.Path); err != nil {
		return err
	}
	if !branchStays {
		if err := takeBackBranch(ctx, g, w); err != nil {
			return err
		}
	}
	return s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return worktree.Withdraw(tx, w.ID)
	})
}

// takeBackBranch deletes the branch of a failed spawn, if it is still at the commit that the spawn made it at.
func takeBackBranch(ctx context.Context, g *git.Repo, w worktree.Worktree) error {
	oid, err := g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil || oid != w.Base {
		return err
	}
	ref := "refs/heads/" + w.Branch
	if err := checkout.UpdateRefs(ctx, g, git.Options{}, nil, []string{ref}, "-d", ref, w.Base); err != nil {
		return git.Fault(err, "take back branch %q", w.Branch)
	}
	return nil
}

// mend undoes a spawn, unless an agent works in the folder already: then
// it finishes it.
func (s *Store) mend(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) error {
	var j journal
	if err := w.ReadJournal(&j); err != nil {
		return err
	}
	checkout.ClearRefLocks(ctx, g, w.Begun(), []string{"refs/heads/" + w.Branch})
	w.Agent = j.Agent
	if tree, err := git.Find(w.Path); err == nil && tree.Linked() && tree.WorkTree == w.Path && tree.CommonDir == g.CommonDir {
		head, err := tree.Head(ctx)
		if err == nil && head.OID != "" && head.OID != w.Base {
			if err := s.syncSpawned(ctx, g, r, w); err != nil {
				return err
			}
			_, err := s.complete(ctx, w)
			return err
		}
	}
	return s.undoSpawn(ctx, g, w, j.Existing)
}
