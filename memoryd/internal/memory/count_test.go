package memory

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A distant registry responds quickly only when few statements are sent: an agent's everyday operations take a handful of statements,
// however many memories there are.
func TestFewStatements(t *testing.T) {
	counted := &registrytest.Statements{}
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Log: counted.Log()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Store{DB: db, MaxPerType: 1000}
	place := project.Place{At: &project.Identity{UID: "p-1", Name: "one", Folder: "/one"}}
	list := newCorpus().memories(300)
	turns := newCorpus().turns(200)
	if _, err := s.Remember(t.Context(), Booking{Place: place, Session: "given"}, turns); err != nil {
		t.Fatal(err)
	}
	list[7].Citations = []Citation{{Path: "a.go", Line: 3}}
	if _, err := s.Remember(t.Context(), Booking{Place: place, Agent: "ann"}, list); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		most int
		do   func() error
	}{
		{"recall of many words, some mistyped, with neighbours, tags and citations", 13, func() error {
			_, err := s.RecallAll(t.Context(), Reader{Place: &place, Agent: "ann"}, []Query{{Text: "why xyzzyish plovers " + list[7].Content + " lofixax", Tags: []string{"tag7", "tag8"}}})
			return err
		}},
		{"recall", 9, func() error {
			_, err := s.RecallAll(t.Context(), Reader{Place: &place, Agent: "ann"}, []Query{{Text: list[9].Content, Limit: 50}})
			return err
		}},
		{"recall of a conversation, with what was said around its turns", 11, func() error {
			got, err := s.RecallAll(t.Context(), Reader{Place: &place, Agent: "ann"}, []Query{{Text: turns[150].Content}})
			if err == nil && len(got[0].Memories[0].After) == 0 {
				return errors.New("nothing is told around a turn")
			}
			return err
		}},
		{"list", 6, func() error {
			_, err := s.RecallAll(t.Context(), Reader{Place: &place}, []Query{{Limit: 200}})
			return err
		}},
		{"what a session begins with", 14, func() error {
			return db.Read(t.Context(), func(tx *registry.Tx) error {
				_, err := Relevant(tx, Wanted{ProjectID: 1, ItemID: 1, SessionID: 1, Text: list[11].Content, Budget: 4000})
				return err
			})
		}},
		{"remember", 14, func() error {
			_, err := s.Remember(t.Context(), Booking{Place: place, Agent: "ann"}, []New{{Type: TypeDecision, Content: "Retry with jitter; the API answers 429 in bursts",
				Tags: []string{"api", "retry"}, Items: []string{"T-1", "T-2"}, Citations: []Citation{{Path: "a.go", Line: 1}}}})
			return err
		}},
	} {
		counted.Take()
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		asked := slices.DeleteFunc(counted.Take(), func(s string) bool { return !strings.Contains(s, "memor") }) // statements of other packages are theirs to limit
		t.Logf("%s: %d statements", c.what, len(asked))
		if len(asked) > c.most {
			t.Errorf("%s took %d statements, more than %d:\n%s", c.what, len(asked), c.most, strings.Join(asked, "\n"))
		}
	}
}
