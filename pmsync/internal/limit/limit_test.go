package limit

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestRemaining: within one run of the machine a limit does not depend on the clock.
func TestRemaining(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return registry.FormatTime(now.Add(d)) }
	for name, c := range map[string]struct {
		until, of string
		up        int64
		boot      string
		since     time.Duration
		want      time.Duration
	}{
		"by the clock":              {at(40 * time.Second), "", 0, "", 0, 40 * time.Second},
		"past":                      {at(-time.Second), "", 0, "", 0, 0},
		"of another start":          {at(40 * time.Second), "one", 9_000_000, "two", time.Second, 40 * time.Second},
		"a clock that went on":      {at(-time.Hour), "one", 50_000, "one", 10 * time.Second, 40 * time.Second},
		"a clock that went back":    {at(5 * time.Hour), "one", 50_000, "one", 20 * time.Second, 30 * time.Second},
		"over, though the clock is": {at(time.Minute), "one", 50_000, "one", 51 * time.Second, 0},
		"a clock that was wrong":    {at(5 * time.Hour), "", 0, "", 0, 0},
		"the longest":               {at(time.Minute), "one", 9_000_000, "one", 0, time.Hour},
		"no time":                   {"soon", "", 0, "", 0, 0},
	} {
		if got := remaining(c.until, c.of, c.up, now, c.boot, c.since); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestAllProcessesObey: a limit put into one store holds for the others of the account, and for no other account or bucket.
func TestAllProcessesObey(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	since := time.Minute
	store := func(account string) *Store {
		return &Store{DB: db, Account: account, Up: func() (string, time.Duration) { return "boot", since }}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store("jira").Hold(t.Context(), "", 40*time.Second))
	must(store("jira").Hold(t.Context(), "", 5*time.Second)) // does not shorten the limit
	must(store("jira").Hold(t.Context(), "write 1", time.Minute))
	must(store("asana").Hold(t.Context(), "", 9*time.Hour))
	for _, c := range []struct {
		account, bucket string
		want            time.Duration
	}{{"jira", "", 40 * time.Second}, {"jira", "search", 40 * time.Second}, {"jira", "write 1", time.Minute}, {"linear", "", 0}, {"asana", "", time.Hour}} {
		left, err := store(c.account).Left(t.Context(), c.bucket)
		if must(err); left != c.want {
			t.Errorf("%s %q: %s left, want %s", c.account, c.bucket, left, c.want)
		}
	}
	since += 40 * time.Second
	if left, err := store("jira").Left(t.Context(), ""); err != nil || left != 0 {
		t.Errorf("%s left, %v", left, err)
	}
}

func TestUp(t *testing.T) {
	t.Parallel()
	boot, since := Up()
	again, later := Up()
	if boot != again || later < since {
		t.Errorf("%q after %s, then %q after %s", boot, since, again, later)
	}
}
