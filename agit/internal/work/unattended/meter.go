package unattended

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/price"
)

// meter stores the use of a run in its row while it runs, so that other workers and screens see it and nothing is lost with the process. It
// ends the run when its use exceeds a budget. The client's reports count; anything it does not report is read from its transcript.
type meter struct {
	t      *on
	a      Attempt
	before int64 // what earlier attempts of the session cost, in millionths: agents that speak the protocol report the session's cost
	table  *price.Table
	done   chan struct{}
	news   chan struct{}

	mu       sync.Mutex
	reported worker.Used
	session  string
	read     costs.Taken
}

// measure begins a meter; its done is closed when it has ended.
func (t *on) measure(ctx context.Context, cancel context.CancelCauseFunc, a Attempt) *meter {
	m := &meter{t: t, a: a, session: a.Session, done: make(chan struct{}), news: make(chan struct{}, 1)}
	if t.Costs != nil {
		m.table, _ = price.Open(t.Costs.Table) // an unreadable file computes no costs
	}
	if t.client.Speaks && a.Session != "" {
		m.before = t.costBefore(ctx, a)
	}
	go m.run(ctx, cancel)
	return m
}

// heard takes the report of an agent that speaks the protocol.
func (m *meter) heard(u acp.Usage) {
	m.tell(worker.Used{Input: u.Input, Output: u.Output, Cached: u.Cached, Cost: u.Cost, Currency: u.Currency}, u.Session)
}

// opened stores the session at once, so that it can be resumed after a kill.
func (m *meter) opened(session string) {
	m.mu.Lock()
	m.session = session
	m.mu.Unlock()
	a := m.a
	a.Session = session
	if err := m.t.note(context.Background(), a, a.Why); err != nil {
		m.t.tell(Event{What: EventNote, Why: "the client's session could not be kept: " + err.Error()})
	}
}

func (m *meter) tell(u worker.Used, session string) {
	m.mu.Lock()
	m.reported = u
	if session != "" {
		m.session = session
	}
	m.mu.Unlock()
	select {
	case m.news <- struct{}{}:
	default: // the newest is read
	}
}

func (m *meter) run(ctx context.Context, cancel context.CancelCauseFunc) {
	defer close(m.done)
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	var last Used
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.news:
		case <-tick.C:
			m.readTranscript(ctx)
		}
		used := m.used()
		if used == last {
			continue
		}
		over, err := m.t.keepUsed(ctx, m.a, m.known(), used)
		if err != nil {
			continue // the next report is stored
		}
		last = used
		if over != nil {
			cancel(over)
			return
		}
	}
}

// known returns the client's session, as far as it is known.
func (m *meter) known() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.session
}

// readTranscript reads from the transcript what the client itself does not report.
func (m *meter) readTranscript(ctx context.Context) {
	if m.t.Costs == nil {
		return
	}
	m.mu.Lock()
	session, whole := m.session, m.reported.Input+m.reported.Output+m.reported.Cached > 0 && m.reported.Cost > 0
	m.mu.Unlock()
	if whole {
		return
	}
	read, err := m.t.Costs.Run(ctx, costs.Run{Client: m.a.Client, Session: session, Folder: m.a.path, Begun: m.a.StartedAt.Time})
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = read
}

// used joins reports and transcript: of tokens the larger count, of money the client's figure, else the cost of its transcript, else the
// cost of its tokens.
func (m *meter) used() Used {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, t := m.reported, m.read.Tokens
	u := Used{Input: r.Input, Output: r.Output, Cached: r.Cached, Model: r.Model, Turns: int64(r.Turns)}
	if t.Total > r.Input+r.Output+r.Cached {
		u.Input, u.Output, u.Cached = t.Input+t.CacheWrite5m+t.CacheWrite1h, t.Output, t.CacheRead
		u.Turns = max(u.Turns, int64(m.read.Answers))
	}
	u.Model = cmp.Or(m.read.Model, u.Model)
	switch {
	case r.Currency != "" && r.Cost > 0 && r.Cost < 1e9:
		u.Micros, u.Currency = int64(math.Round(r.Cost*1e6)), r.Currency
		if m.session == m.a.Session && u.Micros >= m.before {
			u.Micros -= m.before
		}
	case len(m.read.Cost) == 1 && m.read.Unpriced == 0:
		c := m.read.Cost[0]
		u.Micros, u.Currency, u.Computed = int64(math.Round(c.Amount*1e6)), c.Currency, c.Computed > 0
	case m.table != nil && u.Input+u.Output+u.Cached > 0:
		if amount, known := m.table.Cost(u.Model, sessions.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.Cached}); known {
			u.Micros, u.Currency, u.Computed = int64(math.Round(amount*1e6)), m.table.Currency, true
		}
	}
	return u
}

// used stores in the attempt what its client used, by its last report and its transcript.
func (t *on) used(ctx context.Context, r *result, m *meter) {
	m.mu.Lock()
	m.reported = r.outcome.Said.Used
	m.session = r.attempt.Session
	m.mu.Unlock()
	m.readTranscript(ctx)
	r.attempt.Used = m.used()
	t.unmeasured(r.attempt)
}

// costBefore returns the cost of a session's earlier attempts, in millionths.
func (t *on) costBefore(ctx context.Context, a Attempt) (micros int64) {
	micros, _ = registry.Read(ctx, t.DB, func(tx *registry.Tx) (int64, error) {
		return registry.One[int64](tx.QueryRow(`SELECT COALESCE(SUM(cost), 0) FROM attempts WHERE item_id = ? AND session = ? AND client = ? AND id < ? AND computed = 0`,
			a.ItemID, a.Session, a.Client, a.ID))
	})
	return micros
}

// keepUsed stores in the row of a running attempt what it used so far, and returns the budget that this spends; nil for none.
func (t *on) keepUsed(ctx context.Context, a Attempt, session string, u Used) (*spentBudget, error) {
	return registry.Write(ctx, t.DB, registry.Scope{Project: a.projectID}, func(tx *registry.Tx) (over *spentBudget, _ error) {
		_, err := tx.Exec(`UPDATE attempts SET tokens_in = ?, tokens_out = ?, tokens_cached = ?, cost = ?, currency = ?, computed = ?, model = ?, turns = ?, session = ? WHERE id = ? AND state = 'running'`,
			u.Input, u.Output, u.Cached, u.Micros, u.Currency, u.Computed, u.Model, u.Turns, session, a.ID)
		if err != nil || len(t.crew.o.Budgets) == 0 {
			return over, err
		}
		return spent(tx, t.crew.o.Budgets, a.ItemID)
	})
}

// unmeasured reports once that a budget in money cannot limit a client whose cost is not known.
func (t *on) unmeasured(a Attempt) {
	u := a.Used
	if u.Input+u.Output == 0 {
		return
	}
	for _, b := range t.crew.o.Budgets {
		if b.Currency == "" || b.Currency == u.Currency {
			continue
		}
		why := "the cost of " + a.Client + " is not known"
		if u.Currency != "" {
			why = a.Client + " states its cost in " + u.Currency
		}
		t.crew.once(Event{Agent: t.agent, What: EventNote, Why: why + ", so that a budget in " + b.Currency + " does not hold it; give one in tokens as well"})
	}
}

// spentBudget is a budget that is used up.
type spentBudget struct {
	budget.Budget
	words string
}

func (s *spentBudget) Error() string { return "budget spent: " + s.words }
