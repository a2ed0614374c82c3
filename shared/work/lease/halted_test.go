package lease_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// A halted agent gets no work in any way, and other agents do; resumed, it gets work again.
func TestHalted(t *testing.T) {
	w := newWorld(t)
	item := w.item("x", work.PriorityMedium)
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) VALUES (?, -1, 0, 0, 0, 3, 1, ?)`, w.ann.ID, tx.Stamp())
		return err
	})
	f, c := lease.Filter{Kind: work.KindTask}, lease.Claim{Agent: w.ann, From: "pending", To: "claimed", ReleaseAfter: time.Hour}
	for name, take := range map[string]func(*registry.Tx) error{
		"by id": func(tx *registry.Tx) error { _, _, err := lease.ByID(tx, item.ID, c); return err },
		"next":  func(tx *registry.Tx) error { _, _, err := lease.Next(tx, f, c); return err },
		"peek":  func(tx *registry.Tx) error { _, _, err := lease.Peek(tx, f, c); return err },
		"handed over": func(tx *registry.Tx) error {
			if _, ok, err := lease.ByID(tx, item.ID, lease.Claim{Agent: w.bob, From: "pending", To: "claimed"}); !ok || err != nil {
				t.Errorf("bob: %t, %v", ok, err)
			}
			_, err := lease.HandOver(tx, item, w.ann, work.Event{})
			return err
		},
	} {
		err := w.db.Write(t.Context(), registry.Everything, take)
		if !fault.Is(err, fault.KindConflict) || fault.From(err).EntityType != "agent" || fault.From(err).EntityID != "ann" {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agent_scores SET halted = 0, sp = 1`)
		return err
	})
	if got := w.next(w.ann); got != "x" {
		t.Errorf("resumed, it got %q", got)
	}
}
