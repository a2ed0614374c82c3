package costs

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Every group of one machine's use, with all fields of its rows.
func TestWholeReports(t *testing.T) {
	w := newWorld(t)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	w.attempt("claude", "s-1", registry.Host(), 5, 5, 3_000_000, "USD")
	w.attempt("goose", "g", registry.Host(), 1000, 100, 0, "")
	w.attempt("kimi", "k", registry.Host(), 1000, 100, 2_500_000, "EUR")
	w.attempt("house", "h", registry.Host(), 70, 0, 0, "")
	w.exec(`UPDATE attempts SET model = 'house-model' WHERE client = 'house'`)
	w.attempt("codex", "there", "laptop", 2000, 0, 2_000_000, "USD")
	w.session("s-1", tree, 1, 2, 130)
	w.session("s-2", w.app, 5, 24*60)
	w.session("s-3", "", 400)
	w.began("s-2", registry.Host(), 1, 10)
	w.claims(1, 0)
	names := strings.NewReplacer(w.app, "<app>", w.home, "<home>", `"`+registry.Host()+`"`, `"<this machine>"`, w.task, "<task>")
	var s strings.Builder
	show := func(title string, q Query) {
		r := w.report(q)
		fmt.Fprintf(&s, "== %s: %d of %d answers since %v, %s\n", title, len(r.Rows), r.Total.Answers, r.Since != nil, r.Total.Words())
		for _, row := range r.Rows {
			text, err := json.Marshal(row)
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(&s, "%s\n", text)
		}
		fmt.Fprintf(&s, "%+v\n%s\n", r.Total, strings.Join(r.Notes(), "\n"))
	}
	for _, by := range Groups {
		if by != "day" { // which depends on where this machine is
			show(by, Query{By: By(by)})
		}
	}
	show("of a client", Query{By: "model", Client: "claude"})
	show("since later", Query{By: "session", Since: noon.Add(3 * time.Hour)})
	clitest.Golden(t, filepath.Join("testdata", "reports.txt"), names.Replace(s.String()))
}

// Of some tasks: what their attempts and worktrees took since the first began.
func TestOfTasks(t *testing.T) {
	w := newWorld(t)
	w.exec(`UPDATE items SET ref = 'T-1', ref_key = 't-1' WHERE ref = ?`, w.task) // as imported ones are called
	w.task = "T-1"
	w.session("before", w.app, -60)
	other := w.claimed("another")
	if got, err := w.OfTasks(t.Context(), []string{w.task}); err != nil || len(got) != 0 {
		t.Errorf("nothing began: %+v, %v", got, err)
	}
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	w.session("s-1", tree, 1, 2)
	w.session("s-2", w.app, 1)
	w.attempt("kimi", "k", registry.Host(), 1000, 100, 2_500_000, "EUR")
	for name, ids := range map[string][]string{"one": {w.task}, "twice, and others": {other, w.task, "", w.task, "T-none"}} {
		got, err := w.OfTasks(t.Context(), ids)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		w.want(got[w.task], Sum{Answers: 5, Tokens: Tokens{Input: 3000, Output: 100, CacheRead: 800, CacheWrite5m: 20, CacheWrite1h: 40, Total: 3960},
			Cost: []Money{{Currency: "EUR", Amount: 2.5}, {Currency: "USD", Amount: 2 * answerCost, Computed: 2 * answerCost}}})
	}
	for _, ids := range [][]string{nil, {""}, {other}} {
		if got, err := w.OfTasks(t.Context(), ids); err != nil || got == nil || len(got) != 0 {
			t.Errorf("%q: %+v, %v", ids, got, err)
		}
	}
}

