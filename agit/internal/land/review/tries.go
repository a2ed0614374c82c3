package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Discarded is a try that was not chosen. It is in the trash, from where it can be restored.
type Discarded struct {
	Worktree string `json:"worktree_id"`
	Kept     string `json:"kept,omitempty"` // why it could not be removed
}

// choose makes a try's worktree that of its task, so that the task lands with it. Other worktrees stay as they are. It returns a
// ConflictError while another try of the task runs or lands, and after one has landed.
func choose(tx *registry.Tx, v Review) error {
	all, own, err := tries.In(tx, v.WorktreeID)
	if err != nil || len(all) == 0 {
		return err
	}
	if slices.ContainsFunc(all, func(t tries.Try) bool { return t.State == tries.Running }) {
		return fault.Conflict("review", v.Worktree, "another try of the task of worktree %q has not ended, so that none is accepted yet", v.Worktree).
			WithHint("wait for it, or run `agit race` with the task again, which goes on where it was cut off")
	}
	for _, t := range all {
		if t.ID == own.ID || t.WorktreeID == 0 {
			continue
		}
		if err := notChosen(tx, v, t); err != nil {
			return err
		}
	}
	w, err := worktree.ByID(tx, v.WorktreeID)
	if err != nil || w.ItemID != 0 {
		return err
	}
	return give(tx, all, own)
}

// notChosen refuses to accept a try when the other one is on its way into a branch, or is in one.
func notChosen(tx *registry.Tx, v Review, other tries.Try) error {
	w, err := worktree.ByID(tx, other.WorktreeID)
	if err != nil {
		return err
	}
	l, err := land.Last(tx, w.ID)
	switch {
	case err != nil:
		return err
	case l != nil && !l.State.Over():
		return fault.Conflict("review", v.Worktree, "worktree %q was not accepted: another try of its task, %q, is being landed", v.Worktree, w.Ref).
			WithHint("`agit queue` shows how far it is").Retry()
	case w.Status == worktree.Completed || l != nil && l.State == land.Landed:
		return fault.Conflict("review", v.Worktree, "worktree %q was not accepted: another try of its task, %q, has landed", v.Worktree, w.Ref).
			WithHint("`agit merge %s` lands this one beside it", v.Worktree)
	}
	return nil
}

// give makes a try's worktree that of the task, in its row and in that of its review.
func give(tx *registry.Tx, all []tries.Try, own tries.Try) error {
	if err := tries.Give(tx, all, own); err != nil {
		return err
	}
	held, err := lease.Get(tx, own.ItemID)
	if err != nil {
		return err
	}
	if held.Held() { // the work belongs to the claimant from now on
		if err := worktree.Assign(tx, own.WorktreeID, held.AgentID); err != nil {
			return err
		}
	}
	for _, t := range all {
		item := int64(0)
		if t.ID == own.ID {
			item = t.ItemID
		}
		if err := tx.Do(`UPDATE reviews SET item_id = ? WHERE worktree_id = ? AND state = 'waiting'`, registry.NullIfZero(item), registry.NullIfZero(t.WorktreeID)); err != nil {
			return err
		}
	}
	tx.Changed(registry.TopicTasks, own.ProjectID, "")
	return nil
}

// Lead makes the worktree of the first try that waits for a person that of the task, once all tries have ended, so that the task waits in
// review.
func (s *Store) Lead(ctx context.Context, project, itemID int64) error {
	return s.DB.Write(ctx, registry.Scope{Project: project}, func(tx *registry.Tx) error {
		all, err := tries.Of(tx, itemID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t tries.Try) bool { return t.State == tries.Shown })
		if i < 0 {
			return nil
		}
		return give(tx, all, all[i])
	})
}

// passOn makes the next try that waits for a person that of the task, after the try of v was returned, and the first one when none waits. It
// returns v as a review of the task, with words that name the try, and whether other tries are still to be decided. A review that is not of
// a try stays as it is.
func passOn(tx *registry.Tx, v Review) (Review, bool, error) {
	all, own, err := tries.In(tx, v.WorktreeID)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	v.ItemID, v.Why = own.ItemID, fmt.Sprintf("try %d: %s", own.Number, v.Why)
	if slices.ContainsFunc(all, func(t tries.Try) bool { return t.State == tries.Running }) {
		return v, true, nil
	}
	if i := slices.IndexFunc(all, func(t tries.Try) bool { return t.State == tries.Shown }); i >= 0 {
		return v, true, give(tx, all, all[i])
	}
	if all[0].WorktreeID == 0 {
		return v, false, nil
	}
	first, err := worktree.ByID(tx, all[0].WorktreeID)
	if err != nil || !first.Status.Live() {
		return v, false, err
	}
	return v, false, give(tx, all, all[0])
}

// discard moves the other tries of a task to the trash once one was accepted. A try that cannot be moved stays, with the reason, and so does
// one in a folder that others made.
func (s *Store) discard(ctx context.Context, w worktree.Worktree) (list []Discarded, err error) {
	var others []worktree.Worktree
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, _, err := tries.In(tx, w.ID)
		if err != nil {
			return err
		}
		for _, t := range all {
			if t.WorktreeID == 0 || t.WorktreeID == w.ID {
				continue
			}
			other, err := worktree.ByID(tx, t.WorktreeID)
			if err != nil {
				return err
			}
			if other.Status != worktree.Completed {
				others = append(others, other)
			}
		}
		return nil
	})
	for _, other := range others {
		one := Discarded{Worktree: other.Ref}
		if other.Status.Live() {
			one.Kept = other.Left()
		}
		if other.Status.Live() && one.Kept == "" {
			if _, failed := s.Landings.Removals.Remove(ctx, remove.Request{Repo: other.Repo, Worktree: other.Ref, AbandonWork: true}); failed != nil {
				one.Kept = fault.From(failed).Message
			}
		}
		list = append(list, one)
	}
	return list, err
}
