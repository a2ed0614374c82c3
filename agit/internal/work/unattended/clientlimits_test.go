package unattended

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/worker"
)

// A client that met a limit is not used until its end; another is used meanwhile.
func TestLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	both := []worker.Client{{Name: "claude"}, {Name: "codex"}}
	l := limits{}
	check := func(what string, at time.Time, want string, found bool) limit {
		t.Helper()
		_, next, name, ok := l.pick(both, at)
		if name != want || ok != found {
			t.Errorf("%s: %q %v, want %q %v", what, name, ok, want, found)
		}
		return next
	}
	check("at first", now, "claude", true)
	l.meet("claude", ending.UsageLimit, now.Add(3*time.Hour), "resets 4am", time.Minute, now)
	check("one is limited", now, "codex", true)
	l.meet("codex", ending.RateLimit, time.Time{}, "overloaded", time.Minute, now)
	if next := check("both are", now, "codex", false); next.until != now.Add(time.Minute) {
		t.Errorf("tried again at %s", next.until)
	}
	check("the second may be tried", now.Add(time.Minute), "codex", true)
	l.meet("codex", ending.RateLimit, time.Time{}, "overloaded", time.Minute, now.Add(time.Minute))
	if next := check("again", now.Add(time.Minute), "codex", false); next.until != now.Add(3*time.Minute) {
		t.Errorf("the second wait ends at %s", next.until)
	}
	l.meet("codex", ending.RateLimit, time.Time{}, "overloaded", time.Minute, now.Add(time.Minute)) // another worker, at once
	if next := check("no longer", now.Add(time.Minute), "codex", false); next.until != now.Add(3*time.Minute) {
		t.Errorf("two workers double the wait: until %s", next.until)
	}
	l.meet("codex", ending.Login, time.Time{}, "no key", time.Minute, now)
	check("a login is no wait", now, "claude", false)
	check("the first again", now.Add(3*time.Hour), "claude", true)
	l.meet("claude", ending.Login, time.Time{}, "no key", time.Minute, now)
	if next := check("no login at all", now.Add(9*time.Hour), "claude", false); next.kind != ending.Login {
		t.Errorf("%+v", next)
	}
	for range 30 {
		now = now.Add(2 * longestLimit)
		l.meet("claude", ending.Network, time.Time{}, "", time.Minute, now)
	}
	if wait := l["claude"].until.Sub(now); wait != longestLimit {
		t.Errorf("the longest wait is %s", wait)
	}
}

func TestLimitWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.Local)
	for want, l := range map[string]limit{
		"usage limit of claude until 04:00:00: no":                 {kind: ending.UsageLimit, until: now.Add(3 * time.Hour), known: true, said: "no"},
		"usage limit of claude until 2026-11-27 02:00: no":         {kind: ending.UsageLimit, until: now.Add(25 * time.Hour), known: true, said: "no"},
		"network of claude, tried again at 01:00:30: fetch failed": {kind: ending.Network, until: now.Add(30 * time.Second), said: "fetch failed"},
		"not logged in of claude: no key":                          {kind: ending.Login, said: "no key"},
	} {
		if got := l.words("claude", now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