// The use of a run so far is that of its session's transcript, else that of the sessions in its folder.
func TestRun(t *testing.T) {
	w := newWorld(t)
	tree := filepath.Join(w.home, "wt")
	w.session("s-1", filepath.Join(tree, "sub"), 0, 1)
	w.session("s-2", tree, 2)
	w.session("s-3", w.app, 3)
	for _, c := range []struct {
		run     Run
		answers int
	}{
		{Run{Client: "claude", Session: "s-1", Begun: noon}, 2},
		{Run{Client: "claude-code", Session: "s-1", Begun: noon.Add(time.Minute)}, 1},
		{Run{Client: "claude", Session: "s-1", Begun: noon.Add(time.Minute + margin)}, 1},
		{Run{Client: "claude", Session: "s-1", Begun: noon.Add(time.Minute + margin + time.Second)}, 0},
		{Run{Client: "claude", Folder: tree, Begun: noon}, 3},
		{Run{Client: "claude", Session: "s-9", Folder: tree, Begun: noon}, 0},
		{Run{Client: "codex", Folder: tree, Begun: noon}, 0},
		{Run{Client: "claude", Begun: noon}, 0},
	} {
		got, err := w.Store.Run(t.Context(), c.run)
		if err != nil || got.Answers != c.answers || (got.Model == "claude-opus-4-6") != (c.answers > 0) {
			t.Errorf("%+v: %+v, %v", c.run, got, err)
		}
		if c.answers == 1 {
			w.want(got.Cost, []Money{{Currency: "USD", Amount: 0.005463, Computed: 0.005463}})
		}
	}
	w.Table = filepath.Join(w.home, "prices.json")
	sessionstest.Write(t, w.Table, `{`)
	if _, err := w.Store.Run(t.Context(), Run{Client: "claude", Begun: noon}); err == nil {
		t.Error("an unreadable price file is read")
	}
	if _, err := w.Report(t.Context(), Query{By: "day"}); err == nil {
		t.Error("an unreadable price file is read")
	}
	if _, err := w.Now(t.Context(), ""); err == nil {
		t.Error("an unreadable price file is read")
	}
}

