package session

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/registry"
)

// An event noted as important becomes a memory of more weight than an ordinary decision; other events become none.
func TestWhatIsLearntWeighs(t *testing.T) {
	w := newWorld(t)
	d := w.start(w.at("ann"))
	w.note(d.ID, Decision, "high", "The ledger is append-only")
	w.note(d.ID, Decision, "medium", "Invoices carry a letter before their number")
	w.note(d.ID, Decision, "low", "Tabs in the Makefile")
	w.note(d.ID, Discovery, "medium", "Old receipts have no zone")
	if got := w.end(d.ID); got.Memories != 2 {
		t.Errorf("%d memories", got.Memories)
	}
	weight := map[string]int{}
	err := w.DB.Read(t.Context(), func(tx *registry.Tx) error {
		a, err := memory.Recall(tx, memory.Query{})
		for _, h := range a.Memories {
			weight[h.Content] = h.Importance
		}
		return err
	})
	if err != nil || len(weight) != 2 || weight["The ledger is append-only"] != 4 || weight["Invoices carry a letter before their number"] != 3 {
		t.Errorf("%v: %v", err, weight)
	}
}

// A decision similar to a known one is learnt, and the known one is named; an identical one is not learnt again.
func TestNearDecisionsAreLearnt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const old, newer = "The rate limit of the public search API for unauthenticated clients of the European region is 100 requests per minute and address", "The rate limit of the public search API for unauthenticated clients of the European region is 500 requests per minute and address"
	for _, c := range []struct {
		says                     string
		learnt, known, mentioned int
	}{{old, 1, 0, 0}, {old, 0, 1, 0}, {newer, 1, 0, 1}} {
		d := w.start(w.at("ann"))
		w.note(d.ID, Decision, "high", c.says)
		if got := w.end(d.ID); got.Memories != c.learnt || got.Known != c.known || len(got.Warnings) != c.mentioned {
			t.Errorf("%q: %d learnt, %d known, warnings %v", c.says, got.Memories, got.Known, got.Warnings)
		}
	}
}

// The resumed session is described once, not also as the last one.
func TestTheLastSessionIsNotToldTwice(t *testing.T) {
	w := newWorld(t)
	first := w.start(w.at("ann"))
	w.note(first.ID, Decision, "high", "The ledger is append-only")
	w.silent(first.ID, 30*time.Hour)
	in := w.at("ann")
	in.ResumeLast = true
	if d := w.start(in); d.Before == nil || d.Before.ID != first.ID || d.LastID != "" || d.Last != nil {
		t.Errorf("gone on from %+v, last %q %v", d.Before, d.LastID, d.Last)
	}
	other := w.start(w.at("bob"))
	w.end(other.ID)
	if d := w.start(w.at("cid")); d.Before != nil || d.LastID == "" || d.Last == nil {
		t.Errorf("a new session: gone on from %+v, last %q %v", d.Before, d.LastID, d.Last)
	}
}
