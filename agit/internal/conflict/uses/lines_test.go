package uses

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAddedLines has texts whose lines are single words, and for each added line the old line that it follows.
func TestAddedLines(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("a b ", 600)
	whole := map[int32]int32{}
	for i := range int32(1200) {
		whole[i+2] = 1
	}
	for _, c := range []struct {
		name, before, now string
		want              map[int32]int32
	}{
		{"nothing changed", "one two", "one two", map[int32]int32{}},
		{"a new text", "", "one two", map[int32]int32{1: 0, 2: 0}},
		{"a removed line", "one two three", "one three", map[int32]int32{}},
		{"an added line at the beginning", "one", "new one", map[int32]int32{1: 0}},
		{"an added line at the end", "one", "one new", map[int32]int32{2: 1}},
		{"a changed line", "one two three", "one new three", map[int32]int32{2: 1}},
		{"the last of two equal lines is kept", "a x b b", "a b b", map[int32]int32{}},
		{"a brace like others is added before the last", "{ x } }", "{ y } }", map[int32]int32{2: 1}},
		{"lines that occur once hold those between them", "one dup two dup three end", "new one dup new two new dup three new", map[int32]int32{1: 0, 4: 2, 6: 3, 9: 5}},
		{"a line that moved is added at its new place", "one two three four", "two three one five", map[int32]int32{3: 3, 4: 3}},
		{"no line occurs once", "a b a b", "b a b a", map[int32]int32{4: 4}},
		{"no line occurs once behind one that does", "head a b a b t", "new head b a b a u", map[int32]int32{1: 0, 6: 5, 7: 5}},
		{"more repeated lines than are compared each with each", "one " + many, "one " + strings.Repeat("b a ", 600), whole},
	} {
		lines := func(text string) string { return strings.Join(strings.Fields(text), "\n") }
		if diff := cmp.Diff(c.want, compare(lines(c.before), lines(c.now)).anchor); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestLinesThatOccurOnce has two texts, and the longest row of lines in order that occur once in each.
func TestLinesThatOccurOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"one two", "three four", ""},
		{"one two three", "one two three", "one two three"},
		{"one one two", "one two", "two"},
		{"one two", "one two one", "two"},
		{"one two three", "three one two", "one two"},
		{"1 2 3 4 5 6", "4 1 5 2 3 6", "1 2 3 6"},
		{"1 2 3 4 5 6", "6 2 3 1 4 5", "2 3 4 5"},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		var got []string
		for _, p := range uniqueInBoth(a, b) {
			if a[p[0]] != b[p[1]] {
				t.Errorf("%s and %s: line %d is taken for line %d", c.a, c.b, p[0], p[1])
			}
			got = append(got, a[p[0]])
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestLongest compares the pairs with all ways to pair the lines, for all short texts of two different lines.
func TestLongest(t *testing.T) {
	t.Parallel()
	var texts []string
	for length := range 6 {
		for bits := range 1 << length {
			text := make([]byte, length)
			for i := range text {
				text[i] = 'a' + byte(bits>>i&1)
			}
			texts = append(texts, string(text))
		}
	}
	var most func(a, b string) int
	most = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return 0
		case a[0] == b[0]:
			return 1 + most(a[1:], b[1:])
		}
		return max(most(a[1:], b), most(a, b[1:]))
	}
	for _, a := range texts {
		for _, b := range texts {
			const offA, offB = 2, 3
			match := make([]int, len(b)+offB)
			for i := range match {
				match[i] = -1
			}
			longest(strings.Split(a, ""), strings.Split(b, ""), offA, offB, match)
			pairs, last := 0, -1
			for k, m := range match {
				if m < 0 {
					continue
				}
				if m <= last || k < offB || a[m-offA] != b[k-offB] {
					t.Fatalf("%s and %s: paired as %v", a, b, match)
				}
				pairs, last = pairs+1, m
			}
			if want := most(a, b); pairs != want {
				t.Errorf("%s and %s: %d pairs, want %d", a, b, pairs, want)
			}
		}
	}
}
