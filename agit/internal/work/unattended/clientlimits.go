package unattended

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/fault"
)

// limits holds the clients that may not be used just now, by name. All workers of a process have the same clients and logins.
type limits map[string]limit

// limit is the reason why a client may not be used.
type limit struct {
	kind  ending.Kind
	until time.Time // when it is tried again; the zero time is never
	known bool      // the client named the time
	said  string    // the client's sentence
	times int       // in a row
}

// longestLimit is the longest wait for a limit whose end the client did not name.
const longestLimit = time.Hour

// meet notes that a client met a limit. When the client named no end, the wait begins with pause and grows each time.
func (l limits) meet(name string, kind ending.Kind, until time.Time, said string, pause time.Duration, now time.Time) limit {
	was := l[name]
	if now.Before(was.until) && was.kind == kind { // another worker met it meanwhile
		was.times--
	}
	one := limit{kind: kind, until: until, known: !until.IsZero(), said: said, times: was.times + 1}
	if kind.Waits() && !one.known {
		wait := pause
		for range min(one.times, 20) - 1 {
			wait = min(2*wait, longestLimit)
		}
		one.until = now.Add(wait)
	}
	l[name] = one
	return one
}

// pick returns the first client that may be used. When there is none, found is false, and next is the limit that ends first; its until is
// the zero time when all clients want a login.
func (l limits) pick(clients []worker.Client, now time.Time) (c worker.Client, next limit, name string, found bool) {
	for _, c := range clients {
		one, limited := l[c.Name]
		if !limited || one.kind.Waits() && !now.Before(one.until) {
			return c, one, c.Name, true
		}
		sooner := one.kind.Waits() && (!next.kind.Waits() || one.until.Before(next.until))
		if name == "" || sooner {
			next, name = one, c.Name
		}
	}
	return c, next, name, false
}

// words describes a limit: its client, its end, and the client's own words.
func (l limit) words(client string, now time.Time) string {
	s := l.kind.Words() + " of " + client
	switch {
	case l.until.IsZero():
	case l.known:
		s += " until " + clock(l.until, now)
	default:
		s += ", tried again at " + clock(l.until, now)
	}
	return s + ": " + l.said
}

// clock returns a time of the day, with its date when that is another day.
func clock(at, now time.Time) string {
	at = at.Local()
	if at.Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
		return at.Format("2006-01-02 15:04")
	}
	return at.Format(time.TimeOnly)
}

// longestLook is the longest wait for a limit before the clock is read again: a machine that slept has another time.
const longestLook = time.Minute

// choose sets the client to run next. ready is false after a wait; the error means that every client wants a login.
func (m *member) choose(ctx context.Context) (ready bool, err error) {
	now := time.Now()
	m.crew.mu.Lock()
	c, limit, name, found := m.crew.limits.pick(m.crew.o.Clients, now)
	m.crew.mu.Unlock()
	if found {
		if m.client.Name != "" && m.client.Name != c.Name {
			m.tell(Event{What: EventNote, Why: "it goes on with the client " + c.Name})
		}
		m.client = c
		return true, nil
	}
	if !limit.kind.Waits() {
		f := fault.Provider(nil, "the client %s is not logged in: %s", name, limit.said).WithHint("log in with it, then start the worker again; its task went back untouched")
		f.Retryable = false
		return false, f
	}
	m.wait(ctx, nil, min(max(limit.until.Sub(now), time.Millisecond), longestLook), limit.words(name, now))
	return false, nil
}
