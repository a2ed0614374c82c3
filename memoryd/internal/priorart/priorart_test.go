package priorart_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/priorart"
	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/timestamp"
)

// world is a registry with records to search.
type world struct {
	*testing.T
	db      *registry.DB
	records *record.Store
	art     *priorart.Store
}

func newWorld(t *testing.T) *world {
	db := registrytest.Open(t)
	return &world{t, db, &record.Store{DB: db}, &priorart.Store{DB: db}}
}

func at(name string) project.Place {
	return project.Place{At: &project.Identity{UID: "p-" + name, Name: name, Folder: "/" + name}}
}

func (w *world) by(who, where, scope string) record.By {
	return record.By{Agent: who, Place: at(where), Scope: scope}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

var commits int

// retro stores a graded retrospective.
func (w *world) retro(who, where, scope, task string, byAgent, byUser record.Grade) {
	w.Helper()
	commits++
	_, err := w.records.Grade(w.Context(), record.Grading{By: w.by(who, where, scope), Commit: fmt.Sprintf("%07x", commits),
		AgentGrade: byAgent, UserGrade: byUser, Task: task, UserNote: "noted"})
	w.must(err)
}

func (w *world) search(q priorart.Query) priorart.Result {
	w.Helper()
	r, err := w.art.Search(w.Context(), q)
	w.must(err)
	return r
}

// tasks lists what was found, in order.
func tasks(matches []priorart.Match) string {
	var list []string
	for _, m := range matches {
		list = append(list, m.Task)
	}
	return strings.Join(list, "; ")
}

func TestScopeFirstThenEverywhere(t *testing.T) {
	w := newWorld(t)
	w.retro("ann", "app", "backend", "cache the invoice totals", 1, 2)
	w.retro("bob", "app", "frontend", "invoice totals in the header", 1, 5)
	w.retro("bob", "app", "frontend", "colours of the header", 1, 5)
	w.retro("ann", "app", "backend", "invoice cache without expiry", 2, -1)
	w.retro("bob", "app", "frontend", "invoice rounding in the browser", -1, 1)
	r := w.search(priorart.Query{Task: "Show invoice totals", Scope: "Backend"})
	if got := tasks(r.Positive); got != "cache the invoice totals" {
		t.Errorf("positive: %s", got)
	}
	if got := tasks(r.CrossScope); got != "invoice totals in the header" {
		t.Errorf("cross-scope: %s", got)
	}
	if len(r.Mistakes) != 2 {
		t.Errorf("mistakes: %s", tasks(r.Mistakes))
	}
	// Neutral and ungraded work is not a pattern to follow.
	w.retro("ann", "app", "backend", "invoice page", 2, 1)
	w.retro("ann", "app", "backend", "invoice footer", 1, 1)
	if r := w.search(priorart.Query{Task: "invoice page footer", Scope: "backend"}); tasks(r.Positive) != "cache the invoice totals" || len(r.Related) != 2 {
		t.Errorf("positive: %s, related: %s", tasks(r.Positive), tasks(r.Related))
	}
	// With enough matches in the scope, nothing else is searched.
	r = w.search(priorart.Query{Task: "Show invoice totals", Scope: "backend", MaxResults: 1})
	if len(r.Positive) != 1 || len(r.CrossScope) != 0 || len(r.Mistakes) != 1 {
		t.Errorf("at most one of each: %+v", r)
	}
	if r.Positive[0].Grade != 2 || r.Positive[0].Agent != "ann" || r.Positive[0].Relevance != 0.667 || r.Positive[0].Project != "app" || r.Positive[0].Notes != "noted" {
		t.Errorf("%+v", r.Positive[0])
	}
}

func TestTheScopeIsTheAgentsType(t *testing.T) {
	w := newWorld(t)
	w.must(w.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := agent.Register(tx, agent.Registration{Name: "ann", Type: "coder"})
		return err
	}))
	w.retro("ann", "app", "", "cache the invoices", 1, 2)
	for _, q := range []priorart.Query{{Agent: "ANN"}, {Caller: "ann"}, {Scope: "coder"}, {Scope: "coder", Caller: "nobody"}} {
		q.Task = "invoices"
		if r := w.search(q); len(r.Positive) != 1 || r.Scope != "coder" {
			t.Errorf("%+v: %+v", q, r)
		}
	}
	if r := w.search(priorart.Query{Task: "invoices", Caller: "nobody"}); len(r.Positive) != 1 {
		t.Errorf("a caller that is not known: %+v", r)
	}
	if _, err := w.art.Search(t.Context(), priorart.Query{Task: "invoices", Agent: "nobody"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("an agent that is not known: %v", err)
	}
}