// Today's use, in all repositories or in some, and which clients were seen beside the suite.
func TestToday(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	write := func(name, folder string, at time.Time) {
		c := sessionstest.Claude{Session: name, Folder: folder}
		stamp := at.UTC().Format(time.RFC3339)
		sessionstest.Write(w, filepath.Join(w.home, ".claude/projects/-x", name+".jsonl"), sessionstest.Lines(c.Says(name, stamp, "m-"+name, "text", 1000, 0)))
	}
	day := Midnight(now)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, day.Add(-48*time.Hour), "active")
	write("yesterday", w.app, day.Add(-time.Minute))
	write("now", w.app, now)
	write("ann", tree, now)
	write("elsewhere", w.home, now)
	write("earlier", tree, day.Add(now.Sub(day)/2))
	got, err := w.Today(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.want([]any{got.Total.Answers, len(got.Agents), got.Agents["ann"].Answers, len(got.Seen)}, []any{4, 1, 2, 2})
	got, err = w.Today(t.Context(), []string{"app"})
	if err != nil {
		t.Fatal(err)
	}
	w.want([]any{got.Total.Answers, len(got.Agents), len(got.Seen), got.Seen[0].Worktree, got.Seen[0].Client}, []any{3, 1, 1, w.app, "claude-code"})
	if got, err = w.Today(t.Context(), []string{"none"}); err != nil || got.Total.Answers != 0 || len(got.Seen) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The cost that a client states is spread over its answers: by their computed costs where all have one, else by their tokens, else evenly.
func TestSpread(t *testing.T) {
	t.Parallel()
	of := func(amount float64, tokens int64, currency string) entry {
		return entry{amount: amount, currency: currency, computed: currency != "", Answer: usage.Answer{Tokens: sessions.Tokens{Input: tokens}}}
	}
	for name, c := range map[string]struct {
		all  []entry
		want []float64
	}{
		"by cost":   {[]entry{of(1, 10, "USD"), of(3, 10, "USD"), of(7, 7, "USD")}, []float64{2.5, 7.5, 7}},
		"by tokens": {[]entry{of(1, 10, "USD"), of(0, 30, ""), of(7, 7, "USD")}, []float64{2.5, 7.5, 7}},
		"evenly":    {[]entry{of(0, 0, ""), of(0, 0, ""), of(7, 7, "USD")}, []float64{5, 5, 7}},
		"for free":  {[]entry{of(0, 10, "USD"), of(0, 30, "USD"), of(7, 7, "USD")}, []float64{2.5, 7.5, 7}},
	} {
		a := attempt{of: []int{0, 1}, micros: 10_000_000, currency: "EUR"}
		a.spread(c.all)
		for i, e := range c.all {
			currency := "EUR"
			if i == 2 {
				currency = "USD"
			}
			if e.amount != c.want[i] || e.currency != currency || e.computed != (i == 2) {
				t.Errorf("%s %d: %+v", name, i, e)
			}
		}
	}
}

// An attempt without a transcript is one entry, by what its client reported.
func TestEntryOfAnAttempt(t *testing.T) {
	t.Parallel()
	table, here := price.Default(), &places{known: map[string]place{"/w": {repo: "app"}}}
	base := attempt{client: "c", session: "s", host: "h", ended: noon, turns: 2, work: work{"T-1", "Title", "ann"}, path: "/w", model: "claude-opus-4-6"}
	want := entry{Answer: usage.Answer{Client: "c", Session: "s", At: noon, Folder: "/w", Model: "claude-opus-4-6"},
		answers: 2, work: work{"T-1", "Title", "ann"}, place: place{repo: "app"}, machine: "h"}
	for name, c := range map[string]struct {
		change   func(*attempt)
		amount   float64
		currency string
		computed bool
		any      bool
	}{
		"nothing":           {func(*attempt) {}, 0, "", false, false},
		"tokens":            {func(a *attempt) { a.used.Input = 1000 }, 0.005, "USD", true, true},
		"tokens of another": {func(a *attempt) { a.used.Input, a.model = 1000, "house" }, 0, "", false, true},
		"money":             {func(a *attempt) { a.micros, a.currency = 2_500_000, "EUR" }, 2.5, "EUR", false, true},
		"computed money":    {func(a *attempt) { a.micros, a.currency, a.computed, a.used.Input = 2_500_000, "USD", true, 7 }, 2.5, "USD", true, true},
	} {
		a := base
		c.change(&a)
		got, any := a.entry(table, here)
		want := want
		want.Tokens, want.Model, want.amount, want.currency, want.computed = a.used, a.model, c.amount, c.currency, c.computed
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{}, work{}, place{})); diff != "" || any != c.any {
			t.Errorf("%s: %v %s", name, any, diff)
		}
	}
	base.ended = time.Time{}
	if got, _ := base.entry(table, here); time.Since(got.At) > time.Hour {
		t.Errorf("one that runs is at %s", got.At)
	}
}

// Answers belong to an attempt by its session, or by its worktree while it ran, give or take the difference of clocks.
func TestMatch(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration, client, session, folder string, own ...string) entry {
		return entry{Answer: usage.Answer{Client: client, Session: session, Folder: folder, At: noon.Add(d), Own: own}}
	}
	all := []entry{at(-margin-1, "c", "s", ""), at(-margin, "c", "s", ""), at(0, "d", "s", ""), at(0, "c", "t", "/w/sub"), at(time.Minute, "c", "x", "", "s"), at(time.Hour+margin, "c", "s", "/w"), at(time.Hour+margin+1, "c", "s", "/w")}
	mark := func(a attempt) string {
		list := make([]entry, len(all))
		copy(list, all)
		attempts := []attempt{a}
		match(list, attempts)
		var got []string
		for i, e := range list {
			if e.task != "" {
				got = append(got, fmt.Sprint(i))
				if e.task != "T-1" || e.title != "Title" || e.agent != "ann" {
					t.Errorf("%+v", e)
				}
			}
		}
		if n := len(attempts[0].of); n != len(got) {
			t.Errorf("%d of %q", n, got)
		}
		return strings.Join(got, " ")
	}
	base := attempt{client: "c", host: registry.Host(), begun: noon, ended: noon.Add(time.Hour), work: work{"T-1", "Title", "ann"}}
	for want, change := range map[string]func(*attempt){
		"1 4 5":   func(a *attempt) { a.session = "s" },
		"1 4 5 6": func(a *attempt) { a.session, a.ended = "s", time.Time{} },
		"3 5":     func(a *attempt) { a.path = "/w" },
		"5":       func(a *attempt) { a.path, a.begun = "/w", noon.Add(30*time.Minute) },
		"":        func(a *attempt) { a.session, a.host = "s", "another" },
		"2":       func(a *attempt) { a.session, a.client = "s", "d" },
	} {
		a := base
		change(&a)
		if got := mark(a); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := mark(base); got != "" {
		t.Errorf("without a session and a folder: %q", got)
	}
	for folder, want := range map[string]bool{"/w": true, "/w/a": true, `/w\a`: true, "/wa": false, "/": false, "": false} {
		if within(folder, "/w") != want {
			t.Errorf("%s lies in /w: %v", folder, !want)
		}
	}
	s := span{noon, noon.Add(time.Hour)}
	for d, want := range map[time.Duration]bool{-margin - 1: false, -margin: true, time.Hour + margin: true, time.Hour + margin + 1: false} {
		if s.holds(noon.Add(d)) != want {
			t.Errorf("%s: %v", d, !want)
		}
	}
	if !(span{from: noon}).holds(noon.Add(1000 * time.Hour)) {
		t.Error("a span without an end ends")
	}
}

