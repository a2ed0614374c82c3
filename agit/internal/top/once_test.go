package top

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/term"
)

// The printed text is the screen without its keys and without the mark of a row.
func TestPrinted(t *testing.T) {
	t.Parallel()
	m, looks := sized(80, 24, full()), map[term.Style]bool{}
	got := printed(m, func(look term.Style, text string) term.Painted {
		looks[look] = true
		return term.Painted(text)
	})
	screen := strings.Split(drawn(m), "\n")
	var lines []string
	for i, painted := range got {
		line := string(painted)
		lines = append(lines, line)
		want := strings.TrimRight(screen[i], " ")
		if rest, marked := strings.CutPrefix(want, ">"); marked {
			want = " " + rest
		}
		if line != want {
			t.Errorf("line %d is %q, not %q", i, line, want)
		}
	}
	if last := lines[len(lines)-1]; last == "" || strings.Contains(strings.Join(lines, "\n"), "q quit") {
		t.Errorf("it ends with %q", last)
	}
	if !looks[term.Bold] || !looks[term.Red] || !looks[term.Plain] {
		t.Errorf("looks: %v", looks)
	}
	if m.view()[0].spans[0].text == "" {
		t.Error("the model was changed")
	}
}
