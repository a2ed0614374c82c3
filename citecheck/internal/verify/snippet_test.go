package verify

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A snippet of several lines fits where its first line ends a line, its last line begins one, and those between are whole lines.
func TestSnippetAt(t *testing.T) {
	t.Parallel()
	f := fileOf("x := first", "", "second", "third + y", "{", "}", "first", "second", "third", "second {", "first second", "\tfirst  ", "third")
	for _, c := range []struct {
		snippet string
		at      map[int]fit
		places  []int
		kind    fit
		alone   bool
	}{
		{"first", map[int]fit{0: part, 6: whole, 10: part, 11: whole}, []int{6, 11}, whole, false},
		{"first\nsecond", map[int]fit{0: part, 6: whole}, []int{6}, whole, true},
		{"first\nsecond\nthird", map[int]fit{0: part, 6: whole}, []int{6}, whole, true},
		{"x := first\n\n\nsecond\nthird + y\n", map[int]fit{0: whole}, []int{0}, whole, true},
		{"= first\nsecond\nthird", map[int]fit{0: part}, []int{0}, part, true},
		{"x :=\nsecond", nil, nil, part, false},
		{"first\nsec", nil, nil, part, false},
		{"first\ncond\nthird", nil, nil, part, false},
		{"second\nthird", map[int]fit{2: part, 7: whole}, []int{7}, whole, true},
		{"second\n+ y", nil, nil, part, false},
		{"second\n{", nil, nil, part, false},
		{"third\nsecond", map[int]fit{8: part}, []int{8}, part, true},
		{"third\nsecond\nfirst", nil, nil, part, false},
		{"{", map[int]fit{4: whole}, []int{4}, whole, true},
		{"}\nfirst", map[int]fit{5: whole}, []int{5}, whole, true},
		{"third\nfourth", nil, nil, part, false},
		{"f i r s t", nil, nil, part, false},
		{"  x  :=first  ", map[int]fit{0: whole}, []int{0}, whole, true},
		{"y", map[int]fit{3: part}, []int{3}, part, true},
		{"+", nil, nil, part, false},
		{"thi", nil, nil, part, false},
	} {
		s := newSnippet(c.snippet)
		for line := -1; line <= f.Len(); line++ {
			got := s.at(f, line)
			if got != c.at[line] {
				t.Errorf("%q at %d: %d, want %d", c.snippet, line, got, c.at[line])
			}
			if stands := got == whole || got == part && c.kind == part; s.stands(f, line) != stands {
				t.Errorf("%q stands at %d: %t", c.snippet, line, !stands)
			}
		}
		places, kind := s.places(f)
		if diff := cmp.Diff(c.places, places); diff != "" || kind != c.kind || s.alone(f) != c.alone {
			t.Errorf("%q: %s, kind %d, alone %t", c.snippet, diff, kind, s.alone(f))
		}
	}
	if newSnippet("").alone(f) || newSnippet(" \n\t").alone(f) {
		t.Error("an empty snippet is alone")
	}
	if s := snippetOf(f, []int{2, 0}); fmt.Sprintf("%s", s.lines) != "[second x:=first]" || len(s.hash) != 2 || s.hash[0] != newSnippet("second").hash[0] || s.open {
		t.Errorf("%+v", s)
	}
}

// An ellipsis ends the last line alone, and the snippet itself stays as it was.
func TestSnippetShortened(t *testing.T) {
	t.Parallel()
	f := fileOf("open(name, mode)", "close(name)", "opening")
	long := newSnippet("open(na...")
	if got := long.at(f, 0); got != none {
		t.Errorf("with its ellipsis: %d", got)
	}
	cut, ok := long.shortened()
	if !ok || cut.at(f, 0) != part || string(long.lines[0]) != "open(na..." || string(cut.lines[0]) != "open(na" {
		t.Errorf("%t %+v, of %+v", ok, cut, long)
	}
	cut, ok = newSnippet("open(name, mode)\nclo…").shortened()
	if !ok || cut.at(f, 0) != part || cut.at(f, 1) != none {
		t.Errorf("%t %+v", ok, cut)
	}
	for _, text := range []string{"", "...", "…", "open", "a...\nb"} {
		if s, ok := newSnippet(text).shortened(); ok {
			t.Errorf("%q is shortened to %+v", text, s)
		}
	}
}
