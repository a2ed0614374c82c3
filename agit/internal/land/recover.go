package land

import (
	"context"
	"errors"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// mend finishes a merge or an update whose branch was moved, and takes back all others.
func (s *Store) mend(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) error {
	m, happened, err := s.mendBranch(ctx, g, r, w)
	if err != nil || !happened {
		return err
	}
	if m.j.Update {
		return m.updated(ctx)
	}
	_, err = m.conclude(ctx, Merged{})
	return err
}

// mendBranch brings the files up to a branch that was moved. When the branch was not moved, the operation is taken back.
func (s *Store) mendBranch(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) (m *merging, happened bool, err error) {
	var j journal
	if err := w.ReadJournal(&j); err != nil {
		return nil, false, err
	}
	gitDirs := text.Each(j.Trees, func(t workingTree) string { return t.GitDir })
	if tree, err := git.Find(w.Path); j.Commit && err == nil && tree.CommonDir == g.CommonDir {
		checkout.ClearWorkLocks(ctx, tree, w.Begun())
	}
	refs := []string{"refs/heads/" + w.Branch, j.Target}
	if j.Remote != "" {
		refs = append(refs, checkout.SeenRef(j.Remote, j.branch()))
	}
	checkout.ClearRefLocks(ctx, g, w.Begun(), refs, gitDirs...)
	if j.Run != "" {
		worker.EndRun(ctx, j.Run, 0, "", 0) // the checkout that it tests will be removed
	}
	if j.Scratch != "" {
		if err := checkout.Discard(g, w.Ref, j.Scratch); err != nil {
			return nil, false, err
		}
	}
	set := s.Trees.Settings(r)
	if err := discardHalfKept(g, r, worktree.FolderOf(r, set)); err != nil {
		return nil, false, err
	}
	if j.Remote != "" {
		if happened, err = s.pushed(ctx, g, j, set); err != nil {
			return nil, false, err
		}
	} else if j.New != "" {
		now, err := g.Resolve(ctx, j.Target)
		if err != nil {
			return nil, false, err
		}
		if happened = now == j.New; !happened && now != "" {
			if happened, err = checkout.IsAncestor(ctx, g, j.New, now); err != nil {
				return nil, false, err
			}
		}
	}
	if !happened {
		for _, t := range j.Trees {
			if err := t.unlock(); err != nil {
				return nil, false, err
			}
		}
		return nil, false, s.Trees.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
			return errors.Join(s.giveBack(tx, j), worktree.EndIntent(tx, w, j.Before))
		})
	}
	m = &merging{Store: s, g: g, r: r, w: w, set: set, j: j, moved: true, deed: merged,
		update: j.Update, tip: j.Tip, target: j.branch(), remote: j.Remote, landing: j.Landing}
	if j.Remote != "" {
		return m, true, m.mendFollowing(ctx)
	}
	for _, t := range j.Trees {
		if err := t.finish(ctx, g, j.Old, j.New); err != nil {
			return nil, false, err
		}
	}
	m.j.Trees = slices.DeleteFunc(m.j.Trees, workingTree.gone) // they have no file to sync
	if m.changes, err = diffTree(ctx, g, git.Options{}, j.Old, j.New); err != nil {
		return nil, false, err
	}
	return m, true, m.syncMerged(ctx)
}

// giveBack ends the landing of an operation that was taken back. It is returned, except a guest of a batch whose own process still waits:
// that waits for its turn again.
func (s *Store) giveBack(tx *registry.Tx, j journal) error {
	if j.Guest {
		guest, err := byID(tx, j.Landing)
		if err != nil {
			return err
		}
		if !s.abandoned(guest) {
			return requeue(tx, j.Landing)
		}
	}
	return end(tx, j.Landing, Returned, "", abandonedReason)
}

// mendRemoval mends a removal. A removal after a merge that had to be taken back is tried again, with its proof.
func (s *Store) mendRemoval(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) error {
	undone, err := s.Removals.MendRemoval(ctx, g, w)
	if err != nil || undone == nil || undone.After != worktree.Completed {
		return err
	}
	m := &merging{Store: s, g: g, r: r, set: s.Trees.Settings(r), j: journal{Before: worktree.Active, Keep: undone.KeepTask}, tip: undone.Head, moved: true, target: s.Trees.Settings(r).DefaultBranch}
	m.j.Target = "refs/heads/" + m.set.DefaultBranch
	if m.w, err = s.Trees.Reload(ctx, w); err != nil {
		return err
	}
	_, err = m.conclude(ctx, Merged{})
	return err
}