// All records are searched, and no commit is listed twice.
func TestSources(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.retro("ann", "app", "s", "webhook one", 1, 2)
	_, err := w.records.Log(ctx, record.Activity{By: w.by("ann", "app", "s"), Task: "two", Outcome: "webhooks verified"})
	w.must(err)
	_, err = w.records.Commit(ctx, record.Commit{By: w.by("ann", "app", "s"), OID: "aaaaaaaa", Subject: "three", Body: "Webhook bodies."})
	w.must(err)
	_, err = w.records.Commit(ctx, record.Commit{By: w.by("ann", "app", "s"), OID: "bbbbbbbb", Subject: "webhook four"})
	w.must(err)
	_, err = w.records.Grade(ctx, record.Grading{By: w.by("ann", "app", "s"), Commit: "bbbbbbbb", AgentGrade: 1, UserGrade: 1})
	w.must(err)
	_, err = w.records.Bug(ctx, record.Bug{By: w.by("bob", "app", "s"), Note: "webhook five"})
	w.must(err)
	w.must(w.db.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		p, err := at("app").Ensure(tx)
		if err != nil {
			return err
		}
		for kind, content := range map[string]string{memory.TypePattern: "six: webhook order", memory.TypeWarning: "seven: webhook secrets in logs"} {
			if _, err := memory.Put(tx, memory.New{ProjectID: p.ID, Type: kind, Content: content}, 0); err != nil {
				return err
			}
		}
		return nil
	}))
	r := w.search(priorart.Query{Task: "the webhook", MaxResults: 20})
	got := map[string]int{}
	if len(r.Positive) != 1 || r.Positive[0].Source != "retrospective" {
		t.Errorf("positive without a good grade of the user's: %s", tasks(r.Positive))
	}
	for _, m := range append(r.Positive, r.Related...) {
		got[m.Source]++
	}
	for source, want := range map[string]int{"retrospective": 2, "activity": 1, "commit": 1, "memory": 1} {
		if got[source] != want {
			t.Errorf("%d of %s, want %d: %s", got[source], source, want, tasks(r.Positive))
		}
	}
	if got := tasks(r.Mistakes); len(r.Mistakes) != 2 || !strings.Contains(got, "webhook five") || !strings.Contains(got, "seven") {
		t.Errorf("mistakes: %s", got)
	}
}

