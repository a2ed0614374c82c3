// Package remove moves worktrees to a trash and brings them back. It alone writes `trash`. Before a removal, proof shows that
// nothing is lost by it, unless the caller abandons the work; the trash keeps that too, until Purge, which is the one place
// that deletes a worktree's files.
//
// remove.go is the way of a removal, also of what was deleted by hand and of folders without a row, snapshot.go commits what was not
// committed, trash.go has the rows of the trash, moves folders into it, and follows a repository that was moved, restore.go brings one
// back, purge.go empties what expired, cleanup.go and stale.go find what is done with, sync.go makes it all outlive a power cut,
// recover.go mends what was cut off. A Store is safe for concurrent use by any number of processes.
package remove

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store removes and restores the worktrees of one registry.
type Store struct{ Trees *worktree.Store }

// Menders mend the removals and restores that are cut off (worktree.Operator).
func (s *Store) Menders() map[worktree.Operation]worktree.Mender {
	removal := func(ctx context.Context, g *git.Repo, _ repo.Repo, w worktree.Worktree) error {
		_, err := s.MendRemoval(ctx, g, w)
		return err
	}
	return map[worktree.Operation]worktree.Mender{worktree.OpRemove: removal, worktree.OpRestore: s.mendRestore}
}

// journal is what recovery must know of a removal or a restore.
type journal struct {
	Before  worktree.Status `json:"before,omitempty"` // status to go back to
	After   worktree.Status `json:"after,omitempty"`  // status when done
	TrashID int64           `json:"trash,omitempty"`
	Entry   string          `json:"entry,omitempty"`  // name under .git/worktrees
	Keep    bool            `json:"keep,omitempty"`   // leave the task as it is
	Branch  bool            `json:"branch,omitempty"` // leave the branch as it is
}

// Request names a worktree to move to the trash.
type Request struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it, see Find
	By       string // the agent that asks; may be empty
	// AbandonWork removes it although work in it was not merged or committed,
	// or an agent is at it. The trash keeps all of it.
	AbandonWork bool
	// DryRun only says what stands in the way.
	DryRun bool
}

// Removal is the result of a removal.
type Removal struct {
	Worktree     worktree.Worktree   `json:"worktree"`
	Removed      bool                `json:"removed"`
	Trash        string              `json:"trash,omitempty"` // folder it is in now
	RestoreUntil *timestamp.Time     `json:"restore_until,omitempty"`
	Obstacles    []obstacle.Obstacle `json:"obstacles,omitempty"` // of a dry run
}

// Remove moves a worktree to the trash once it is proved that nothing is lost with it; otherwise the error is a *Refusal that lists
// everything in the way. Its branch goes too, unless others made the worktree; Restore brings both back until the trash expires.
func (s *Store) Remove(ctx context.Context, o Request) (out Removal, err error) {
	const tries = 3 // a try fails when a commit was made meanwhile
	for try := 1; ; try++ {
		var moved movedError
		if out, err = s.tryRemove(ctx, o); !errors.As(err, &moved) || try == tries {
			return out, err
		}
	}
}

func (s *Store) tryRemove(ctx context.Context, o Request) (out Removal, err error) {
	r, w, g, err := s.open(ctx, o)
	if err != nil {
		return out, err
	}
	out.Worktree = w
	p, err := obstacle.ProveRemovable(ctx, s.Trees, obstacle.Subject{Git: g, Repo: r, Worktree: w}, o.By)
	if err != nil {
		return out, err
	}
	if p.Vanished {
		if o.DryRun {
			return out, nil
		}
		return s.Forget(ctx, p.Subject)
	}
	obstacles := p.Obstacles
	if o.AbandonWork {
		obstacles = slices.DeleteFunc(slices.Clone(obstacles), func(b obstacle.Obstacle) bool { return !b.Kind.Absolute() })
	}
	if o.DryRun {
		out.Obstacles = obstacles
		return out, nil
	}
	if err := obstacle.Refuse(w, "removed", obstacles); err != nil {
		return out, err
	}
	if !w.Row() {
		if _, p.Worktree, _, err = s.Trees.Open(ctx, r.UID, w.Path); err != nil {
			return out, err
		}
	}
	out, err = s.RemoveProved(ctx, p, Ending{After: worktree.Trashed, By: o.By})
	return out, s.Trees.Undo(ctx, p.Worktree, err)
}

