package work_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Chains follow blockers through containers and stop at resolved blockers.
func TestChains(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		named := func(kind work.Kind, ref string) work.Item {
			return w.make(tx, kind, func(n *work.NewItem) { n.Ref = ref })
		}
		epic, part, a, b, c, done := named(work.KindEpic, "E"), named(work.KindTask, "part"), named(work.KindTicket, "a"), named(work.KindPlan, "b"), named(work.KindTask, "c"), named(work.KindTask, "done")
		w.link(tx, epic, work.ParentOf, part)
		w.link(tx, a, work.Blocks, epic)
		w.link(tx, b, work.Blocks, a)
		w.link(tx, c, work.Blocks, b)
		w.link(tx, b, work.Blocks, part)
		w.link(tx, done, work.Blocks, part)
		w.move(tx, done, work.StateDone)
		said := func(all []work.Linked, err error) (refs []string) {
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range all {
				refs = append(refs, fmt.Sprintf("%s %d %v", l.Ref, l.Depth, l.Resolved))
			}
			slices.Sort(refs)
			return refs
		}
		check := func(what string, got []string, want ...string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		}
		check("before", said(work.ChainBefore(tx, part.ID, 1, false)), "a 1 false", "b 1 false")
		check("all before", said(work.ChainBefore(tx, part.ID, 10, true)), "a 1 false", "b 1 false", "c 2 false", "done 1 true")
		check("after", said(work.ChainAfter(tx, b.ID, 1)), "a 1 false", "part 1 false")
		check("all after", said(work.ChainAfter(tx, c.ID, 10)), "E 3 false", "a 2 false", "b 1 false", "part 2 false")
		arrows, err := work.Arrows(tx, []int64{part.ID, epic.ID})
		if err != nil || len(arrows) != 4 {
			t.Errorf("arrows %+v, %v", arrows, err)
		}
		return nil
	})
}

// Deleting an item frees its key, and a revived item blocks again.
func TestRenameAndRevive(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		keyed := func(n *work.NewItem) { n.Ref, n.Keyed = "SEM-1", true }
		old, waits := w.make(tx, work.KindTicket, keyed), w.make(tx, work.KindTask, nil)
		other := w.make(tx, work.KindTicket, func(n *work.NewItem) { n.Ref, n.Keyed = "SEM-2", true })
		w.make(tx, work.KindTicket, func(n *work.NewItem) { keyed(n); n.ProjectID = w.held.ID })
		if err := work.Rename(tx, &other, "sem-1", work.Event{}); err == nil {
			t.Error("a key that is taken was given twice")
		}
		w.link(tx, old, work.Blocks, waits)
		for range 2 {
			if err := work.Delete(tx, old.ID, work.Event{}); err != nil {
				return err
			}
		}
		if err := work.Rename(tx, &other, "SEM-1", work.Event{}); err != nil {
			return err
		}
		if holds(t, tx, waits) != 0 {
			t.Error("a deleted blocker holds")
		}
		for range 2 {
			if err := work.Revive(tx, old.ID, work.Event{}); err != nil {
				return err
			}
		}
		if holds(t, tx, waits) != 1 {
			t.Error("a blocker that came back does not hold")
		}
		found, err := work.FindIn(tx, w.active.ID, "", "sem-1")
		if err != nil || found.ID != other.ID {
			t.Errorf("found %+v, %v", found, err)
		}
		if _, err := work.Find(tx, work.KindTicket, "sem-1"); err == nil || strings.Count(err.Error(), "of project \"") != 2 {
			t.Errorf("a key of two projects is not ambiguous, or the projects are not named: %v", err)
		}
		if n, err := work.Miscounted(tx); n != 0 || err != nil {
			t.Errorf("%d miscounted, %v", n, err)
		}
		return nil
	})
}

// A deleted item blocks nothing, whatever state it moves to, until it is revived.
func TestADeletedBlockerMoves(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		blocker, waits := w.make(tx, work.KindTicket, nil), w.make(tx, work.KindTask, nil)
		w.link(tx, blocker, work.Blocks, waits)
		if err := work.Delete(tx, blocker.ID, work.Event{}); err != nil {
			return err
		}
		for _, state := range []work.State{work.StateDone, work.StateActive} {
			if blocker = w.move(tx, blocker, state); holds(t, tx, waits) != 0 {
				t.Errorf("a deleted blocker that is %s holds", state)
			}
		}
		if err := work.Revive(tx, blocker.ID, work.Event{}); err != nil {
			return err
		}
		if holds(t, tx, waits) != 1 {
			t.Error("a blocker that came back while it is worked on does not hold")
		}
		return nil
	})
}
