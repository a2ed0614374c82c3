package unattended

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/price"
)

func budgets(t *testing.T, list ...string) []budget.Budget {
	t.Helper()
	all, err := budget.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// over returns the spent budget in words; "" for none.
func (r *rows) over(item int64, list ...string) (words string) {
	r.Helper()
	r.write(func(tx *registry.Tx) error {
		s, err := spent(tx, budgets(r.T, list...), item)
		if s != nil {
			words = s.Error()
		}
		return err
	})
	return words
}

// set changes the row of an attempt.
func (r *rows) set(a Attempt, columns string, args ...any) {
	r.Helper()
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE attempts SET `+columns+` WHERE id = ?`, append(args, a.ID)...)
		return err
	})
}

func TestWhatCountsToABudget(t *testing.T) {
	r := newRows(t)
	a, b, old, far := r.begin(Begun), r.begin(Again), r.begin(Again), r.begin(Again)
	now := time.Now()
	r.set(a, `cost = 2000000, currency = 'USD', tokens_in = 100, tokens_out = 20, tokens_cached = 3`)
	r.set(b, `cost = 1500000, currency = 'USD', state = 'failed', ended_at = ?`, registry.FormatTime(now))
	r.set(old, `cost = 7000000, currency = 'USD', tokens_in = 1000, state = 'failed', started_at = ?, ended_at = ?`, registry.FormatTime(now.Add(-49*time.Hour)), registry.FormatTime(now.Add(-48*time.Hour)))
	r.set(far, `cost = 90000000, currency = 'EUR', host = 'another', state = 'failed', ended_at = ?`, registry.FormatTime(now))
	for _, c := range []struct {
		item int64
		list []string
		want string
	}{
		{0, nil, ""},
		{0, []string{"3.51usd/day"}, ""},
		{0, []string{"3.5usd/day"}, "budget spent: $3.50 of $3.50 a day"},
		{0, []string{"1eur/day"}, ""}, // of another machine
		{0, []string{"1usd/task"}, ""},
		{0, []string{"124 tokens/day"}, ""},
		{0, []string{"123 tokens/day"}, "budget spent: 123 of 123 tokens a day"},
		{r.item, []string{"10.5usd/task", "4usd/day"}, "budget spent: $10.50 of $10.50 a task"},
		{r.item, []string{"10.51usd/task", "4usd/day"}, ""},
		{r.item, []string{"90eur/task"}, "budget spent: 90.00 EUR of 90.00 EUR a task"},
		{r.item + 1, []string{"1usd/task"}, ""},
	} {
		if got := r.over(c.item, c.list...); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.list, c.item, got, c.want)
		}
	}
	m := &member{Store: r.Store, crew: &Crew{o: Options{Repo: r.repo, Budgets: budgets(t, "10.5usd/task")}}}
	if err := m.readOverdrawn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{r.task.ID: "$10.50 of $10.50 a task"}, m.overdrawn); diff != "" {
		t.Error(diff)
	}
	if why := m.whyPassed(); why != "the budget of "+r.task.ID+" is spent: $10.50 of $10.50 a task" {
		t.Error(why)
	}
	m.crew.o.Budgets = budgets(t, "10.6usd/task")
	if err := m.readOverdrawn(t.Context()); err != nil || len(m.overdrawn) != 0 {
		t.Errorf("%v %v", m.overdrawn, err)
	}
}

func TestMidnight(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.Local)
	for _, at := range []time.Time{day, day.Add(23*time.Hour + 59*time.Minute)} {
		if got := costs.Midnight(at.UTC()); !got.Equal(day) {
			t.Errorf("%s: %s", at, got)
		}
	}
}

// A report that spends a budget ends the run, and the run's row keeps what it took.
func TestAReportEndsARunAtItsBudget(t *testing.T) {
	r := newRows(t)
	a := r.begin(Begun)
	turn := &on{member: &member{Store: r.Store, crew: &Crew{o: Options{Budgets: budgets(t, "1usd/task")}}}, w: worktree.Worktree{ItemID: r.item}}
	ctx, cancel := context.WithCancelCause(t.Context())
	m := turn.measure(ctx, cancel, a)
	m.heard(acp.Usage{Cost: 0.99, Currency: "USD", Session: "s"})
	for r.history()[0].Used.Micros != 990_000 { // it is stored while the run goes on
		if ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
		<-time.After(time.Millisecond)
	}
	m.heard(acp.Usage{Cost: 1, Currency: "USD", Session: "s"})
	<-ctx.Done()
	<-m.done
	if why := context.Cause(ctx).Error(); why != "budget spent: $1.00 of $1.00 a task" {
		t.Error(why)
	}
	if got := r.history()[0]; got.Used.Micros != 1_000_000 || got.Session != "s" || got.State != Running {
		t.Errorf("%+v", got)
	}
}

func TestMetersJoinWhatIsReportedAndRead(t *testing.T) {
	t.Parallel()
	read := func(in, out, cached int64, amount float64, unpriced int64) (t costs.Taken) {
		t.Answers, t.Model = 4, "claude-opus-4-6"
		t.Tokens = costs.Tokens{Input: in, Output: out, CacheRead: cached, CacheWrite1h: 1, Total: in + out + cached + 1}
		t.Unpriced = unpriced
		if amount > 0 {
			t.Cost = []costs.Money{{Currency: "USD", Amount: amount, Computed: amount}}
		}
		return t
	}
	for name, c := range map[string]struct {
		reported worker.Used
		read     costs.Taken
		session  string
		want     Used
	}{
		"nothing": {},
		"a client that states all": {reported: worker.Used{Input: 10, Output: 2, Cached: 3, Cost: 0.5, Currency: "USD", Model: "m", Turns: 2}, read: read(1, 1, 1, 9, 0),
			want: Used{Input: 10, Output: 2, Cached: 3, Micros: 500_000, Currency: "USD", Model: "claude-opus-4-6", Turns: 2}},
		"a client that states nothing": {read: read(10, 20, 30, 0.25, 0),
			want: Used{Input: 11, Output: 20, Cached: 30, Micros: 250_000, Currency: "USD", Computed: true, Model: "claude-opus-4-6", Turns: 4}},
		"its tokens alone": {reported: worker.Used{Input: 1000, Output: 100, Model: "claude-opus-4-6"},
			want: Used{Input: 1000, Output: 100, Micros: 7500, Currency: "USD", Computed: true, Model: "claude-opus-4-6"}},
		"a model without a price": {reported: worker.Used{Input: 1000, Model: "house"}, want: Used{Input: 1000, Model: "house"}},
		"a transcript that is priced in part": {read: read(10, 20, 30, 0.25, 5),
			want: Used{Input: 11, Output: 20, Cached: 30, Micros: 570, Currency: "USD", Computed: true, Model: "claude-opus-4-6", Turns: 4}},
		"as many tokens as are read": {reported: worker.Used{Input: 5, Output: 4, Cached: 3, Model: "m"}, read: costs.Taken{Sum: costs.Sum{Tokens: costs.Tokens{Input: 12, Total: 12}, Answers: 9}},
			want: Used{Input: 5, Output: 4, Cached: 3, Model: "m"}},
		"more tokens than are told": {reported: worker.Used{Input: 5, Output: 4, Cached: 2, Model: "m", Turns: 7}, read: costs.Taken{Sum: costs.Sum{Tokens: costs.Tokens{Input: 4, CacheRead: 2, Output: 1, CacheWrite5m: 3, CacheWrite1h: 2, Total: 12}, Answers: 3}},
			want: Used{Input: 9, Output: 1, Cached: 2, Model: "m", Turns: 7}},
		"for free":               {reported: worker.Used{Currency: "USD", Input: 1000, Model: "claude-opus-4-6"}, want: Used{Input: 1000, Micros: 5000, Currency: "USD", Computed: true, Model: "claude-opus-4-6"}},
		"an impossible cost":     {reported: worker.Used{Currency: "USD", Cost: 1e9, Output: 100, Model: "claude-opus-4-6"}, want: Used{Output: 100, Micros: 2500, Currency: "USD", Computed: true, Model: "claude-opus-4-6"}},
		"a cached prompt":        {reported: worker.Used{Cached: 1000, Model: "claude-opus-4-6"}, want: Used{Cached: 1000, Micros: 500, Currency: "USD", Computed: true, Model: "claude-opus-4-6"}},
		"two currencies":         {read: costs.Taken{Sum: costs.Sum{Cost: []costs.Money{{Currency: "EUR", Amount: 1}, {Currency: "USD", Amount: 1}}}}, want: Used{}},
		"a stated transcript":    {read: costs.Taken{Sum: costs.Sum{Cost: []costs.Money{{Currency: "EUR", Amount: 1.5}}}}, want: Used{Micros: 1_500_000, Currency: "EUR"}},
		"as much as before":      {reported: worker.Used{Cost: 2, Currency: "USD"}, session: "s", want: Used{Currency: "USD"}},
		"a session that goes on": {reported: worker.Used{Cost: 3, Currency: "USD"}, session: "s", want: Used{Micros: 1_000_000, Currency: "USD"}},
		"another session":        {reported: worker.Used{Cost: 3, Currency: "USD"}, session: "t", want: Used{Micros: 3_000_000, Currency: "USD"}},
		"a cost that began anew": {reported: worker.Used{Cost: 1.5, Currency: "USD"}, session: "s", want: Used{Micros: 1_500_000, Currency: "USD"}},
	} {
		m := &meter{a: Attempt{Session: "s"}, before: 2_000_000, session: c.session, table: price.Default(), reported: c.reported, read: c.read}
		if diff := cmp.Diff(c.want, m.used()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBudgetsThatHoldNothingAreToldOnce(t *testing.T) {
	t.Parallel()
	var told []string
	c := &Crew{o: Options{Budgets: budgets(t, "1usd/day", "5 tokens/task")}, show: func(e Event) { told = append(told, e.Why) }}
	turn := &on{member: &member{crew: c}}
	for range 3 {
		turn.unmeasured(Attempt{Client: "codex", Used: Used{Input: 5}})
		turn.unmeasured(Attempt{Client: "kimi", Used: Used{Output: 5, Currency: "EUR"}})
		turn.unmeasured(Attempt{Client: "claude", Used: Used{Input: 5, Currency: "USD"}})
		turn.unmeasured(Attempt{Client: "nothing"})
	}
	if diff := cmp.Diff([]string{"the cost of codex is not known, so that a budget in USD does not hold it; give one in tokens as well",
		"kimi states its cost in EUR, so that a budget in USD does not hold it; give one in tokens as well"}, told); diff != "" {
		t.Error(diff)
	}
}

// A worker without a task waits for the budget of the next day, or ends where it was started to end.
func TestAfford(t *testing.T) {
	r := newRows(t)
	a := r.begin(Begun)
	r.set(a, `cost = 2000000, currency = 'USD'`)
	r.Presence = &presence.Store{DB: r.DB, StaleAfter: time.Hour}
	stopped := make(chan struct{})
	close(stopped)
	var told []string
	crew := r.Crew(Options{Repo: r.repo, Agents: []string{"ann"}}, stopped, func(e Event) { told = append(told, e.Agent+" "+e.What+": "+e.Why) })
	m := crew.members[0]
	afford := func(untilEmpty bool, list ...string) string {
		t.Helper()
		crew.o.Budgets, crew.o.UntilEmpty, told, m.waits = budgets(t, list...), untilEmpty, nil, ""
		may, ended, err := m.afford(t.Context())
		return fmt.Sprint(may, ended, err, " ", strings.Join(told, "; "))
	}
	now := time.Now()
	for _, c := range []struct {
		untilEmpty bool
		list       []string
		want       string
	}{
		{false, nil, "true false <nil> "},
		{false, []string{"3usd/day", "1usd/task"}, "true false <nil> "},
		{true, []string{"2usd/day"}, "false true <nil> ann note: budget spent: $2.00 of $2.00 a day; it ends"},
		{false, []string{"2usd/day"}, "false false <nil> ann waits: budget spent: $2.00 of $2.00 a day, until " + clock(costs.Midnight(now).AddDate(0, 0, 1), now)},
	} {
		if got := afford(c.untilEmpty, c.list...); got != c.want {
			t.Errorf("%q: %q, want %q", c.list, got, c.want)
		}
	}
	if look := m.now(); look.Doing != "waits" || !strings.HasPrefix(look.Line, "budget spent") || look.Agent != "ann" || look.Since.IsZero() {
		t.Errorf("%+v", look)
	}
	told = nil
	crew.o.Budgets = budgets(t, "3usd/day", "9usd/task", "5 tokens/day")
	if err := crew.tellBudgets(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ann note: budget: $2.00 of $3.00 a day", "ann note: budget: 0 of 5 tokens a day"}, told); diff != "" {
		t.Error(diff)
	}
}

func TestCostBefore(t *testing.T) {
	r := newRows(t)
	for _, columns := range []string{`cost = 5, session = 's'`, `cost = 7, session = 's'`, `cost = 11, session = 't'`, `cost = 13, session = 's', computed = 1`, `cost = 17, session = 's', client = 'codex'`} {
		r.set(r.begin(Again), columns)
	}
	a := r.begin(Again)
	r.set(r.begin(Again), `cost = 19, session = 's'`) // a later one
	a.Session = "s"
	if got := (&on{member: &member{Store: r.Store}}).costBefore(t.Context(), a); got != 12 {
		t.Error(got)
	}
}
