package unattended

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
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

// tellEnd decides why a run ended, and writes it into its log in words.
func (t *on) tellEnd(r *result, log *runlog.Log, now time.Time) {
	if r.verdict.Good || r.lost != nil {
		r.end = ending.Done
		if r.lost != nil {
			r.end = ""
		}
		return
	}
	if r.over != nil { // its worktree keeps what it did
		r.end, r.verdict = ending.Budget, worker.Verdict{Why: r.over.Error()}
		log.Note("%s", r.verdict.Why)
		return
	}
	if r.end == "" {
		r.end, r.until = r.outcome.Reason(now)
	}
	switch {
	case r.end != ending.Done || r.verdict.Dirt:
	case r.trace:
		r.end = ending.Broken
	case len(r.outcome.Said.Denied) > 0:
		r.end = ending.Denied
	default:
		r.end = ending.Nothing
	}
	if words := r.end.Words(); words != "" && !r.verdict.Dirt && r.end != ending.Broken {
		r.verdict.Why = words + ": " + r.verdict.Why
		log.Note("%s", r.verdict.Why)
	}
}

// letGo releases a task whose client could not work on it, when that is not the task's fault: the attempt does not count, and the next run
// of the same client resumes its session.
func (t *on) letGo(ctx context.Context, r result) error {
	now, why := time.Now(), r.verdict.Why
	t.uncount = true
	switch {
	case r.end == ending.Denied:
		if t.denied == nil {
			t.denied = map[string]string{}
		}
		t.denied[t.b.Task.ID] = strings.Join(r.outcome.Said.Denied, "; ")
	case r.end == ending.Budget:
	default:
		said := text.FirstLine(r.outcome.Said.Failed, 300)
		if said == "" {
			said = why
		}
		t.crew.mu.Lock()
		l := t.crew.limits.meet(t.client.Name, r.end, r.until, said, t.crew.o.Pause, now)
		t.crew.mu.Unlock()
		if l.kind.Waits() {
			r.until = l.until
		}
	}
	state := Stopped
	if r.end == ending.Denied {
		state = Returned
	}
	if err := t.close(ctx, r, state, why); err != nil {
		return err
	}
	q := assignment.FinishRequest{Caller: task.Caller{Agent: t.agent, Token: t.b.Task.ClaimToken}, Repo: t.crew.o.Repo.UID, Worktree: t.w.Ref,
		Outcome: assignment.Released, Summary: t.explain(r, why)}
	if _, err := t.Assign.Finish(ctx, q); err != nil && ctx.Err() == nil {
		if lost, failed := t.claimLost(ctx); failed != nil || !lost {
			return err
		}
	}
	t.crew.count(func(c *Tally) { c.Released++ })
	t.tell(Event{What: EventReleased, TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: why + " (not counted)"})
	return nil
}

// worked notes that the client works, and so drops its limit.
func (t *on) worked() {
	t.crew.mu.Lock()
	defer t.crew.mu.Unlock()
	delete(t.crew.limits, t.client.Name)
}

// whyDenied returns why ready tasks are not begun: their clients were denied a tool.
func (m *member) whyDenied() string {
	if len(m.denied) == 0 {
		return ""
	}
	ids := slices.Sorted(maps.Keys(m.denied))
	var what []string
	for _, id := range ids {
		if !slices.Contains(what, m.denied[id]) {
			what = append(what, m.denied[id])
		}
	}
	return fmt.Sprintf("%s went back untouched, since the client was not allowed: %s", text.Few(ids), text.Few(what))
}

// whyPassed returns why ready tasks are not begun: denied tools and spent budgets.
func (m *member) whyPassed() string {
	why := m.whyDenied()
	if len(m.overdrawn) == 0 {
		return why
	}
	ids := slices.Sorted(maps.Keys(m.overdrawn))
	over := fmt.Sprintf("the budget of %s is spent: %s", text.Few(ids), m.overdrawn[ids[0]])
	if why != "" {
		over = why + "; " + over
	}
	return over
}

// stuck returns the error of a worker that ends with tasks that it was not allowed to do; nil without such tasks.
func (m *member) stuck() error {
	if len(m.denied) == 0 {
		return nil
	}
	return fault.Operation(nil, "%s", m.whyDenied()).WithHint("allow it with a rule, such as `agit config set work.allow 'shell(make *)'`, or by the client's own options after --")
}
