package integration

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// TestSoak: one busy server for a long time, with bursts of short commands beside it: the pattern under which SQLite's WAL was once
// corrupted. It runs for AGIT_SOAK (`make soak` sets 10m), otherwise briefly.
func TestSoak(t *testing.T) {
	t.Parallel()
	lasting := time.Second
	if given := os.Getenv("AGIT_SOAK"); given != "" {
		var err error
		if lasting, err = time.ParseDuration(given); err != nil {
			t.Fatal(err)
		}
	}
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	client := mcpclient.Command(t, h.command(t.Context(), "agit", "serve"))
	end := time.Now().Add(lasting)
	var running sync.WaitGroup
	created := 0
	running.Go(func() {
		for time.Now().Before(end) {
			client.MustCall(t, "agit_create_task", map[string]any{"repo": "app", "description": "by the server"}, nil)
			created++
		}
	})
	bursts := make([]int, 4)
	for n := range bursts {
		running.Go(func() {
			for time.Now().Before(end) {
				if _, errs, code := h.run("agit", "tasks", "app", "--create", fmt.Sprintf("by burst %d", n)); code != 0 {
					t.Errorf("status %d: %s", code, errs)
					return
				}
				bursts[n]++
			}
		})
	}
	running.Wait()
	for _, n := range bursts {
		created += n
	}
	var page struct{ Tasks []struct{ ID string } }
	h.json(&page, "tasks", "app", "--limit", "0")
	if len(page.Tasks) != created {
		t.Errorf("%d tasks are stored, %d were reported as created", len(page.Tasks), created)
	}
	h.sound()
	t.Logf("%d tasks in %s", created, lasting)
}
