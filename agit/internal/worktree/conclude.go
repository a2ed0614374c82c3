package worktree

import (
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// giveUp puts the row in order after a merge that was refused or failed.
func (m *merging) giveUp(ctx context.Context, cause error) error {
	if m.moved {
		return cause // the intent stays, and recovery brings the files up to it
	}
	if slices.ContainsFunc(m.j.Trees, func(t filesOf) bool { return t.index().held() }) {
		return cause // as before: recovery unlocks
	}
	status := m.j.Before
	if isMergeConflict(cause) {
		status = Conflict
	}
	if err := m.settle(ctx, m.w, status); err != nil {
		return fmt.Errorf("%w (and its row could not be put in order: %w)", cause, err)
	}
	return cause
}

// conclude removes the merged worktree and completes its task, unless somebody
// went on working in it.
func (m *merging) conclude(ctx context.Context, out Merged) (Merged, error) {
	p, err := m.identify(ctx, m.g, m.r, m.w)
	if err == nil && p.tree != nil {
		if err = m.checkContent(ctx, m.g, p); err == nil {
			err = p.idle(ctx)
		}
	}
	if err != nil {
		return out, m.mergedButKept(ctx, err)
	}
	if p.tree != nil && p.head.OID != m.tip {
		p.add(Unmerged, nil, "commits were added to it while it was being merged")
	}
	if len(p.obstacles) > 0 {
		out.Kept = p.obstacles
		err := m.settle(ctx, m.w, Active)
		out.Worktree.Status = Active
		return out, err
	}
	finish := func(tx *registry.Tx, w Worktree) error {
		if m.Store.o.Tasks == nil || m.j.Keep {
			return nil
		}
		var err error
		out.TaskOpen, err = m.Store.o.Tasks.Merged(tx, w, m.o.By)
		return err
	}
	removed, err := m.remove(ctx, m.g, m.r, m.w, p, m.set, removal{after: Completed, by: m.o.By, finish: finish, keep: m.j.Keep, merged: true})
	if err != nil {
		return out, m.mergedButKept(ctx, err)
	}
	out.Worktree, out.Removed, out.RestoreUntil = removed.Worktree, true, removed.RestoreUntil
	return out, nil
}

func (m *merging) mergedButKept(ctx context.Context, cause error) error {
	if err := m.settleIfMerging(ctx); err != nil {
		return err
	}
	return fault.Operation(cause, "worktree %q is merged into %s, but was not removed", m.w.Ref, m.set.DefaultBranch).
		WithHint("merge it again to have it removed")
}

// settleIfMerging ends the merge's intent if it is still there.
func (m *merging) settleIfMerging(ctx context.Context) error {
	return m.db.Write(ctx, registry.Scope{Project: m.r.ProjectID}, func(tx *registry.Tx) error {
		w, err := byID(tx, m.w.ID)
		if err != nil || w.intent.kind != intentMerge {
			return err
		}
		return endIntent(tx, w, Active)
	})
}
