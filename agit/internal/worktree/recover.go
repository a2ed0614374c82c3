package worktree

import (
	"context"
	"fmt"
	"os"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Mender finishes or undoes an operation of one kind whose process is gone. The intent belongs to this process by then. Mender may be
// called again when it was cut off itself.
type Mender func(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error

// Operator is a store of operations on worktrees: it mends those of its own operations that were cut off.
type Operator interface{ Menders() map[Operation]Mender }

// MendedBy names the stores that mend operations that were cut off, before any other use of this one. When two mend the same operation, the
// last one does it.
func (s *Store) MendedBy(operators ...Operator) {
	for _, o := range operators {
		for op, mender := range o.Menders() {
			s.OnInterrupted(op, mender)
		}
	}
}

// OnInterrupted names the mender of operations of one kind; the last one named counts.
func (s *Store) OnInterrupted(op Operation, mender Mender) {
	if s.menders == nil {
		s.menders = map[Operation]Mender{}
	}
	s.menders[op] = mender
}

// Recovered opens a repository after finishing or undoing what processes that
// are gone left half done in it.
func (s *Store) Recovered(ctx context.Context, r repo.Repo) (*git.Repo, error) {
	left, err := s.Interrupted(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return s.mended(ctx, r, left)
}

// mended opens a repository and mends its worktrees that were left half done.
func (s *Store) mended(ctx context.Context, r repo.Repo, left []Worktree) (*git.Repo, error) {
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	for _, w := range left {
		if err := s.Mend(ctx, g, r, w); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.Notice(fmt.Sprintf("worktree %s was left half done and could not be put in order: %v", w.Ref, err))
		}
	}
	return g, nil
}

// Interrupted returns the worktrees with an intent whose process is gone; repoID 0 looks in all repositories.
func (s *Store) Interrupted(ctx context.Context, repoID int64) ([]Worktree, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Worktree, error) { return interrupted(tx, repoID) })
}

func interrupted(tx *registry.Tx, repoID int64) (left []Worktree, err error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE w.intent <> '' AND (? = 0 OR w.repo_id = ?) ORDER BY w.id`, repoID, repoID)
	for _, w := range all {
		if w.abandoned() {
			left = append(left, w)
		}
	}
	return left, err
}

// Mend takes over the intent of a process that is gone, and finishes or undoes its operation. Of several that try, one does it.
func (s *Store) Mend(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error {
	end, err := Begin(w)
	if err != nil {
		return nil // another call mends it
	}
	defer end()
	var now Worktree
	mine := false
	err = s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		at := registry.FormatTime(w.intent.at) // locks that it left are recognised by when it began, also after a mending that was cut off
		if process.Mark() == process.Unmarked {
			at = tx.Stamp() // nothing else shows whether this process runs
		}
		n, err := tx.Exec(`UPDATE worktrees SET intent_host = ?, intent_pid = ?, intent_boot = ?, intent_at = ?
			WHERE id = ? AND intent = ? AND intent_pid = ? AND intent_boot = ?`,
			registry.Host(), os.Getpid(), process.Mark(), at, w.ID, w.intent.op, w.intent.pid, w.intent.boot)
		if mine = n == 1; err != nil || !mine {
			return err
		}
		// The process may have noted more and been killed since w was read.
		now, err = ByID(tx, w.ID)
		now.intent.at = w.intent.at
		return err
	})
	if err != nil || !mine {
		return err
	}
	mender := s.menders[w.intent.op]
	if mender == nil {
		return fmt.Errorf("worktree %s has an unknown intent %q", w.Ref, w.intent.op)
	}
	return mender(ctx, g, r, now)
}
