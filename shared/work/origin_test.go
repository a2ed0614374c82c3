package work_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// from makes an item of some kind and sets it as the origin of item.
func (w *world) from(tx *registry.Tx, item work.Item, kind work.Kind) work.Item {
	w.t.Helper()
	origin := w.make(tx, kind, nil)
	if _, err := tx.Exec(`UPDATE items SET origin_id = ? WHERE id = ?`, origin.ID, item.ID); err != nil {
		w.t.Fatal(err)
	}
	return origin
}

// origins are the ways in which a task's origin keeps it from being ready.
var origins = []struct {
	says  string
	spoil func(*world, *registry.Tx, work.Item) error
}{
	{"which waits for elsewhere-1", func(_ *world, tx *registry.Tx, origin work.Item) error {
		return work.AddOutside(tx, origin.ID, work.Outside{Ref: "elsewhere-1"}, work.Event{})
	}},
	{"which waits for t-", func(w *world, tx *registry.Tx, origin work.Item) error {
		w.link(tx, w.make(tx, work.KindTask, nil), work.Blocks, origin)
		return nil
	}},
	{"which is completed", func(w *world, tx *registry.Tx, origin work.Item) error {
		w.move(tx, origin, work.StateDone)
		return nil
	}},
	{"which is failed", func(w *world, tx *registry.Tx, origin work.Item) error {
		w.move(tx, origin, work.StateDropped)
		return nil
	}},
	{"which was deleted", func(_ *world, tx *registry.Tx, origin work.Item) error {
		return work.Delete(tx, origin.ID, work.Event{})
	}},
	{"which is assigned to bob", func(w *world, tx *registry.Tx, origin work.Item) error { return work.Assign(tx, origin.ID, w.bob.ID) }},
	{"which is assigned to carol", func(_ *world, tx *registry.Tx, origin work.Item) error {
		return work.AssignPerson(tx, origin.ID, "Carol")
	}},
}

func ready(t *testing.T, tx *registry.Tx, item work.Item, agent int64) (bool, work.Explanation) {
	t.Helper()
	item, err := work.ByID(tx, item.ID)
	if err != nil {
		t.Fatal(err)
	}
	said, err := work.Explain(tx, item, agent)
	if err != nil {
		t.Fatal(err)
	}
	is, err := registry.One[bool](tx.QueryRow(`SELECT `+work.Ready+` FROM items WHERE id = ?`, agent, item.ID))
	if err != nil || is != said.Ready {
		t.Fatalf("ready %v, explained %+v, %v", is, said, err)
	}
	return is, said
}

func TestOriginKeepsItsTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		for _, kind := range []work.Kind{work.KindTicket, work.KindPlan} {
			for _, o := range origins {
				item := w.make(tx, work.KindTask, nil)
				origin := w.from(tx, item, kind)
				if is, said := ready(t, tx, item, w.ann.ID); !is {
					t.Errorf("a task of an open %s: %+v", kind, said)
				}
				if err := o.spoil(w, tx, origin); err != nil {
					return err
				}
				_, said := ready(t, tx, item, w.ann.ID)
				if len(said.Reasons) != 1 || said.Reasons[0].Why != work.WhyOrigin || !strings.Contains(said.Reasons[0].Sentence, origin.Ref+", "+o.says) {
					t.Errorf("%s: %+v", o.says, said.Reasons)
				}
			}
		}
		return nil
	})
}

// An assignment of the task itself counts for more than that of its ticket.
func TestAssignmentOfTheTaskCountsFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		item := w.make(tx, work.KindTask, nil)
		origin := w.from(tx, item, work.KindTicket)
		if err := work.AssignPerson(tx, origin.ID, "Carol"); err != nil {
			return err
		}
		if err := work.Assign(tx, item.ID, w.ann.ID); err != nil {
			return err
		}
		if is, said := ready(t, tx, item, w.ann.ID); !is {
			t.Errorf("ann's own task: %+v", said)
		}
		other := w.make(tx, work.KindTask, nil)
		origin = w.from(tx, other, work.KindTicket)
		if err := work.Assign(tx, origin.ID, w.ann.ID); err != nil {
			return err
		}
		if is, said := ready(t, tx, other, w.ann.ID); !is {
			t.Errorf("the task of ann's ticket: %+v", said)
		}
		if is, _ := ready(t, tx, other, w.bob.ID); is {
			t.Error("the task of ann's ticket is offered to bob")
		}
		return nil
	})
}

// Each kind of outside blocker or origin, together with each other condition.
func TestReadyPairs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	added := []condition{
		{work.WhyOutside, func(_ *world, tx *registry.Tx, item work.Item) error {
			return work.AddOutside(tx, item.ID, work.Outside{Ref: "PLAT-9"}, work.Event{})
		}},
		{work.WhyOrigin, func(w *world, tx *registry.Tx, item work.Item) error {
			origin := w.from(tx, item, work.KindTicket)
			w.move(tx, origin, work.StateDone)
			return nil
		}},
	}
	w.write(func(tx *registry.Tx) error {
		for _, state := range states {
			w.tryReady(tx, work.KindTask, false, state, added)
			for _, one := range added {
				w.tryReady(tx, work.KindTask, false, state, []condition{one})
				for _, other := range conditions {
					w.tryReady(tx, work.KindTask, true, state, []condition{one, other})
				}
			}
		}
		return nil
	})
}

func TestOutsideBlockers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		item := w.make(tx, work.KindTicket, nil)
		part := w.make(tx, work.KindTask, func(n *work.NewItem) { n.ParentID = item.ID })
		want := func(what string, own, parts int) {
			t.Helper()
			if a, b := holds(t, tx, item), holds(t, tx, part); a != own || b != parts {
				t.Errorf("%s: holds %d and %d, want %d and %d", what, a, b, own, parts)
			}
			if wrong, err := work.Miscounted(tx); wrong != 0 || err != nil {
				t.Errorf("%s: %d miscounted, %v", what, wrong, err)
			}
		}
		set := func(all ...work.Outside) {
			t.Helper()
			if err := work.WaitOutside(tx, item.ID, all, work.Event{}); err != nil {
				t.Fatal(err)
			}
		}
		nine, ten := work.Outside{ID: "10099", Ref: "PLAT-9", Title: "Nine"}, work.Outside{Ref: "PLAT-10"}
		set(nine, ten)
		want("two", 2, 1)
		set(nine, ten)
		want("again", 2, 1)
		all, err := work.OutsideBlockers(tx, part.ID)
		if err != nil || len(all) != 2 || all[0].Ref != "PLAT-9" || all[0].Title != "Nine" {
			t.Errorf("blockers of the part: %+v, %v", all, err)
		}
		set(ten)
		want("one ended", 1, 1)
		if found, err := work.EndOutside(tx, item.ID, "PLAT-9", work.Event{}); found || err != nil {
			t.Errorf("ended twice: %v, %v", found, err)
		}
		if found, err := work.EndOutside(tx, item.ID, "plat-10", work.Event{}); !found || err != nil {
			t.Errorf("not found by its key: %v, %v", found, err)
		}
		want("none", 0, 0)
		set(nine)
		set()
		want("set to none", 0, 0)
		return nil
	})
}
