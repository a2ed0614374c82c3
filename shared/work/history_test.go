package work_test

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// An event has the token that it names, or that of the item's own lease when it is recorded.
func TestEpochOfEvents(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		item, other := w.make(tx, work.KindTask, nil), w.make(tx, work.KindTask, nil)
		for id, epoch := range map[int64]int{item.ID: 7, other.ID: 8} {
			if err := tx.Do(`INSERT INTO leases (item_id, agent_id, epoch, agent_epoch, claimed_at) VALUES (?, ?, ?, 1, ?)`, id, w.ann.ID, epoch, tx.Stamp()); err != nil {
				return err
			}
		}
		for _, epoch := range []int64{0, 3, work.PresentEpoch} {
			if err := work.Record(tx, item.ID, work.Event{Field: "status", New: "x", Epoch: epoch}); err != nil {
				return err
			}
		}
		if err := tx.Do(`DELETE FROM leases WHERE item_id = ?`, item.ID); err != nil {
			return err
		}
		if err := work.Record(tx, item.ID, work.Event{Field: "status", New: "x", Epoch: work.PresentEpoch}); err != nil {
			return err
		}
		all, err := work.History(tx, item.ID)
		var got []int64
		for _, e := range all {
			if e.New == "x" {
				got = append(got, e.Epoch)
			}
		}
		if want := []int64{0, 3, 7, 0}; !slices.Equal(got, want) {
			t.Errorf("tokens %v, want %v", got, want)
		}
		return err
	})
}
