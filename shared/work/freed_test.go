package work_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// FreedBy returns exactly the tasks that can be claimed after the item is finished and could not before, however they waited.
func TestFreedBy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		arrange func(w *world, tx *registry.Tx, done work.Item) // with tasks T-2 and T-3
		end     work.State
		want    string
	}{
		"nothing": {func(*world, *registry.Tx, work.Item) {}, work.StateDone, ""},
		"a task through its epic, and one of its own": {func(w *world, tx *registry.Tx, done work.Item) {
			epic := w.make(tx, work.KindEpic, nil)
			w.link(tx, epic, work.ParentOf, w.task(tx, "T-2"))
			w.link(tx, done, work.Blocks, epic)
			w.link(tx, done, work.Blocks, w.task(tx, "T-3"))
		}, work.StateDone, "T-2 T-3"},
		"a task two levels below": {func(w *world, tx *registry.Tx, done work.Item) {
			epic, part := w.make(tx, work.KindEpic, nil), w.make(tx, work.KindEpic, nil)
			w.link(tx, epic, work.ParentOf, part)
			w.link(tx, part, work.ParentOf, w.task(tx, "T-2"))
			w.link(tx, done, work.Blocks, epic)
		}, work.StateDone, "T-2"},
		"the more urgent first": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
			three, high := w.task(tx, "T-3"), work.PriorityHigh
			if err := work.Change(tx, &three, work.Changes{Priority: &high}, work.Event{}); err != nil {
				t.Error(err)
			}
			w.link(tx, done, work.Blocks, three)
		}, work.StateDone, "T-3 T-2"},
		"what it was the last open part of": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, w.task(tx, "T-2"), work.ParentOf, done)
		}, work.StateDone, "T-2"},
		"not what has another open part": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, w.task(tx, "T-2"), work.ParentOf, done)
			w.link(tx, w.task(tx, "T-2"), work.ParentOf, w.task(tx, "T-3"))
		}, work.StateDone, ""},
		"not what waits for another task": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
			w.link(tx, w.task(tx, "T-3"), work.Blocks, w.task(tx, "T-2"))
		}, work.StateDone, ""},
		"not what a person holds back": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
			if err := work.HoldBack(tx, w.task(tx, "T-2"), work.Event{}); err != nil {
				t.Error(err)
			}
		}, work.StateDone, ""},
		"not what has parts that are not finished": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
			w.make(tx, work.KindTask, func(n *work.NewItem) { n.ParentID, n.Ref = w.task(tx, "T-2").ID, "T-4" })
		}, work.StateDone, "T-4"},
		"not what is finished": {func(w *world, tx *registry.Tx, done work.Item) {
			w.move(tx, w.task(tx, "T-2"), work.StateDone)
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
		}, work.StateDone, ""},
		"not what is claimed": {func(w *world, tx *registry.Tx, done work.Item) {
			w.move(tx, w.task(tx, "T-2"), work.StateActive)
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
		}, work.StateDone, ""},
		"not what is only related": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.RelatedTo, w.task(tx, "T-2"))
		}, work.StateDone, ""},
		"not a ticket": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.make(tx, work.KindTicket, nil))
		}, work.StateDone, ""},
		"not what a deleted epic held": {func(w *world, tx *registry.Tx, done work.Item) {
			epic := w.make(tx, work.KindEpic, nil)
			w.link(tx, done, work.Blocks, epic)
			w.link(tx, epic, work.ParentOf, w.task(tx, "T-2"))
			if err := work.Delete(tx, epic.ID, work.Event{}); err != nil {
				t.Error(err)
			}
		}, work.StateDone, ""},
		"nothing by a task that failed": {func(w *world, tx *registry.Tx, done work.Item) {
			w.link(tx, done, work.Blocks, w.task(tx, "T-2"))
		}, work.StateDropped, ""},
	} {
		err := w.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			for _, ref := range []string{"T-1", "T-2", "T-3"} {
				w.make(tx, work.KindTask, func(n *work.NewItem) { n.Ref = ref })
			}
			c.arrange(w, tx, w.task(tx, "T-1"))
			got, err := work.FreedBy(tx, w.move(tx, w.task(tx, "T-1"), c.end))
			if strings.Join(got, " ") != c.want || err != nil {
				t.Errorf("%s: %q %v, want %q", name, got, err, c.want)
			}
			return errNext
		})
		if !errors.Is(err, errNext) {
			t.Error(err)
		}
	}
}

// errNext rolls back the writes of one case of a table, so that the next case finds the same registry.
var errNext = errors.New("the next case")

func (w *world) task(tx *registry.Tx, ref string) work.Item {
	w.t.Helper()
	item, err := work.Find(tx, work.KindTask, ref)
	if err != nil {
		w.t.Fatal(err)
	}
	return item
}
