package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

func TestHistoryOfAProject(t *testing.T) {
	t.Parallel()
	home, g := t.TempDir(), gittest.New(t)
	c := sessionstest.Claude{Session: "abc", Folder: g.Dir, Branch: "main"}
	old := sessionstest.Claude{Session: "old", Folder: "/was/here"}
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/abc.jsonl"), sessionstest.Lines(
		c.User("1", "2026-11-20T10:00:00.000Z", "Why is the cache cold?"), old.User("2", "2026-11-19T10:00:00.000Z", "An earlier place")))
	db := registrytest.Open(t)
	s := &Store{DB: db, Kept: index.For(filepath.Join(home, "agit"), home, nil, nil)}
	place, err := project.Locate("", g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(q Query) Answer {
		t.Helper()
		a, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(Query{Query: index.Query{Text: "cold cache"}, Place: &place}); len(a.Hits) != 1 || a.Hits[0].ID != "abc" {
		t.Errorf("%+v", a)
	}
	if a := ask(Query{Query: index.Query{Text: "earlier place"}, Place: &place}); len(a.Hits) != 0 || a.Elsewhere != 1 {
		t.Errorf("of another folder: %+v", a)
	}
	err = db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		p, err := place.Ensure(tx)
		if err != nil {
			return err
		}
		return project.Follow(tx, p.ID, "/was/here")
	})
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(Query{Query: index.Query{Text: "earlier place"}, Place: &place}); len(a.Hits) != 1 {
		t.Errorf("where the project was seen before: %+v", a)
	}
	line, bears, err := s.Begin(t.Context(), place, "the cold cache")
	if err != nil || !strings.HasPrefix(line, "claude-code, ") || !strings.Contains(line, `branch main: "Why is the cache cold?" (`) || !strings.Contains(line, "`memoryd history show abc`") {
		t.Errorf("%q %v", line, err)
	}
	if len(bears) != 1 || !strings.Contains(bears[0], `prompt: "Why is the cache cold?"`) {
		t.Errorf("%q", bears)
	}
	found, err := s.Show(t.Context(), "ab", 10)
	if err != nil || !strings.Contains(Text(found), Marked) {
		t.Errorf("%+v %v", found, err)
	}
	if _, err := s.Search(t.Context(), Query{Query: index.Query{Limit: MostHits + 1}}); err == nil {
		t.Error("a limit beyond the largest is taken")
	}
}

func TestSessionsThatBearOnAQuestion(t *testing.T) {
	t.Parallel()
	home, g := t.TempDir(), gittest.New(t)
	s := &Store{DB: registrytest.Open(t), Kept: index.For(filepath.Join(home, "agit"), home, nil, nil)}
	place, err := project.Locate("", g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(question string) string {
		t.Helper()
		seen, err := s.Bears(t.Context(), &place, question)
		if err != nil {
			t.Fatal(err)
		}
		return Beneath(seen)
	}
	if got := ask("cold cache"); got != "" {
		t.Errorf("without a client: %s", got)
	}
	if _, err := os.Stat(s.Kept.Path); err == nil {
		t.Error("an index was made of nothing")
	}
	ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format("2006-01-02T15:04:05.000Z") }
	old, now := sessionstest.Claude{Session: "old", Folder: g.Dir}, sessionstest.Claude{Session: "now", Folder: g.Dir}
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/old.jsonl"), sessionstest.Lines(
		old.User("1", ago(time.Hour), "Why is the cache cold after a restart?"),
		old.Calls("2", ago(time.Hour), "m", "t", "Bash", sessionstest.Row{"command": "memoryd recall 'cold cache after restarts'"}, 1, 1)))
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/now.jsonl"), sessionstest.Lines(now.User("3", ago(time.Second), "A cold cache after a restart, why?")))
	for question, want := range map[string]bool{
		"why cold caches after restarts?": true,
		"cold":                            true,
		"the cache of the parser of invoices in production": false, // one word of four
		"cold kettle": false, // one word of two
		"":            false,
	} {
		got := ask(question)
		if strings.Contains(got, "show old`") != want || strings.Contains(got, "show now`") || strings.Contains(got, "recall") {
			t.Errorf("%q: %s", question, got)
		}
		if want && !strings.Contains(got, Marked) {
			t.Errorf("not marked as quotations: %s", got)
		}
	}
	if last, _, err := s.Begin(t.Context(), place, ""); err != nil || !strings.Contains(last, "show old`") {
		t.Errorf("the session that asks is taken for the last one: %q %v", last, err)
	}
}