// The rest of a block, its cost ahead, and the largest cost.
func TestAheadAndLeft(t *testing.T) {
	t.Parallel()
	stamp := func(d time.Duration) *timestamp.Time { at := timestamp.Of(noon.Add(d)); return &at }
	usd := Sum{Cost: []Money{{Currency: "USD", Amount: 3}}}
	for name, c := range map[string]struct {
		r      Row
		amount float64
		ok     bool
	}{
		"a minute":       {Row{Sum: usd, First: *stamp(-time.Minute), EndsAt: stamp(time.Minute)}, 6, true},
		"less":           {Row{Sum: usd, First: *stamp(-time.Minute + 1), EndsAt: stamp(time.Minute)}, 0, false},
		"over":           {Row{Sum: usd, First: *stamp(-time.Hour), EndsAt: stamp(0)}, 0, false},
		"without an end": {Row{Sum: usd, First: *stamp(-time.Hour)}, 0, false},
		"two currencies": {Row{Sum: Sum{Cost: []Money{{}, {}}}, First: *stamp(-time.Hour), EndsAt: stamp(time.Hour)}, 0, false},
		"no cost":        {Row{First: *stamp(-time.Hour), EndsAt: stamp(time.Hour)}, 0, false},
	} {
		if amount, _, ok := c.r.Ahead(noon); ok != c.ok || amount != c.amount {
			t.Errorf("%s: %v %v", name, amount, ok)
		}
	}
	for want, ends := range map[string]*timestamp.Time{"": nil, "1h0m": stamp(time.Hour), "1m": stamp(30 * time.Second), "0s": stamp(-time.Hour), "2h10m": stamp(130*time.Minute + 29*time.Second)} {
		if got := (Row{EndsAt: ends}).Left(noon); got != want && !(want == "0s" && got == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (Sum{Cost: []Money{{Amount: 2}, {Amount: 5}, {Amount: 3}}}).largest(); got != 5 {
		t.Error(got)
	}
	if (Sum{}).Computed() || (Sum{Cost: []Money{{Amount: 1}}}).Computed() || !(Sum{Cost: []Money{{Amount: 1}, {Amount: 2, Computed: 1}}}).Computed() {
		t.Error("computed costs are not told apart")
	}
	r := Report{Total: Sum{Unpriced: 1500, UnpricedModels: []string{"", "x"}, Cost: []Money{{Currency: "USD", Amount: 1, Computed: 1}}}, Prices: Prices{Date: "2026-01-01", Source: "/p.json"}}
	want := []string{`* computed from the prices of 2026-01-01 in "/p.json"; a cost that a client states counts instead`,
		"+? 1.50k tokens have no known price: a model without a name, x; `work.prices` names a file with further prices"}
	if diff := cmp.Diff(want, r.Notes()); diff != "" {
		t.Error(diff)
	}
	if (Report{}).Notes() != nil || (*Sum)(nil).Words() != "" {
		t.Error("nothing is explained")
	}
}
