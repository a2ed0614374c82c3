package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// giveUp puts the row in order after a merge that was refused or failed.
func (m *merging) giveUp(ctx context.Context, cause error) error {
	state, reason := m.ended(ctx, cause)
	commit := ""
	if m.moved {
		state, reason, commit = Landed, "", m.j.New
	}
	if m.unsure {
		state, reason = Returned, unsureReason
	}
	// The intent stays where recovery has something to do: a remote to ask, files to bring up to the merge, or an index to unlock.
	stays := m.moved || m.unsure || slices.ContainsFunc(m.j.Trees, func(t workingTree) bool { return t.index().Held() })
	status := m.j.Before
	if _, conflicts := errors.AsType[*MergeConflict](cause); conflicts {
		status = worktree.Conflict
	}
	err := m.Trees.DB.Write(context.WithoutCancel(ctx), m.scope(), func(tx *registry.Tx) error {
		if err := errors.Join(m.gateEnded(tx, cause), end(tx, m.landing, state, commit, reason)); err != nil || stays {
			return err
		}
		return worktree.EndIntent(tx, m.w, status)
	})
	if err != nil {
		return fmt.Errorf("%w (and its row could not be put in order: %w)", cause, err)
	}
	return m.told(ctx, cause)
}

// told returns the error for the caller of a landing that failed. When the landing was interrupted before the branch moved, the error adds
// that nothing was changed.
func (m *merging) told(ctx context.Context, cause error) error {
	if m.moved || m.unsure || ctx.Err() == nil || !errors.Is(cause, ctx.Err()) {
		return cause
	}
	interrupted := fault.Operation(nil, "worktree %q was not merged: interrupted before it was done", m.w.Ref).
		WithHint("nothing was changed; the same call tries again").Retry()
	return errors.Join(interrupted, cause)
}

// landed ends the row of the landing: the branch has it.
func (m *merging) landed(tx *registry.Tx) error { return end(tx, m.landing, Landed, m.j.New, "") }

// conclude removes the merged worktree and completes its task, unless its agent continued to work in it.
func (m *merging) conclude(ctx context.Context, out Merged) (Merged, error) {
	p, err := obstacle.Identify(ctx, m.Trees, m.subject())
	if err == nil {
		err = p.CheckUse(ctx, false)
	}
	if err != nil {
		return out, m.mergedButKept(ctx, err)
	}
	if p.Tree != nil && p.Head.OID != m.tip {
		there, err := checkout.Landed(ctx, m.g, p.Head.OID, []string{cmp.Or(m.j.New, m.j.Old)}) // such as a merge of the target
		if err != nil {
			return out, m.mergedButKept(ctx, err)
		}
		if !there {
			p.Add(obstacle.Unmerged, nil, "it has commits beside what landed")
		}
	}
	stays := m.w.Foreign() && !m.j.Remove
	if stays {
		p.Leave(obstacle.Locked, obstacle.Precious)
	}
	if len(p.Obstacles) > 0 {
		out.Kept = p.Obstacles
		err := m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
			if err := errors.Join(m.landed(tx), worktree.EndIntent(tx, m.w, worktree.Active)); err != nil {
				return err
			}
			var err error
			out.TaskOpen, err = goesOn(tx, m.w.ItemID)
			return err
		})
		out.Worktree.Status = worktree.Active
		return out, err
	}
	finish := func(tx *registry.Tx, w worktree.Worktree) error {
		if m.Trees.Options.Tasks == nil || m.j.Keep {
			return nil
		}
		var err error
		out.TaskOpen, err = m.Trees.Options.Tasks.Merged(tx, w, m.o.By)
		return err
	}
	if stays {
		return m.leaveFolder(ctx, out, finish)
	}
	removed, err := m.Removals.RemoveProved(ctx, p, remove.Ending{After: worktree.Completed, By: m.o.By, Finish: finish, KeepTask: m.j.Keep, AfterMerge: true, Start: m.landed})
	if err != nil {
		return out, m.mergedButKept(ctx, err)
	}
	out.Worktree, out.Removed, out.RestoreUntil = removed.Worktree, true, removed.RestoreUntil
	return out, nil
}

// goesOn returns that the item of a worktree that was kept stays open, "" where it is not claimed or there is none.
func goesOn(tx *registry.Tx, itemID int64) (string, error) {
	if itemID == 0 {
		return "", nil
	}
	item, err := work.ByID(tx, itemID)
	if err != nil || item.State != work.StateActive {
		return "", err
	}
	return fmt.Sprintf("task %s stays open: its worktree holds more than what landed", item.Ref), nil
}

// leaveFolder ends a merge whose worktree others made: its task is done, and the folder is theirs to remove.
func (m *merging) leaveFolder(ctx context.Context, out Merged, finish func(*registry.Tx, worktree.Worktree) error) (Merged, error) {
	out.Left = m.w.Left()
	err := m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		if err := errors.Join(m.landed(tx), worktree.EndIntent(tx, m.w, worktree.Completed)); err != nil {
			return err
		}
		w, err := worktree.ByID(tx, m.w.ID)
		if err == nil {
			err = finish(tx, w)
		}
		if err == nil {
			out.Worktree, err = worktree.ByID(tx, w.ID)
		}
		tx.Changed(registry.TopicConflicts, m.r.ProjectID, m.r.Name)
		return err
	})
	return out, err
}

func (m *merging) mergedButKept(ctx context.Context, cause error) error {
	err := m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error { // ends the merge's intent if the row still has it
		w, err := worktree.ByID(tx, m.w.ID)
		if err != nil || w.Operation() != worktree.OpMerge {
			return err
		}
		return errors.Join(m.landed(tx), worktree.EndIntent(tx, w, worktree.Active))
	})
	if err != nil {
		return err
	}
	return fault.Operation(cause, "worktree %q is merged into %s, but was not removed", m.w.Ref, m.target).
		WithHint("merge it again to have it removed")
}
