package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// recovered opens a repository after finishing or undoing what processes that
// are gone left half done in it.
func (s *Store) recovered(ctx context.Context, r repo.Repo) (*git.Repo, error) {
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	left, err := s.interrupted(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, w := range left {
		if err := s.mend(ctx, g, r, w); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.o.Notice(fmt.Sprintf("worktree %s was left half done and could not be put in order: %v", w.Ref, err))
		}
	}
	return g, nil
}

// Recover finishes or undoes, in every repository of this machine, the
// operations whose process is gone, and says which. A repository that cannot
// be opened is passed over.
func (s *Store) Recover(ctx context.Context) (mended []Worktree, err error) {
	left, err := s.interrupted(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, w := range left {
		r, g, e := s.openRepo(ctx, w.RepoID)
		if e == nil {
			e = s.mend(ctx, g, r, w)
		}
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		mended = append(mended, w)
	}
	return mended, err
}

func (s *Store) openRepo(ctx context.Context, id int64) (r repo.Repo, g *git.Repo, err error) {
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		r, err = repo.ByID(tx, id)
		return err
	})
	if err != nil {
		return r, nil, err
	}
	g, err = r.Open()
	return r, g, err
}

// interrupted returns the worktrees with an intent that nobody works on.
func (s *Store) interrupted(ctx context.Context, repoID int64) (left []Worktree, err error) {
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		all, err := registry.Collect(tx, scan, selection+`WHERE w.intent <> '' AND (? = 0 OR w.repo_id = ?) ORDER BY w.id`, repoID, repoID)
		for _, w := range all {
			if w.abandoned() {
				left = append(left, w)
			}
		}
		return err
	})
	return left, err
}

// mend takes an intent over from the process that is gone, and finishes or
// undoes what it stands for. Of several that try, one does it.
func (s *Store) mend(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error {
	end, err := begin(w)
	if err != nil {
		return nil // it is being mended
	}
	defer end()
	mine := false
	err = s.db.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		n, err := tx.Exec(`UPDATE worktrees SET intent_host = ?, intent_pid = ?, intent_boot = ?, intent_at = ?
			WHERE id = ? AND intent = ? AND intent_pid = ? AND intent_boot = ?`,
			registry.Host(), os.Getpid(), processMark(), tx.Stamp(), w.ID, w.intent.kind, w.intent.pid, w.intent.boot)
		mine = n == 1
		return err
	})
	if err != nil || !mine {
		return err
	}
	j, err := w.readJournal()
	if err != nil {
		return err
	}
	t, err := s.trashOf(ctx, j)
	if err != nil {
		return err
	}
	clearLocks(ctx, g, w, j, t)
	switch w.intent.kind {
	case intentSpawn:
		w.Agent = j.Agent
		return s.mendSpawn(ctx, g, r, w)
	case intentMerge:
		return s.mendMerge(ctx, g, r, w, j)
	case intentRemove:
		return s.mendRemove(ctx, g, r, w, j, t)
	case intentRestore:
		_, err = s.bringBack(ctx, g, t, j)
		return err
	}
	return fmt.Errorf("worktree %s has an unknown intent %q", w.Ref, w.intent.kind)
}

// mendSpawn undoes a spawn, unless somebody works in the folder already: then
// it finishes it.
func (s *Store) mendSpawn(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error {
	if tree, err := git.Find(w.Path); err == nil && tree.Linked() && tree.WorkTree == w.Path && tree.CommonDir == g.CommonDir {
		head, err := tree.Head(ctx)
		if err == nil && head.OID != "" && head.OID != w.Base {
			if err := s.lastSpawned(ctx, g, r, w); err != nil {
				return err
			}
			_, err := s.complete(ctx, w)
			return err
		}
	}
	return s.undoSpawn(ctx, g, w, nil)
}

// mendMerge finishes a merge whose branch was moved, and takes back all others.
func (s *Store) mendMerge(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree, j journal) error {
	if j.Scratch != "" {
		if err := discardFolder(g, Worktree{Ref: w.Ref, Path: j.Scratch}); err != nil {
			return err
		}
	}
	happened := false
	if j.New != "" {
		now, err := g.Resolve(ctx, j.Target)
		if err != nil {
			return err
		}
		if happened = now == j.New; !happened && now != "" {
			if happened, err = isAncestor(ctx, g, j.New, now); err != nil {
				return err
			}
		}
	}
	if !happened {
		for _, t := range j.Trees {
			if err := t.unlock(); err != nil {
				return err
			}
		}
		return s.settle(ctx, w, j.Before)
	}
	for _, t := range j.Trees {
		if err := t.finish(ctx, g, j.Old, j.New); err != nil {
			return err
		}
	}
	m := &merging{Store: s, g: g, r: r, w: w, set: s.settings(r), j: j, moved: true}
	if err := m.lastMerged(ctx); err != nil {
		return err
	}
	tip, err := g.Run(ctx, "rev-parse", "--verify", "--end-of-options", j.New+"^2")
	if err != nil {
		return git.Fault(err, "read the merge of %q", w.Ref)
	}
	m.tip = tip
	_, err = m.conclude(ctx, Merged{})
	return err
}

// mendRemove finishes a removal whose folder was moved. One that had not got so
// far is taken back; after a merge it is tried again, with its proof.
func (s *Store) mendRemove(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree, j journal, t Trash) error {
	finish := func(tx *registry.Tx, w Worktree) error {
		if j.After != Completed || s.o.Tasks == nil || j.Keep {
			return nil
		}
		_, err := s.o.Tasks.Merged(tx, w, "")
		return err
	}
	if _, err := os.Lstat(t.tree()); err != nil && !folderGone(w) {
		if err := s.undoRemove(ctx, g, t, j, nil); err != nil || j.After != Completed {
			return err
		}
		m := &merging{Store: s, g: g, r: r, w: w, set: s.settings(r), j: journal{Before: Active, Keep: j.Keep}, tip: t.HeadOID, moved: true}
		m.j.Target = "refs/heads/" + m.set.DefaultBranch
		now, err := s.reload(ctx, w)
		if err != nil {
			return err
		}
		m.w = now
		_, err = m.conclude(ctx, Merged{})
		return err
	}
	if err := s.moveToTrash(ctx, g, &t, j.Entry); err != nil {
		return err
	}
	if err := keepRefs(ctx, g, t, "", t.BranchOID != ""); err != nil {
		return err
	}
	if err := t.unlock(g, j.Entry); err != nil {
		return err
	}
	if err := lastTrashed(ctx, g, t); err != nil {
		return err
	}
	_, err := s.trashed(ctx, t, j, finish)
	return err
}

func (s *Store) reload(ctx context.Context, w Worktree) (now Worktree, err error) {
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		now, err = byID(tx, w.ID)
		return err
	})
	return now, err
}

// trashOf returns the trash of an operation, the zero one when it has none.
func (s *Store) trashOf(ctx context.Context, j journal) (t Trash, err error) {
	if j.TrashID == 0 {
		return t, nil
	}
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		t, err = trashByID(tx, j.TrashID)
		return err
	})
	return t, err
}