// open is Open of the worktrees' store, but makes no row for a worktree that others made: it may not be removed after all.
func (s *Store) open(ctx context.Context, o Request) (r repo.Repo, w worktree.Worktree, g *git.Repo, err error) {
	if r, w, err = s.Trees.Meant(ctx, o.Repo, o.Worktree); err != nil {
		return r, w, nil, err
	}
	if !w.NeedsRow() {
		g, err = r.Open()
		return r, w, g, err
	}
	return s.Trees.Open(ctx, o.Repo, o.Worktree)
}

// Ending describes how a removal ends.
type Ending struct {
	After      worktree.Status
	By         string
	Start      func(*registry.Tx) error                    // in the first transaction; may be nil
	Finish     func(*registry.Tx, worktree.Worktree) error // in the last transaction; may be nil
	KeepTask   bool                                        // for the journal: do not complete the task
	AfterMerge bool                                        // the row has the intent of a merge, which becomes that of the removal

	keepBranch bool
}

// RemoveProved moves a worktree that was proved removable.
func (s *Store) RemoveProved(ctx context.Context, p *obstacle.Proof, how Ending) (out Removal, err error) {
	w := p.Worktree
	if !how.AfterMerge { // a merge has begun already
		end, err := worktree.Begin(w)
		if err != nil {
			return out, err
		}
		defer end()
	}
	var t Trash
	keep := s.Trees.Settings(p.Repo).RestoreFor
	j := journal{Before: w.Status, After: how.After, Entry: p.Entry, Keep: how.KeepTask, Branch: how.keepBranch || w.Foreign()}
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: p.Repo.ProjectID}, func(tx *registry.Tx) error {
		var by int64
		if how.By != "" {
			a, err := agent.Caller(tx, how.By)
			if err != nil {
				return err
			}
			by = a.ID
		}
		if t, err = discard(tx, p, keep, by); err != nil {
			return err
		}
		j.TrashID = t.ID
		if how.Start != nil {
			if err := how.Start(tx); err != nil {
				return err
			}
		}
		if how.AfterMerge {
			if err := worktree.EndIntent(tx, w, worktree.Active); err != nil {
				return err
			}
		}
		return worktree.SetIntent(tx, w, worktree.OpRemove, worktree.Removing, j)
	})
	if err != nil {
		return out, err
	}
	if err := s.carryOut(ctx, &t, p, j); err != nil {
		return out, s.undoRemove(context.WithoutCancel(ctx), p.Git, t, j, err)
	}
	if out, err = s.trashed(context.WithoutCancel(ctx), t, j, how.Finish); err == nil {
		s.purgeSome(ctx, p.Repo)
	}
	return out, err
}

// carryOut does git's and the file system's part of a removal.
func (s *Store) carryOut(ctx context.Context, t *Trash, p *obstacle.Proof, j journal) error {
	g := p.Git
	if err := s.Trees.Reach("remove:planned"); err != nil {
		return err
	}
	if p.Tree != nil {
		if err := checkout.RemovalLock(p.Tree.GitDir, t.Worktree.Ref).Take(ctx, t.Worktree.Ref, t.Worktree.Path); err != nil {
			return err
		}
		if err := still(ctx, p); err != nil {
			return err
		}
	}
	work := ""
	if p.Has(obstacle.Uncommitted, obstacle.Untracked, obstacle.Submodule) || p.Tree == nil && p.Entry != "" {
		var err error
		if work, err = snapshot(ctx, p); err != nil {
			return err
		}
	}
	if err := s.Trees.SyncWithObjects(ctx, g, t.Worktree, written(p)); err != nil {
		return err
	}
	if err := s.moveToTrash(ctx, g, t, j.Entry); err != nil {
		return err
	}
	if err := s.Trees.Reach("remove:entry"); err != nil {
		return err
	}
	if err := keepRefs(ctx, g, *t, work, !j.Branch); err != nil {
		if now, lookErr := g.Resolve(ctx, "refs/heads/"+t.Branch); lookErr == nil && now != t.BranchOID {
			return moved(t.Worktree)
		}
		return err
	}
	if err := t.unlock(g, j.Entry); err != nil {
		return err
	}
	if err := s.Trees.Reach("remove:refs"); err != nil {
		return err
	}
	return s.syncTrashed(ctx, g, *t)
}

// movedError is a refusal to remove a worktree because a commit was made after the proof.
type movedError struct{ *fault.Fault }

