package registry_test

import (
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A registry that releases its caches keeps working, even while it is in use.
func TestRest(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	var working sync.WaitGroup
	working.Go(func() {
		for range 20 {
			err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				tx.Changed(registry.TopicAgents, 0, "")
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		if err := db.Rest(t.Context()); err != nil {
			t.Error(err)
		}
	}
	working.Wait()
	var n int
	err := db.Read(t.Context(), func(tx *registry.Tx) error { return tx.QueryRow(`SELECT COUNT(*) FROM changes`).Scan(&n) })
	if err != nil || n != 20 {
		t.Errorf("%d changes, %v", n, err)
	}
}
