package land

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// moveBranch moves the default branch to the merge by compare-and-swap, with the
// files of the places where it is checked out; false when it had moved.
func (m *merging) moveBranch(ctx context.Context) (moved bool, err error) {
	if m.remote != "" {
		return m.pushBranch(ctx)
	}
	trees, err := workingTreesOn(ctx, m.g, m.w, m.j.Target)
	if err != nil {
		return false, err
	}
	m.j.Trees = trees
	if err := m.verify(ctx); err != nil {
		return false, err
	}
	if err := m.noteDown(ctx, m.gatePassed()); err != nil {
		return false, err
	}
	return m.moveWith(ctx, trees)
}

// moveWith moves the branch together with the files of working trees, after both are noted down.
func (m *merging) moveWith(ctx context.Context, trees []workingTree) (moved bool, err error) {
	done := false
	defer func() {
		for _, t := range trees {
			if done {
				break
			}
			if failed := t.unlock(); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}()
	for _, t := range trees {
		if err := t.index().Take(ctx, m.w.Ref, t.Path); err != nil {
			return false, err
		}
	}
	// Files and index match the branch only as long as it stays where it was.
	if _, now, err := m.destination(ctx); err != nil || now != m.j.Old {
		return false, err
	}
	for _, t := range trees {
		if err := t.prepare(ctx, m); err != nil {
			return false, err
		}
	}
	if err := m.Trees.SyncWithObjects(ctx, m.g, m.w, m.keptFiles()); err != nil {
		return false, err
	}
	if err := m.Trees.Reach("merge:prepared"); err != nil {
		return false, err
	}
	if moved, err := m.swapRef(ctx); err != nil || !moved {
		return false, err
	}
	done = true
	m.moved = true
	if err := m.Trees.Reach("merge:swapped"); err != nil {
		return true, err
	}
	// From here on there is no way back, so cancelling must not stop it.
	ctx = context.WithoutCancel(ctx)
	for _, t := range trees {
		if err := t.apply(ctx, m.g, m.j.Old, m.j.New, m.Trees.Reach); err != nil {
			if again := t.finish(ctx, m.g, m.j.Old, m.j.New); again != nil {
				return true, fault.Operation(err, "worktree %q is merged into %s, but the files of %q did not follow", m.w.Ref, m.target, t.Path).
					WithHint("`agit doctor --fix` brings them up to it")
			}
		}
		if left := t.submodulesLeft(m.changes); len(left) > 0 {
			m.Trees.Notice(fmt.Sprintf("a landing checks out no submodule, and a commit of everything in %q would take the landed one back: %s; `git submodule update` there first",
				t.Path, text.Few(left)))
		}
	}
	return true, m.syncMerged(ctx)
}

// swapRef is the one step that makes the merge happen.
func (m *merging) swapRef(ctx context.Context) (bool, error) {
	at := m.g
	if len(m.j.Trees) > 0 {
		at = m.j.Trees[0].repo(m.g) // so that its HEAD's reflog has it too
	}
	expected := m.j.Old
	if here, err := m.g.Resolve(ctx, m.j.Target); err != nil {
		return false, err
	} else if here == "" {
		expected = git.ZeroOID(m.j.Old) // known from the remote only
	}
	why := "agit merge " + m.w.Branch
	if m.update {
		why = "agit update: " + m.with
	}
	err := checkout.UpdateRefs(ctx, at, git.Options{}, m.Trees.Notice, []string{m.j.Target}, "-m", why, m.j.Target, m.j.New, expected)
	if err == nil {
		return true, nil
	}
	now, resolveErr := m.g.Resolve(context.WithoutCancel(ctx), m.j.Target)
	moved, overtaken := m.j.afterFailure(now, resolveErr == nil, ctx.Err() != nil)
	if moved || overtaken {
		return moved, nil
	}
	return false, git.Fault(err, "move branch %q", m.target)
}

// afterFailure decides what came of a move of the branch that git did not report as done. The branch is at now, if it is readable. It has
// moved when git was cut off after the move. It was overtaken when it is elsewhere, unless the landing is over: then the failure counts.
func (j journal) afterFailure(now string, readable, over bool) (moved, overtaken bool) {
	if !readable || now == "" {
		return false, false
	}
	moved = now == j.New
	return moved, !moved && !over && now != j.Old
}

// takeTurn waits until no other process merges in the repository; end lets the next
// one in. The lock ends with its process. takeTurn first completes or undoes a killed
// merge, whose lock on the index would stand in the way.
func (m *merging) takeTurn(ctx context.Context) (end func(), err error) {
	lock, err := checkout.LockFile(m.g, "merge.lock")
	if err != nil {
		return nil, err
	}
	waited := false
	const pause = 10 * time.Millisecond
	if got, err := lock.TryLock(); err == nil && !got {
		waited = true
		done := checkout.Slow(m.Trees.Notice, func() string {
			return fmt.Sprintf("waiting for another process that moves a branch of repository %q", m.r.Name)
		})
		defer done()
		if _, err = lock.TryLockContext(ctx, pause); err != nil {
			lock.Close()
			return nil, err
		}
	} else if err != nil {
		lock.Close()
		return nil, fault.Operation(err, "take the lock for merges into %q", m.r.Path).WithHint("check that %q can be written", m.g.CommonDir)
	}
	if waited {
		if _, err := m.Trees.Recovered(ctx, m.r); err != nil {
			lock.Close()
			return nil, err
		}
	}
	return func() { lock.Close() }, nil
}