func TestKeywords(t *testing.T) {
	w := newWorld(t)
	w.retro("ann", "app", "s", "Retrying parseInvoiceTotals with café data", 1, 2)
	for task, want := range map[string]float64{
		"retry": 1, "RETRIES invoices": 1, "parse_invoice_totals": 1, "how do I retry the cafe?": 1, "retry nothing known": 0.333,
		"a b c d e f g h i retry": 1, "colours": 0,
	} {
		r := w.search(priorart.Query{Task: task})
		got := 0.0
		if len(r.Positive) > 0 {
			got = r.Positive[0].Relevance
		}
		if got != want {
			t.Errorf("%q: relevance %g of %v, want %g", task, got, r.Keywords, want)
		}
	}
	// A match with fewer than one keyword in ten is dropped.
	if r := w.search(priorart.Query{Task: "retry " + "alpha bravo charlie delta echo foxtrot golf hotel india juliet"}); len(r.Positive) != 0 {
		t.Errorf("%+v", r.Positive)
	}
	if r := w.search(priorart.Query{Task: "to the"}); len(r.Notes) != 1 {
		t.Errorf("nothing to look for: %+v", r)
	}
	for _, q := range []priorart.Query{{}, {Task: "  "}, {Task: "x", MaxResults: -1}, {Task: "x", MaxResults: 51}, {Task: "x", Budget: 5}, {Task: "x", Scope: "a\nb"}} {
		if _, err := w.art.Search(t.Context(), q); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Matches at home come first; those from elsewhere must share more keywords.
func TestOtherProjects(t *testing.T) {
	w := newWorld(t)
	w.retro("ann", "other", "s", "invoice export to csv", 1, 5)
	w.retro("ann", "app", "s", "invoice export to csv", 1, 2)
	w.retro("ann", "other", "s", "invoice", 1, 2)
	w.retro("ann", "app", "s", "invoice", 1, 2)
	r := w.search(priorart.Query{Task: "invoice export csv alpha bravo charlie delta", Place: at("app")})
	var from []string
	for _, m := range r.Positive {
		from = append(from, m.Project+" "+m.Task)
	}
	if got := strings.Join(from, "; "); got != "app invoice export to csv; other invoice export to csv; app invoice" {
		t.Errorf("%s", got)
	}
}

func TestSimilarProjects(t *testing.T) {
	w := newWorld(t)
	near, broken := gittest.New(t), gittest.New(t)
	near.Write("a", "1")
	near.Git("add", ".")
	near.Git("commit", "-q", "-m", "Retry the webhook", "-m", "First line.\n\nSecond, with \x01 in it.")
	near.Git("commit", "-q", "--allow-empty", "-m", "webhook")
	near.Git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
	broken.Write(".git/HEAD", "nonsense")
	w.retro("ann", "like", "s", "webhook retries in the queue", 1, 5)
	for range 3 {
		w.retro("ann", "app", "s", "webhook retries at home", 1, 5)
	}
	var asked sibling.Call
	w.art.Flags = []string{"--db=x"}
	w.art.Run = func(_ context.Context, c sibling.Call, into any) error {
		asked = c
		answer := fmt.Sprintf(`{"project":"p-app","projects":[
			{"project":"p-like","name":"like","path":"/nowhere/at all","score":0.8},{"project":"p-near","name":"near","path":%q,"score":0.7},
			{"project":"p-broken","name":"broken","path":%q,"score":0.7}]}`, near.Dir, broken.Dir)
		return json.Unmarshal([]byte(answer), into)
	}
	r := w.search(priorart.Query{Task: "retry webhook deliveries", Place: at("app"), Similar: true, MaxResults: 3})
	if got := strings.Join(asked.Args, " "); asked.Program != "classify" || got != "--db=x similar --limit=8 -- /app" {
		t.Errorf("asked %s %s", asked.Program, got)
	}
	if len(r.Positive) != 3 || r.Positive[0].Project != "app" {
		t.Errorf("at home: %+v", r.Positive)
	}
	if got := tasks(r.SimilarPatterns); got != "webhook retries in the queue" || r.SimilarPatterns[0].Similarity != 0.8 {
		t.Errorf("of similar projects: %s", got)
	}
	// With too little in the registry, the git logs of the projects are read.
	r = w.search(priorart.Query{Task: "retry webhook deliveries", Place: at("app"), Similar: true, MaxResults: 10})
	var found []string
	for _, m := range r.SimilarPatterns {
		found = append(found, m.Source+" "+m.Project+" "+m.Task)
	}
	if got := strings.Join(found, "; "); got != "git near Retry the webhook; git near webhook" {
		t.Errorf("of git logs: %s", got)
	}
	if m := r.SimilarPatterns[0]; !strings.HasPrefix(m.Notes, "First line. Second, with") || m.Path != near.Dir || len(m.ID) != 40 {
		t.Errorf("%+v", m)
	}
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, s.Project)
	}
	if got := strings.Join(skipped, " "); got != "like broken" {
		t.Errorf("skipped %s: %+v", got, r.Skipped)
	}
	if md := r.Markdown(); !strings.Contains(md, "### Prior Art: Similar Projects\n\n- **Retry the webhook** (git, in near") || !strings.Contains(md, "broken was skipped") {
		t.Errorf("%s", md)
	}

	w.art.Run = func(context.Context, sibling.Call, any) error { return fault.NotFound("program", "classify") }
	r = w.search(priorart.Query{Task: "retry webhook deliveries", Place: at("app"), Similar: true})
	if len(r.Positive) == 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "not installed") {
		t.Errorf("without classify: %+v", r)
	}
}

