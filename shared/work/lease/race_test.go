package lease_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Several hosts claim at once: each item goes to one of them, and no host finds the queue empty while an item is ready.
func TestManyClaimAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const items, hosts = 40, 4
	for i := range items {
		w.item(fmt.Sprint("item ", i), work.PriorityMedium)
	}
	var mu sync.Mutex
	claimed := map[string]int{}
	var working sync.WaitGroup
	for range hosts {
		db := registrytest.OpenAt(t, w.db.Path())
		working.Go(func() {
			for range items / hosts {
				var got string
				err := db.Write(t.Context(), registry.Claiming, func(tx *registry.Tx) error {
					if err := tx.In(w.project.ID); err != nil {
						return err
					}
					item, ok, err := lease.Next(tx, lease.Filter{ProjectID: w.project.ID, Kind: work.KindTask}, lease.Claim{Agent: w.ann, From: "pending", To: "claimed"})
					if err == nil && !ok {
						err = fmt.Errorf("nothing is ready")
					}
					got = item.Title
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				claimed[got]++
				mu.Unlock()
			}
		})
	}
	working.Wait()
	if len(claimed) != items {
		t.Errorf("%d of %d items were claimed", len(claimed), items)
	}
	for title, times := range claimed {
		if times != 1 {
			t.Errorf("%s was claimed %d times", title, times)
		}
	}
}
