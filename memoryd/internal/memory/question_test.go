package memory

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/text/words"
)

// The words of a question that are looked up: each once, joined with their neighbours, without weak ones as long as others are left.
func TestEssential(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"road trip": "road[roadtrip] trip[roadtrip]", "road": "road[]", "a road trip there": "road[roadtrip] trip[roadtrip tripthere]", "road road trip": "road[roadroad] trip[roadtrip]",
		"what is it": "what[]", "": "",
	} {
		var got []string
		for _, w := range essential(words.Terms(asked)) {
			got = append(got, w.Raw+fmt.Sprint(w.joined))
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q: %s", asked, d)
		}
	}
	var long strings.Builder
	for i := range mostAsked + 1 {
		fmt.Fprintf(&long, "word%c%c ", 'a'+i%26, 'a'+i/26)
	}
	if got := len(essential(words.Terms(long.String()))); got != mostAsked {
		t.Errorf("%d words are looked up", got)
	}
}

// The rarest terms choose the candidates: as many as occur in two thousand memories together, but two at least.
func TestRarest(t *testing.T) {
	t.Parallel()
	of := func(docs ...int) (q question) {
		for i, n := range docs {
			q.groups = append(q.groups, group{terms: []weighed{{term: fmt.Sprint(i), docs: n}}})
		}
		return q
	}
	for _, c := range []struct {
		docs []int
		want string
	}{{[]int{5, 3, 4}, "1 2 0"}, {[]int{1000, 900, 100}, "2 1 0"}, {[]int{1000, 900, 101}, "2 1"}, {[]int{5000, 4000, 6000}, "1 0"}, {[]int{5000}, "0"}, {nil, ""}} {
		if got := strings.Join(of(c.docs...).rarest(), " "); got != c.want {
			t.Errorf("of %v the terms %q are chosen, want %q", c.docs, got, c.want)
		}
	}
	twice := question{groups: []group{{terms: []weighed{{"a", 1, 1}, {"b", 1, 2}}}, {terms: []weighed{{"a", 1, 1}}}}}
	if got := strings.Join(twice.rarest(), " "); got != "a b" {
		t.Errorf("%q", got)
	}
	list, err := numbers("3,1,22")
	if d := cmp.Diff([]int64{3, 1, 22}, list); d != "" || err != nil {
		t.Error(d, err)
	}
	if list, err := numbers(""); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := numbers("1,x"); err == nil {
		t.Error("a word is taken for a number")
	}
}

// The share of a question that no memory contains, and whether a question can be about one memory at all.
func TestUnknownAndVague(t *testing.T) {
	t.Parallel()
	known := []weighed{{term: "x"}}
	for _, c := range []struct {
		groups []group
		want   float64
	}{{nil, 0}, {[]group{{certain: 0}}, 0}, {[]group{{certain: 1}}, 1}, {[]group{{certain: 1, terms: known}}, 0}, {[]group{{certain: 1}, {certain: 3, terms: known}}, 0.25}} {
		if got := (question{groups: c.groups}).unknown(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.groups, got, c.want)
		}
	}
	for _, c := range []struct {
		groups []group
		want   bool
	}{
		{[]group{{raw: "work"}, {raw: "heron", docs: 6}}, true}, {[]group{{raw: "work"}, {raw: "heron", docs: 5}}, false}, {[]group{{raw: "heron", docs: 6}}, false}, {[]group{{raw: "work"}, {raw: "work"}}, true}, {[]group{{raw: "heron", docs: 6}, {raw: "paint", docs: 6}}, false}, {nil, false},
	} {
		if got := (question{groups: c.groups}).vague(); got != c.want {
			t.Errorf("%+v is vague: %t", c.groups, got)
		}
	}
	a := &asker{total: 1000, docs: map[string]int{"a": 4, "b": 9, "c": 7}}
	g := &group{}
	for _, term := range []string{"none", "a", "a"} {
		a.take(g, term, 1)
	}
	a.take(g, "b", forSynonym)
	if d := cmp.Diff([]weighed{{"a", 1, 4}, {"b", 0.4, 9}}, g.terms, cmp.AllowUnexported(weighed{})); d != "" || g.docs != 4 {
		t.Error(g.docs, d)
	}
	if a.take(g, "c", 1); g.docs != 7 {
		t.Errorf("a word in 7 memories counts as one in %d", g.docs)
	}
	lone := &group{}
	if a.take(lone, "b", forSynonym); lone.docs != 9 {
		t.Errorf("a word with only a synonym counts as one in %d", lone.docs)
	}
	for _, c := range []struct {
		total float64
		docs  int
		want  float64
	}{{1000, 1, math.Log(1 + 999.5/1.5)}, {1000, 0, math.Log(1 + 999.5/1.5)}, {1000, 10, math.Log(1 + 990.5/10.5)}, {3, 1, math.Log(1 + 49.5/1.5)}} {
		if got := (&asker{total: c.total}).certain(c.docs); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("in %d of %v: %v, want %v", c.docs, c.total, got, c.want)
		}
	}
}

func TestPartsForPeople(t *testing.T) {
	t.Parallel()
	p := Parts{Relevance: 1.5, Own: 1.25, Importance: 1, Recency: 0.97, Confidence: 0.9, Coverage: 0.5}
	if got, want := p.String(), "words 1.50 (own 1.25) × importance 1.00 × recency 0.97 × confidence 0.90, covers 50 %"; got != want {
		t.Errorf("%q", got)
	}
	p.Thread, p.Meaning = 0.25, 0.8
	if got, want := p.String(), "words 1.50 (own 1.25) + thread 0.25 × importance 1.00 × recency 0.97 × confidence 0.90, covers 50 %; meaning 0.80"; got != want {
		t.Errorf("%q", got)
	}
	for thread, want := range map[string]bool{"~x": true, "@x": true, "x": false, "": false, "x@": false} {
		if got := isUnnamed(thread); got != want {
			t.Errorf("%q has no name: %t", thread, got)
		}
	}
}