func TestBudget(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.retro("ann", "app", "s", fmt.Sprintf("webhook %d %s", i, strings.Repeat("long ", 100)), 1, []record.Grade{-1, 2}[i%2])
	}
	for _, budget := range []int{1 << 10, 4 << 10, 20 << 10} {
		r := w.search(priorart.Query{Task: "webhook", MaxResults: 30, Budget: budget})
		document, err := json.Marshal(r)
		w.must(err)
		if len(document) > budget || len(r.Positive) == 0 || len(r.Mistakes) == 0 || len(r.Positive)+len(r.Mistakes)+r.Cut != 60 {
			t.Errorf("budget %d: %d bytes, %d and %d matches, %d cut", budget, len(document), len(r.Positive), len(r.Mistakes), r.Cut)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := priorart.Result{
		Positive: []priorart.Match{{Source: "retrospective", Task: "do *it*", Notes: "well", Grade: 5, Agent: "ann", Scope: "backend",
			Project: "app", Age: "3 days", Relevance: 0.5, Timestamp: timestamp.Of(time.Unix(0, 0))}},
		CrossScope: []priorart.Match{{Source: "commit", Task: "x", Age: "just now", Relevance: 1}},
		Mistakes:   []priorart.Match{},
		Notes:      []string{"a note"},
	}
	want := "### Prior Art: Positive Patterns\n\n" +
		"- **do \\*it\\*** (grade +5, retrospective by ann/backend, in app, 3 days ago, 50 % of the keywords)\n  well\n\n" +
		"### Prior Art: Cross-Scope Patterns\n\n- **x** (commit, just now, 100 % of the keywords)\n\n" +
		"### Prior Art: Mistakes to Avoid\n\nNothing is known.\n\nA note.\n"
	if got := r.Markdown(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// BenchmarkSearch: prior art among 5,000 commits and 5,000 activities, beside a
// statement that looks for one of its words in the same texts. Goal: 100 ms.
func BenchmarkSearch(b *testing.B) {
	db := registrytest.OpenPlain(b)
	if err := db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
		a, err := agent.Register(tx, agent.Registration{Name: "ann"})
		if err != nil {
			return err
		}
		p, err := at("app").Ensure(tx)
		if err != nil {
			return err
		}
		for i := range 5000 {
			if _, err := tx.Exec(`INSERT INTO commits (project_id, agent_id, scope, oid, subject, body, at) VALUES (?, ?, 's', ?, ?, ?, ?)`,
				p.ID, a.ID, fmt.Sprintf("%040x", i), fmt.Sprintf("Change number %d of the importer", i), strings.Repeat("some words about it ", 10), tx.Stamp()); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO activities (uid, agent_id, project_id, scope, task, outcome, at) VALUES (?, ?, ?, 's', ?, ?, ?)`,
				registry.NewUID(), a.ID, p.ID, fmt.Sprintf("Activity %d on the exporter", i), strings.Repeat("what came of it ", 10), tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	art := &priorart.Store{DB: db}
	benchtest.Beside(b, "like", benchtest.Of(func() error {
		_, err := art.Search(b.Context(), priorart.Query{Task: "retry the importer when the payment webhook fails", Place: at("app")})
		return err
	}), benchtest.Of(func() error {
		return db.Read(b.Context(), func(tx *registry.Tx) error {
			_, err := registry.Collect(tx, registry.One[string], `SELECT subject FROM commits WHERE subject LIKE '%importer%' OR body LIKE '%importer%'
				UNION ALL SELECT task FROM activities WHERE task LIKE '%importer%' OR outcome LIKE '%importer%'`)
			return err
		})
	}))
}