func (e movedError) Unwrap() error { return e.Fault }

func moved(w worktree.Worktree) error {
	return movedError{worktree.Conflictf(w, "worktree %q was not removed: a commit was added to it meanwhile", w.Ref).WithHint("try again").Retry()}
}

// still proves, with the index locked, that no commit was made since the proof.
func still(ctx context.Context, p *obstacle.Proof) error {
	head, err := p.Tree.Head(ctx)
	if err != nil {
		return err
	}
	branch := ""
	if p.Worktree.Branch != "" {
		if branch, err = p.Git.Resolve(ctx, p.Worktree.BranchRef()); err != nil {
			return err
		}
	}
	if head != p.Head || branch != p.BranchOID {
		return moved(p.Worktree)
	}
	return nil
}

// unlock releases a removal's lock on the index, which moves with git's entry.
func (t Trash) unlock(g *git.Repo, entry string) error {
	return errors.Join(checkout.RemovalLock(t.entry(g), t.Worktree.Ref).Release(),
		checkout.RemovalLock(filepath.Join(g.CommonDir, "worktrees", entry), t.Worktree.Ref).Release())
}

// trashed completes the rows of a removal.
func (s *Store) trashed(ctx context.Context, t Trash, j journal, finish func(*registry.Tx, worktree.Worktree) error) (Removal, error) {
	return registry.Write(ctx, s.Trees.DB, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) (out Removal, err error) {
		if err := tx.Do(`UPDATE trash SET status = 'kept' WHERE id = ?`, t.ID); err != nil {
			return out, err
		}
		if err := worktree.EndIntent(tx, t.Worktree, j.After); err != nil {
			return out, err
		}
		tx.Changed(registry.TopicConflicts, t.Worktree.ProjectID, t.Worktree.Repo)
		w, err := worktree.ByID(tx, t.Worktree.ID)
		if err == nil && finish != nil {
			if err = finish(tx, w); err == nil {
				w, err = worktree.ByID(tx, w.ID)
			}
		}
		if err != nil {
			return out, err
		}
		return Removal{Worktree: w, Removed: true, Trash: t.Path, RestoreUntil: &t.ExpiresAt}, nil
	})
}

// Forget takes a worktree whose folder was deleted by hand off the lists. Git's entry of it goes to the trash. Its branch stays unless
// nothing was ever committed, because its commits cannot be judged without the folder.
func (s *Store) Forget(ctx context.Context, of obstacle.Subject) (out Removal, err error) {
	p := &obstacle.Proof{Subject: of}
	g, w := of.Git, of.Worktree
	if entries := checkout.Entries(g, w.Path); len(entries) == 1 {
		tree := &git.Repo{GitDir: entries[0], CommonDir: g.CommonDir, WorkTree: w.Path}
		if p.Head, err = tree.Head(ctx); err != nil {
			return out, err
		}
		p.Entry = filepath.Base(entries[0])
	}
	tip, merged, err := s.WasMerged(ctx, g, of.Repo, w)
	if err != nil {
		return out, err
	}
	p.BranchOID = tip
	return s.RemoveProved(ctx, p, Ending{After: worktree.Trashed, keepBranch: !merged && tip != w.Base})
}

// PutAside moves a folder that is neither in git nor in the registry to the trash, as a worktree without a branch.
func (s *Store) PutAside(ctx context.Context, g *git.Repo, r repo.Repo, set worktree.Settings, path string) error {
	var t Trash
	w := worktree.Worktree{Ref: registry.NewID("w-"), Path: path, Status: worktree.Removing}
	end, err := worktree.Begin(w)
	if err != nil {
		return err
	}
	defer end()
	err = s.Trees.Adopt(ctx, r, set, w, func(tx *registry.Tx, w worktree.Worktree) (err error) {
		if t, err = discard(tx, &obstacle.Proof{Subject: obstacle.Subject{Git: g, Repo: r, Worktree: w}}, set.RestoreFor, 0); err != nil {
			return err
		}
		return worktree.SetIntent(tx, w, worktree.OpRemove, worktree.Removing, journal{Before: worktree.Removing, After: worktree.Trashed, TrashID: t.ID})
	})
	if err != nil {
		return err
	}
	if err := s.moveToTrash(ctx, g, &t, ""); err != nil {
		return err
	}
	_, err = s.trashed(ctx, t, journal{After: worktree.Trashed, TrashID: t.ID}, nil)
	return err
}
