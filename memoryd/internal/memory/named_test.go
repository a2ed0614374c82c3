package memory

import (
	"fmt"
	"strings"
	"testing"
)

// The citations of a memory follow its text: given ones stay, and places in both texts are not looked up again.
func TestCitationsFollowTheText(t *testing.T) {
	at := func(path string, line int, snippet string) Citation {
		return Citation{Path: path, Line: line, Snippet: snippet}
	}
	for _, tc := range []struct {
		name, before, after string
		cited, found        []Citation
		want                string
	}{
		{name: "another place", before: "see a.go:1", after: "see b.go:2", cited: []Citation{at("a.go", 1, "old")}, found: []Citation{at("b.go", 2, "new")}, want: "b.go:2 new"},
		{name: "given beside the text", before: "see a.go:1", after: "see it", cited: []Citation{at("a.go", 1, "old"), at("c.go", 3, "given")}, want: "c.go:3 given"},
		{name: "named still", before: "see a.go:1", after: "do see a.go:1", cited: []Citation{at("a.go", 1, "old")}, found: []Citation{at("a.go", 1, "what stands there now")}, want: "a.go:1 old"},
		{name: "named still, and not found from here", before: "see a.go:1", after: "do see a.go:1", cited: []Citation{at("src/a.go", 1, "old")}, want: "src/a.go:1 old"},
		{name: "named no more", before: "see a.go:1", after: "see a.go:2", cited: []Citation{at("a.go", 1, "old")}, want: ""},
	} {
		var got []string
		for _, c := range renamed(Memory{Content: tc.before, Citations: tc.cited}, tc.after, tc.found) {
			got = append(got, fmt.Sprintf("%s:%d %s", c.Path, c.Line, c.Snippet))
		}
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("%s: cites %q, want %q", tc.name, s, tc.want)
		}
	}
}
