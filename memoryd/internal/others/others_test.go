package others

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/notes"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

type world struct {
	t     *testing.T
	s     *Store
	place project.Place
}

func newWorld(t *testing.T) *world {
	t.Helper()
	g, db := gittest.New(t), registrytest.Open(t)
	place, err := project.Locate("", g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, &Store{DB: db, Memories: &memory.Store{DB: db, MaxPerType: 100}, Home: sessions.Home{Dir: t.TempDir()}}, place}
}

// keep writes a Serena memory with a time of change.
func (w *world) keep(name, content string, at time.Time) {
	w.t.Helper()
	path := filepath.Join(w.place.At.Folder, ".serena/memories", name+".md")
	sessionstest.Write(w.t, path, content)
	if err := os.Chtimes(path, at, at); err != nil {
		w.t.Fatal(err)
	}
}

// take runs an import, and lists the outcome for each memory.
func (w *world) take() string {
	w.t.Helper()
	done, err := w.s.Import(w.t.Context(), memory.Booking{Place: w.place}, "serena")
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, m := range done.Memories {
		all = append(all, strings.TrimSpace(m.ID+" "+m.Outcome+" "+m.Why))
	}
	return strings.Join(all, "; ")
}

func TestMemoriesOfOthersThatBear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.s.Counts(t.Context(), w.place); got != "" {
		t.Errorf("without any: %s", got)
	}
	old := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	w.keep("cache", "The cache stays cold after a restart.", old)
	w.keep("newer", "A cold cache, again, restarting.", old.Add(time.Hour))
	w.keep("dates", "Dates are in UTC.", old)
	for question, want := range map[string]string{
		"why is the cache cold after restarts?": "cache newer",
		"cold cache":                            "newer cache",
		"in which zone are dates?":              "", // one word of two
		"utc":                                   "dates",
		"":                                      "",
	} {
		seen, err := w.s.Bear(t.Context(), &w.place, question)
		var got []string
		for _, s := range seen {
			got = append(got, s.ID)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v %v", question, got, err)
		}
		if text := Beneath(seen); (text != "") != (want != "") || text != "" && !strings.Contains(text, notes.Told) {
			t.Errorf("%q: %s", question, text)
		}
	}
	if got := w.s.Counts(t.Context(), w.place); got != "3 of serena (`memoryd recall` finds them, `memoryd import serena` copies)" {
		t.Errorf("%s", got)
	}
	w.s.Off = []string{"serena"}
	if seen, err := w.s.Bear(t.Context(), &w.place, "utc"); err != nil || len(seen) != 0 {
		t.Errorf("turned off: %v %v", seen, err)
	}
	for off, command := range map[string]string{
		"serena": "`memoryd config unset sources.off`", "memories": "`memoryd config unset sources.off`", "cursor serena sessions memories": "`memoryd config set sources.off cursor sessions`",
	} {
		w.s.Off = strings.Fields(off)
		want := "serena is turned off by sources.off; " + command + " turns it on again"
		if _, err := w.s.Import(t.Context(), memory.Booking{Place: w.place}, "serena"); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCopiesAreKnownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.s.Import(t.Context(), memory.Booking{Place: w.place}, "serena"); err == nil || !strings.Contains(err.Error(), `source "serena"`) {
		t.Errorf("of nothing: %v", err)
	}
	old := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	ctx := t.Context()
	if _, err := w.s.Memories.Remember(ctx, memory.Booking{Place: w.place}, []memory.New{{Type: memory.TypePattern, Content: "Known text of both."}}); err != nil {
		t.Fatal(err)
	}
	w.keep("a", "First text here.", old)
	w.keep("b", "Second text there.", old.Add(time.Minute))
	w.keep("c", "Known text of both.", old.Add(2*time.Minute))
	if got := w.take(); got != "a created; b created; c left a memory here has the same text" {
		t.Errorf("%s", got)
	}
	if got := w.take(); got != "a unchanged; b unchanged; c left a memory here has the same text" {
		t.Errorf("again: %s", got)
	}
	by := memory.Reader{Place: &w.place}
	m, _, err := w.s.Memories.Get(ctx, by, "serena:a", "", false)
	if err != nil || m.Content != "First text here." || !m.CreatedAt.Equal(old) || strings.Join(m.Tags, " ") != "imported serena" {
		t.Errorf("%+v %v", m, err)
	}
	mine := "Changed here."
	if _, err := w.s.Memories.Update(ctx, memory.Target{ProjectID: w.project(), Key: "serena:b"}, memory.Patch{Content: &mine}); err != nil {
		t.Fatal(err)
	}
	w.keep("a", "First text, changed there.", time.Now().Add(-time.Second))
	if got := w.take(); !strings.HasPrefix(got, "b left it was changed here later than there; c left") || !strings.HasSuffix(got, "a updated") {
		t.Errorf("changed there and here: %s", got)
	}
	w.keep("b", "Changed there once more.", time.Now().Add(time.Hour))
	if got := w.take(); !strings.HasSuffix(got, "b updated") {
		t.Errorf("changed there later: %s", got)
	}
}

func TestAnAnswerHasACopyOnce(t *testing.T) {
	t.Parallel()
	seen := []Seen{{Source: "serena", ID: "arch/my api"}, {Source: "serena", ID: "b"}}
	if left := Without(seen, []string{"serena:arch/my-api"}); len(left) != 1 || left[0].ID != "b" {
		t.Errorf("%v", left)
	}
}

// project is the row of the project.
func (w *world) project() (id int64) {
	w.t.Helper()
	err := w.s.DB.Read(w.t.Context(), func(tx *registry.Tx) error {
		p, err := w.place.Find(tx)
		id = p.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}
