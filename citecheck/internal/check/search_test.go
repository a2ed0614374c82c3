package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// TestSearch: memories with more of the words come first, then those that hold them oftener, in less text, or in their name; each match
// shows the first line that has a word.
func TestSearch(t *testing.T) {
	s, repo := newService(t, false)
	long := strings.Repeat("Nothing of it here. ", 300)
	for name, text := range map[string]string{
		"both":   "# Both\n\nThe login checks the token.\n",
		"often":  "# Often\n\nA login, a login,\nand another login.\n",
		"once":   "# Once\n\nSee the  login  below.\n",
		"long":   "# Long\n\n" + long + "\nlogin\n",
		"token":  "# Other\n\nWords.\n",
		"titled": "# The token\n\nIt lasts an hour.\n",
		"wide":   "# Wide\n\n" + strings.Repeat("ä", 200) + " login_page " + strings.Repeat("ö", 200) + "\n",
	} {
		repo.Write(".serena/memories/"+name+".md", text)
	}
	shown := func(query string, o SearchOptions) (lines []string) {
		t.Helper()
		found, err := s.Search(t.Context(), query, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			lines = append(lines, fmt.Sprintf("%s|%s|%d|%s", m.ID, m.Title, m.At, m.Excerpt))
		}
		return lines
	}
	// A long line is cut on both sides of the word, between characters.
	if want := []string{"wide|Wide|3|" + strings.Repeat("ä", 39) + " login_page " + strings.Repeat("ö", 35)}; !cmp.Equal(want, shown("login_page", SearchOptions{})) {
		t.Errorf("%q", shown("login_page", SearchOptions{}))
	}
	const both, titled, token = "both|Both|3|The login checks the token.", "titled|The token|1|# The token", "token|Other|0|"
	if diff := cmp.Diff([]string{both, titled, token}, shown("Token, LOGIN! token", SearchOptions{Limit: 3})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{titled, token, both}, shown("token", SearchOptions{})); diff != "" {
		t.Error(diff)
	}
	for limit, n := range map[int]int{0: 6, 1: 1, 6: 6, 7: 6} {
		if got := shown("login", SearchOptions{Limit: limit}); len(got) != n || !strings.HasPrefix(got[0], "often|") {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
	if got := shown("nowhere", SearchOptions{}); got != nil {
		t.Errorf("%q", got)
	}
	if _, err := s.Search(t.Context(), " -.! ", SearchOptions{}); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
}

// TestSearchVerified: a search with verification drops memories whose confidence is too low, and keeps those without citations.
func TestSearchVerified(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write(".serena/memories/stale.md", strings.ReplaceAll(cited, "func Login(user string) error", "func Logout() error"))
	repo.Write(".serena/memories/plain.md", "# Plain\n\nA login without a citation.\n")
	for least, want := range map[float64][]string{
		0:   {"m valid true 1 0", "plain unverified <nil> <nil> 0", "stale stale false 0 1"},
		0.5: {"m valid true 1 0", "plain unverified <nil> <nil> 0"},
		1:   {"m valid true 1 0", "plain unverified <nil> <nil> 0"},
	} {
		found, err := s.Search(t.Context(), "src login plain", SearchOptions{Verify: true, MinConfidence: least})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, m := range found {
			got[fmt.Sprint(m.ID, " ", m.State, " ", value(m.Valid), " ", value(m.Confidence), " ", len(m.Stale))] = true
		}
		wanted := map[string]bool{}
		for _, line := range want {
			wanted[line] = true
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("at least %v: %s", least, diff)
		}
	}
	if found, err := s.Search(t.Context(), "login", SearchOptions{Verify: true, Limit: 1}); err != nil || len(found) != 1 {
		t.Errorf("%+v %v", found, err)
	}
}

func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// TestHits reads the entries of other programs' lists.
func TestHits(t *testing.T) {
	for text, want := range map[string]string{
		`"notes"`:                               `"notes" ours=true "" 0`,
		`{"memory_id":"m-1","title":"T"}`:       `"m-1" ours=true "T" 0`,
		`{"id":"7","path":"a.md"}`:              `"a.md" ours=false "" 0`,
		`{"key":"k","name":"n","uid":"u"}`:      `"n" ours=false "" 0`,
		`{"memory":"m","Path":"p"}`:             `"m" ours=false "" 0`,
		`{"id":7}`:                              `"" ours=false "" 0`,
		`{}`:                                    `"" ours=false "" 0`,
		`{"id":"x","citations":"none"}`:         `"x" ours=false "" 0`,
		`{"id":"x","citations":[]}`:             `"x" ours=false "" 0`,
		`{"memory_id":"m","citations":[1]}`:     `"m" ours=true "" 0`,
		`{"id":"x","citations":[{"path":"a"}]}`: `"x" ours=false "" 1`,
		`{"id":"x","citations":[{"path":"a","line":3,"end_line":3,"snippet":"s","commit":"c"},{"path":"b","line":0}]}`: `"x" ours=false "" 2`,
		`{"id":"x","citations":[1]}`:                                  "error",
		`{"id":"x","citations":[{"path":"a","line":-1}]}`:             "error",
		`{"id":"x","citations":[{"path":"a","end_line":-1}]}`:         "error",
		`{"id":"x","citations":[{"path":"a","line":3,"end_line":2}]}`: "error",
		`3`: "error",
	} {
		var h Hit
		got := "error"
		if err := json.Unmarshal([]byte(text), &h); err == nil {
			got = fmt.Sprintf("%q ours=%t %q %d", h.Name, h.Ours, h.Title, len(h.Cited))
		}
		if got != want {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}

// TestFilter: each hit is returned as it came, with the result of the check; the options decide which ones.
func TestFilter(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write(".serena/memories/stale.md", strings.ReplaceAll(cited, "func Login(user string) error", "func Logout() error"))
	repo.Write(".serena/memories/plain.md", "# Plain\n\nWithout a citation.\n")
	var hits []Hit
	list := `["m", {"memory_id":"stale","rank":2}, {"id":"plain"}, {"id":"nowhere"}, {},
		{"memory_id":"own","title":"Its own","citations":[{"path":"src/a.go","line":3,"snippet":"func Login(user string) error { return nil }"}]},
		{"memory_id":"m","citations":[{"path":"src/none.go","line":1}]}]`
	if err := json.Unmarshal([]byte(list), &hits); err != nil {
		t.Fatal(err)
	}
	const current, stale, plain, nowhere, nameless, own, named = `m "T" valid 1`, `stale "T" stale 0`, `plain "Plain" unverified null`, `nowhere "" unverified null`, ` "" unverified null`, `own "Its own" valid 1`, `m "T" valid 1`
	for _, c := range []struct {
		o    FilterOptions
		want []string
	}{
		{FilterOptions{}, []string{current, stale, plain, nowhere, nameless, own, named}},
		{FilterOptions{MinConfidence: 0.5}, []string{current, plain, nowhere, nameless, own, named}},
		{FilterOptions{MinConfidence: 1, RequireCitations: true}, []string{current, own, named}},
		{FilterOptions{RequireCitations: true}, []string{current, stale, own, named}},
	} {
		kept, err := s.Filter(t.Context(), hits, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range kept {
			id, title := k.Names()
			confidence := "null"
			if raw := k.Object()["confidence"]; raw != nil {
				confidence = string(raw)
			}
			got = append(got, fmt.Sprintf("%s %q %s %s", id, title, k.Memory.State, confidence))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.o, diff)
		}
	}
	kept, err := s.Filter(t.Context(), hits[:2], FilterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"citations_valid":true,"confidence":1,"memory_id":"m","verification":"valid"}`,
		`{"citations_valid":false,"confidence":0,"memory_id":"stale","rank":2,"verification":"stale"}`,
	} {
		object := kept[i].Object()
		if places := object["stale_citations"]; (len(places) > 0) != (i == 1) {
			t.Errorf("%s", places)
		}
		delete(object, "stale_citations")
		if got, err := json.Marshal(object); err != nil || string(got) != want {
			t.Errorf("%s %v", got, err)
		}
	}
}

// TestVotes: a vote changes the confidence of a memory, and its text is the one that is shown.
func TestVotes(t *testing.T) {
	s, _ := newService(t, true)
	for _, c := range []struct {
		who, vote  string
		confidence float64
		counts     [2]int
	}{{"ann", "confirm", 1, [2]int{1, 0}}, {"bob", "dispute", 0.6667, [2]int{1, 1}}, {"bob", "confirm", 1, [2]int{2, 0}}, {"ann", "dispute", 0.6667, [2]int{1, 1}}} {
		v, err := s.Say(t.Context(), "m", c.who, c.vote, "a note")
		if err != nil {
			t.Fatal(err)
		}
		if v.Memory != "m" || v.Vote != c.vote || v.Agent != c.who || v.Note != "a note" || v.Confidence == nil || *v.Confidence != c.confidence || [2]int{v.Confirms, v.Disputes} != c.counts {
			t.Errorf("%+v, %v", v, value(v.Confidence))
		}
	}
	if _, err := s.Say(t.Context(), "none", "ann", "confirm", ""); !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	if _, err := s.Say(t.Context(), "m", "ann", "confirm", strings.Repeat("n", maxNote)); err != nil {
		t.Error(err)
	}
	if _, err := s.Say(t.Context(), "m", "ann", "confirm", strings.Repeat("n", maxNote+1)); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
	d, err := s.Named(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.Says(t.Context(), d); err != nil || text != cited {
		t.Errorf("%q %v", text, err)
	}
}

// TestReferencesOfTexts: references outside code are checked where they stand; a text without one takes no check.
func TestReferencesOfTexts(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write("src/a.go", "package a\n\n// Login lets people in.\nfunc Login(user string) error { return nil }\n")
	found, err := s.References(t.Context(), []Text{
		{File: "plain.md", Src: []byte("Nothing.\n")},
		{File: "doc.md", Src: []byte("One.\n\nSee src/a.go:4, and src/gone.go:7.\n\n```\nsrc/a.go:900\n```\n\nsrc/a.go:900 is too far.\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found {
		got = append(got, fmt.Sprint(r.Text, " ", r.At, " ", r.Place, " ", r.Verdict))
	}
	if diff := cmp.Diff([]string{"1 3 src/a.go:4 unverifiable", "1 3 src/gone.go:7 gone", "1 9 src/a.go:900 gone"}, got); diff != "" {
		t.Error(diff)
	}
	if found, err := s.References(t.Context(), []Text{{File: "plain.md", Src: []byte("Nothing.\n")}}); err != nil || found != nil {
		t.Errorf("%v %v", found, err)
	}
}
