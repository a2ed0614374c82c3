package costs

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// noon is the time of the events in these tests.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world is a registry with a repository app, a task that ann has claimed, and a home folder with sessions.
type world struct {
	*testing.T
	*Store
	home, app string
	task      string
}

func newWorld(t *testing.T) *world {
	t.Parallel()
	w := &world{T: t, home: t.TempDir()}
	w.Store = &Store{DB: registrytest.Open(t), Kept: usage.For(filepath.Join(w.home, ".agit"), w.home, nil, nil)}
	w.Kept.Problem = func(path string, err error) { t.Errorf("%s: %v", path, err) }
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a")
	added, err := (&repo.Store{DB: w.DB}).Add(t.Context(), repo.New{Path: g.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	w.app = added.Repo.Path
	w.task = w.claimed("sort the list")
	return w
}

// claimed creates a task that ann has claimed.
func (w *world) claimed(text string) (id string) {
	w.Helper()
	tasks := &task.Store{DB: w.DB}
	made, err := tasks.Create(w.Context(), []task.New{{Repo: "app", Text: text}})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := tasks.Claim(w.Context(), made[0].ID, "ann"); err != nil {
		w.Fatal(err)
	}
	return made[0].ID
}

func (w *world) exec(statement string, args ...any) {
	w.Helper()
	if err := w.DB.Write(w.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

// tree adds a worktree of the task, in a folder that need not exist.
func (w *world) tree(folder string, from time.Time, status string) {
	w.Helper()
	var to any
	if status == "completed" {
		to = registry.FormatTime(from.Add(time.Hour))
	}
	w.exec(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, item_id, path, branch, status, created_at, updated_at, finished_at)
		SELECT ?, ?, r.id, a.id, i.id, ?, 'agit/x', ?, ?, ?, ? FROM repos r, agents a, items i WHERE a.name = 'ann' AND i.ref = ?`,
		"uid "+folder, "w-"+filepath.Base(folder), folder, status, registry.FormatTime(from), registry.FormatTime(from), to, w.task)
}

// attempt adds an attempt that ran for an hour from noon on.
func (w *world) attempt(client, session, host string, in, out, micros int64, currency string) {
	w.Helper()
	w.exec(`INSERT INTO attempts (run, item_id, agent_id, worktree_id, cause, client, session, host, pid, mark, state, started_at, ended_at, tokens_in, tokens_out, cost, currency, model, turns)
		SELECT ?, i.id, a.id, (SELECT MAX(id) FROM worktrees), 'begun', ?, ?, ?, 1, 'm', 'done', ?, ?, ?, ?, ?, ?, 'claude-opus-4-6', 3 FROM items i, agents a WHERE i.ref = ? AND a.name = 'ann'`,
		"run-"+client+session+host, client, session, host, registry.FormatTime(noon), registry.FormatTime(noon.Add(time.Hour)), in, out, micros, currency, w.task)
}

// session writes a Claude Code session with an answer at each of some minutes after noon: a thousand input tokens for $0.005 and 430
// cache tokens for $0.0004625.
func (w *world) session(name, folder string, minutes ...int) {
	w.Helper()
	c := sessionstest.Claude{Session: name, Folder: folder, Branch: "b"}
	var rows []sessionstest.Row
	for _, m := range minutes {
		at := noon.Add(time.Duration(m) * time.Minute).Format(time.RFC3339)
		rows = append(rows, c.Says(name+at, at, "m-"+name+at, "text", 1000, 0))
	}
	sessionstest.Write(w, filepath.Join(w.home, ".claude/projects/-x", name+".jsonl"), sessionstest.Lines(rows...))
}

// answerCost is the cost of one answer of session: 1000 tokens in, 400 read from a cache, 10 written for five minutes and 20 for an
// hour.
const answerCost = 1000*5e-6 + 400*0.5e-6 + 10*6.25e-6 + 20*10e-6

func (w *world) report(q Query) Report {
	w.Helper()
	r, err := w.Report(w.Context(), q)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// rows returns the rows of a report as "KEY: ANSWERS COST".
func (w *world) rows(by By) map[string]string {
	w.Helper()
	got := map[string]string{}
	for _, row := range w.report(Query{By: by}).Rows {
		got[row.Key] = row.Words()
	}
	return got
}

func (w *world) want(got any, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Error(diff)
	}
}

func TestAnAttemptAndItsTranscriptAreOne(t *testing.T) {
	w := newWorld(t)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	w.attempt("claude", "s-1", registry.Host(), 99999, 99999, 0, "")
	w.session("s-1", tree, 1, 2)
	r := w.report(Query{By: "task"})
	w.want(len(r.Rows), 1)
	w.want(r.Total.Answers, 2)
	w.want(r.Total.Tokens, Tokens{Input: 2000, CacheRead: 800, CacheWrite5m: 20, CacheWrite1h: 40, Total: 2860})
	w.want(r.Total.Cost, []Money{{Currency: "USD", Amount: 2 * answerCost, Computed: 2 * answerCost}})
	w.want([]string{r.Rows[0].Key, r.Rows[0].Title}, []string{w.task, "sort the list"})
}

func TestMoneyThatAClientStatesWins(t *testing.T) {
	w := newWorld(t)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	w.attempt("claude", "s-1", registry.Host(), 5, 5, 3_000_000, "USD")
	w.session("s-1", tree, 1, 2, 3, 500)                                                                            // the last is later and a person's
	w.want(w.report(Query{By: "day"}).Total.Cost, []Money{{Currency: "USD", Amount: 3.005463, Computed: 0.005463}}) // in millionths
	w.want(w.rows("agent"), map[string]string{"ann": "$3.01*"})                                                     // the worktree is ann's for the whole time
}

func TestAnAttemptWithoutATranscriptCounts(t *testing.T) {
	w := newWorld(t)
	w.tree(filepath.Join(w.home, "wt"), noon, "active")
	w.attempt("goose", "g", registry.Host(), 1000, 100, 0, "")
	w.attempt("kimi", "k", registry.Host(), 1000, 100, 2_500_000, "EUR")
	w.attempt("claude", "far", "another-machine", 1000, 0, 1_000_000, "USD")
	w.session("far", filepath.Join(w.home, "elsewhere"), 1) // this session does not belong to the attempt on the other machine
	w.want(w.rows("client"), map[string]string{"goose": "$0.0075*", "kimi": "2.50 EUR", "claude-code": "$1.01*"})
	r := w.report(Query{By: "client", Client: "claude"})
	w.want(r.Total.Answers, 4)
	if r := w.report(Query{By: "client", Since: noon.Add(2 * time.Hour)}); len(r.Rows) != 0 {
		t.Errorf("%+v", r.Rows)
	}
}

func TestAnAttemptIsFoundByItsWorktree(t *testing.T) {
	w := newWorld(t)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	w.attempt("claude", "", registry.Host(), 0, 0, 0, "") // its worker was killed before it learned the session
	w.session("s-1", filepath.Join(tree, "sub"), 30)
	w.session("s-2", tree+"2", 30)
	w.want(w.rows("agent"), map[string]string{"ann": "$0.0055*", "": "$0.0055*"})
}

func TestFoldersAreWhatTheyWere(t *testing.T) {
	w := newWorld(t)
	gone := filepath.Join(w.home, "gone")
	w.tree(gone, noon, "completed") // for an hour
	w.session("s-1", gone, 30)
	w.session("s-2", gone, 90) // another worktree has the folder by then
	w.session("s-3", filepath.Join(w.app, "src"), 5)
	w.session("s-4", "", 5)
	w.want(w.rows("task"), map[string]string{w.task: "$0.0055*", "": "$0.0164*"})
	w.want(w.rows("repo"), map[string]string{"app": "$0.0164*", "": "$0.0055*"})
	w.want(w.rows("project"), map[string]string{w.app: "$0.0164*", "": "$0.0055*"})
	w.want(w.rows("worktree"), map[string]string{gone: "$0.0109*", w.app: "$0.0055*", "": "$0.0055*"})
}

func TestUnknownModelsHaveTokensAndNoMoney(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "a", Folder: w.app}
	sessionstest.Write(t, filepath.Join(w.home, ".claude/projects/-x/a.jsonl"), sessionstest.Lines(
		c.Says("1", noon.Format(time.RFC3339), "m1", "text", 1000, 0),
		c.Says("2", noon.Format(time.RFC3339), "m2", "text", 70, 0).With(sessionstest.Row{"message": sessionstest.Row{"id": "m2", "role": "assistant", "model": "house-model", "usage": sessionstest.Row{"input_tokens": 70}}})))
	r := w.report(Query{By: "model"})
	w.want(w.rows("model"), map[string]string{"claude-opus-4-6": "$0.0055*", "house-model": "?"})
	w.want(r.Total.Words(), "$0.0055*+?")
	w.want([]any{r.Total.Unpriced, r.Total.UnpricedModels}, []any{int64(70), []string{"house-model"}})
	w.want(r.Notes(), []string{"* computed from the built-in prices of 2026-11-26; a cost that a client states counts instead",
		"+? 70 tokens have no known price: house-model; `work.prices` names a file with further prices"})
	w.Table = filepath.Join(w.home, "prices.json")
	sessionstest.Write(t, w.Table, `{"date": "2026-01-01", "currency": "EUR", "models": {"house-model": {"input": 1000000}}}`)
	w.want(w.rows("model"), map[string]string{"claude-opus-4-6": "?", "house-model": "70.00 EUR*"})
}

func TestGroupsThatDoNotExist(t *testing.T) {
	w := newWorld(t)
	_, err := w.Report(t.Context(), Query{By: "dya"})
	if !fault.Is(err, fault.KindValidation) || fault.From(err).Hint != `did you mean "day"?` {
		t.Error(err)
	}
}

func TestOrder(t *testing.T) {
	w := newWorld(t)
	w.session("late", w.app, 24*60, 25*60)
	w.session("early", w.app, 0, 60, 120)
	keys := func(by By) (keys []string) {
		for _, row := range w.report(Query{By: by}).Rows {
			keys = append(keys, row.Key)
		}
		return keys
	}
	w.want(keys("session"), []string{"early", "late"})
	first, second := noon.Local().Format(time.DateOnly), noon.AddDate(0, 0, 1).Local().Format(time.DateOnly)
	w.want(keys("day"), []string{first, second})
	w.want(keys("block"), []string{"2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z"})
}

// An attempt counts for the machine on which it ran, and a session for the machine on which it is stored.
func TestMachines(t *testing.T) {
	w := newWorld(t)
	w.session("here", w.app, 0)
	w.attempt("codex", "there", "laptop", 2000, 0, 2_000_000, "USD")
	sums := map[string]int64{}
	for _, row := range w.report(Query{By: "machine"}).Rows {
		sums[row.Key] = row.Tokens.Total
	}
	if len(sums) != 2 || sums["laptop"] != 2000 || sums[registry.Host()] == 0 {
		t.Errorf("%v on %s", sums, registry.Host())
	}
}

func entries(minutes ...int) (all []entry) {
	for _, m := range minutes {
		all = append(all, entry{Answer: usage.Answer{Client: "c", At: noon.Add(20*time.Minute + time.Duration(m)*time.Minute), Tokens: sessions.Tokens{Input: 1}}, answers: 1})
	}
	return all
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	type block struct {
		start   string
		answers int
		active  bool
	}
	for name, c := range map[string]struct {
		minutes []int
		now     int
		want    []block
	}{
		"from the hour":            {[]int{0, 280}, 900, []block{{"12:00", 2, false}}},
		"five hours from the hour": {[]int{0, 281}, 900, []block{{"12:00", 1, false}, {"17:00", 1, false}}},
		"a pause of five hours":    {[]int{0, 100, 401}, 900, []block{{"12:00", 2, false}, {"19:00", 1, false}}},
		"one that goes on":         {[]int{0, 100}, 279, []block{{"12:00", 2, true}}},
		"one whose time is over":   {[]int{0, 100}, 280, []block{{"12:00", 2, false}}},
		"no answers, no blocks":    {nil, 0, nil},
	} {
		var got []block
		for _, r := range blocks(entries(c.minutes...), noon.Add(time.Duration(20+c.now)*time.Minute)) {
			at, err := time.Parse(time.RFC3339, r.Key)
			if err != nil || !r.EndsAt.Equal(at.Add(5*time.Hour)) {
				t.Errorf("%s: %+v", name, r)
			}
			got = append(got, block{at.Format("15:04"), r.Answers, r.Active})
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(block{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	two := entries(0, 1)
	two[1].Client = "d"
	if got := blocks(two, noon); len(got) != 2 {
		t.Errorf("two clients share a block: %+v", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.00k", 9995: "10.0k", 12345: "12.3k", 99950: "100k", 999499: "999k", 999500: "1.00M", 4560000: "4.56M", 1.2e9: "1.20G", 2.5e12: "2500G"} {
		if got := Short(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		sum  Sum
		want string
	}{
		{Sum{}, ""}, {Sum{Unpriced: 1}, "?"},
		{Sum{Cost: []Money{{Currency: "USD", Amount: 0.0999}}}, "$0.0999"}, {Sum{Cost: []Money{{Currency: "USD", Amount: 0.1}}}, "$0.10"},
		{Sum{Cost: []Money{{Currency: "EUR", Amount: 2}, {Currency: "USD", Amount: 1, Computed: 0.5}}, Unpriced: 3}, "2.00 EUR $1.00*+?"},
	} {
		if got := c.sum.Words(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sum, got, c.want)
		}
	}
}

func TestNow(t *testing.T) {
	w := newWorld(t)
	c := sessionstest.Claude{Session: "s", Folder: w.app}
	says := func(id string, at time.Time) sessionstest.Row {
		return c.Says(id, at.UTC().Format(time.RFC3339), "m"+id, "text", 1000, 0)
	}
	now := time.Now()
	y, m, d := now.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.Local)
	sessionstest.Write(t, filepath.Join(w.home, ".claude/projects/-x/s.jsonl"), sessionstest.Lines(says("1", midnight.Add(-20*time.Hour)), says("2", now)))
	n, err := w.Now(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	w.want([]string{n.Today.Words(), n.Session.Words()}, []string{"$0.0055*", "$0.0109*"})
	w.want([]int{len(n.Blocks), n.Blocks[0].Answers, len(n.Agents)}, []int{1, 1, 1})
	if n, err := w.Now(t.Context(), "other"); err != nil || n.Session != nil {
		t.Errorf("%+v %v", n.Session, err)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	ends := timestamp.Of(noon.Add(130 * time.Minute))
	sum := func(amount, computed float64) Sum {
		return Sum{Cost: []Money{{Currency: "USD", Amount: amount, Computed: computed}}}
	}
	n := Now{At: timestamp.Of(noon), Today: sum(12.3, 12.3), Session: &Row{Sum: sum(0.5, 0.5)}, Blocks: []Row{{Sum: sum(4.1, 0), EndsAt: &ends}}}
	var s Status
	if got := n.Line(s); got != "session $0.50*  today $12.30*  block $4.10 2h10m left" {
		t.Error(got)
	}
	s.Model.ID, s.Cost.USD = "claude-opus-4-6", 0.42
	if got := n.Line(s); got != "claude-opus-4-6  session $0.42  today $12.30*  block $4.10 2h10m left" {
		t.Error(got)
	}
	s.Model.Name = "Opus\x1b[31m"
	if got := (Now{At: n.At}).Line(s); got != `Opus\x1b[31m  session $0.42  today $0.00` {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		first time.Duration
		want  float64
		ok    bool
	}{{-130 * time.Minute, 8.2, true}, {-10 * time.Second, 0, false}} {
		b := Row{Sum: sum(4.1, 0), First: timestamp.Of(noon.Add(c.first)), EndsAt: &ends}
		if amount, currency, ok := b.Ahead(noon); ok != c.ok || ok && (math.Abs(amount-c.want) > 1e-9 || currency != "USD") {
			t.Errorf("%s: %v %s %v", c.first, amount, currency, ok)
		}
	}
}

// The last answer of each client and worktree is a sighting if the folder did not belong to an agent of the suite. It counts for a
// limited time.
func TestSightings(t *testing.T) {
	t.Parallel()
	answer := func(minutes int, client, folder, agent string) entry {
		return entry{Answer: usage.Answer{Client: client, At: noon.Add(time.Duration(minutes) * time.Minute)}, place: place{worktree: folder}, work: work{agent: agent}}
	}
	all := []entry{answer(-5, "gemini", "/a", ""), answer(0, "codex", "/a", ""), answer(1, "claude-code", "/a", ""), answer(2, "codex", "/a", ""),
		answer(3, "codex", "/b", "ann"), answer(4, "codex", "", ""), answer(5, "claude-code", "/b", "")}
	want := []Sighting{{"claude-code", "/b", noon.Add(5 * time.Minute)}, {"codex", "/a", noon.Add(2 * time.Minute)}, {"claude-code", "/a", noon.Add(time.Minute)}}
	if diff := cmp.Diff(want, sightings(all, noon)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
