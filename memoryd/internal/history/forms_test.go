package history

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
	"github.com/agit-suite/agit/shared/timestamp"
)

func TestText(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local))
	s := index.Session{ID: "abc", Client: "codex", Folder: "/x", Started: at, Ended: at, Files: []string{"/f1"}, Edited: []string{"a.go"}, Failures: 2, Tokens: index.Tokens{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4},
		Entries: []index.Entry{{At: at, Kind: "prompt", Text: "Ask"}}}
	const head = "\n2026-11-20 10:00:00 to 2026-11-20 10:00:00, 2 errors, 1 file edited\ntokens: 1 in, 2 out, 3 from cache, 4 into cache\n"
	if diff := cmp.Diff("abc  codex  /x"+head+"in /f1\n"+Marked+"\n\n10:00:00  prompt\nAsk\n", Text(s)); diff != "" {
		t.Error(diff)
	}
	s.Branch, s.Copies, s.Left = "main", []string{"b", "c"}, 1
	s.Entries = []index.Entry{{At: at, Kind: "command", Text: "make", Failed: true}, {At: at, Kind: "error", Text: "no rule", Failed: true, Agent: true}, {At: at, Kind: "answer", Text: "So", Agent: true}}
	if diff := cmp.Diff("abc  codex  /x  branch main"+head+"with its copies: b, c\nin /f1\n"+Marked+"\n\n(1 earlier entry was left out: --limit)\n"+
		"\n10:00:00  command, failed\nmake\n\n10:00:00  error (subagent)\nno rule\n\n10:00:00  answer (subagent)\nSo\n", Text(s)); diff != "" {
		t.Error(diff)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local))
	for _, test := range []struct {
		kind   string
		failed bool
		want   string
	}{{"prompt", false, "prompt"}, {"command", true, "command that failed"}, {"error", true, "error"}, {"error", false, "error"}} {
		want := "codex, 2026-11-20 10:00:00, " + test.want + ": \"said\" (`memoryd history show abc`)"
		s := Seen{ID: "abc", Client: "codex", At: at, Kind: test.kind, Failed: test.failed, Text: "said"}
		if got := s.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := Beneath([]Seen{s}); got != "\n"+Marked+"\n- "+want+"\n" {
			t.Errorf("%q", got)
		}
	}
	if got := Beneath(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// asked is a project with sessions of one client; each is a list of questions.
func asked(t *testing.T, sessions map[string][]string) (*Store, project.Place, string) {
	t.Helper()
	home, g := t.TempDir(), gittest.New(t)
	for id, questions := range sessions {
		c := sessionstest.Claude{Session: id, Folder: g.Dir}
		var rows []sessionstest.Row
		for i, q := range questions {
			rows = append(rows, c.User(id+string(rune('a'+i)), time.Now().Add(time.Duration(i)*time.Second-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z"), q))
		}
		sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x", id+".jsonl"), sessionstest.Lines(rows...))
	}
	place, err := project.Locate("", g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &Store{DB: registrytest.Open(t), Kept: index.For(filepath.Join(home, "agit"), home, nil, nil)}, place, g.Dir
}

// TestWhichPlacesBear checks how many sessions are named, and with how many of a question's words.
func TestWhichPlacesBear(t *testing.T) {
	t.Parallel()
	s, place, _ := asked(t, map[string][]string{"a1": {"walrus one"}, "a2": {"walrus two"}, "a3": {"walrus three"}, "a4": {"walrus four"}, "b": {"puffin heron stork"}})
	for question, want := range map[string]int{
		"walrus": MostSeen, "puffin heron stork gannet fulmar": 1, "puffin heron gannet fulmar": 0, "puffin gannet": 0, "puffin heron gannet": 1, "gannet": 0,
	} {
		seen, err := s.Bears(t.Context(), &place, question)
		if err != nil || len(seen) != want {
			t.Errorf("%q: %+v %v, want %d", question, seen, err, want)
		}
		for _, one := range seen {
			if one.Client != "claude-code" || one.Kind != "prompt" || one.File == "" || one.Text == "" || one.Project == "" {
				t.Errorf("%+v", one)
			}
		}
		if everywhere, err := s.Bears(t.Context(), nil, question); err != nil || len(everywhere) != want {
			t.Errorf("%q in all projects: %+v %v", question, everywhere, err)
		}
	}
	if s.Beside().Wait != besideWait || s.Wait != 0 {
		t.Error("an addition does not wait for its time")
	}
}

func TestLimitsAndPlaces(t *testing.T) {
	t.Parallel()
	s, place, dir := asked(t, map[string][]string{"a": {"walrus one"}, "b": {"walrus two"}, "c": {"walrus three"}})
	other := gittest.New(t)
	elsewhere, err := project.Locate("", other.Dir)
	if err != nil {
		t.Fatal(err)
	}
	search := func(q Query) (Answer, error) { return s.Search(t.Context(), q) }
	for limit, fails := range map[int]bool{-1: true, 0: false, 1: false, MostHits: false, MostHits + 1: true} {
		_, err := search(Query{Query: index.Query{Limit: limit}})
		var f *fault.Fault
		if fails != (err != nil) || fails && (!errors.As(err, &f) || f.Kind != fault.KindValidation) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
	for name, test := range map[string]struct {
		q               Query
		hits, elsewhere int
	}{
		"here":               {Query{Query: index.Query{Text: "walrus"}, Place: &place}, 3, 0},
		"in all":             {Query{Query: index.Query{Text: "walrus"}}, 3, 0},
		"nothing in all":     {Query{Query: index.Query{Text: "gannet"}}, 0, 0},
		"elsewhere":          {Query{Query: index.Query{Text: "walrus"}, Place: &elsewhere}, 0, 3},
		"elsewhere, alone":   {Query{Query: index.Query{Text: "walrus"}, Place: &elsewhere, Alone: true}, 0, 0},
		"nothing, elsewhere": {Query{Query: index.Query{Text: "gannet"}, Place: &elsewhere}, 0, 0},
	} {
		if a, err := search(test.q); err != nil || len(a.Hits) != test.hits || a.Elsewhere != test.elsewhere {
			t.Errorf("%s: %d hits, %d elsewhere, %v", name, len(a.Hits), a.Elsewhere, err)
		}
	}
	named := project.Place{Named: "app"}
	var f *fault.Fault
	if _, err := search(Query{Place: &named}); !errors.As(err, &f) || f.Kind != fault.KindNotFound {
		t.Errorf("of a project that nobody knows: %v", err)
	}
	if _, _, err := s.Begin(t.Context(), named, "walrus"); !errors.As(err, &f) || f.Kind != fault.KindNotFound {
		t.Errorf("of a project that nobody knows: %v", err)
	}
	err = s.DB.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		p, err := place.Ensure(tx)
		named.Named = p.Name
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := search(Query{Query: index.Query{Text: "walrus"}, Place: &named}); err != nil || len(a.Hits) != 3 {
		t.Errorf("of a project by its name: %+v %v", a, err)
	}
	if seen, err := s.Bears(t.Context(), &named, "walrus"); err != nil || len(seen) != 3 {
		t.Errorf("of a project by its name: %+v %v", seen, err)
	}
	last, bears, err := s.Begin(t.Context(), place, "walrus")
	if err != nil || len(bears) != 3 || strings.Contains(last, "branch") || !strings.Contains(last, `: "walrus `) {
		t.Errorf("%q %q %v in %s", last, bears, err, dir)
	}
}
