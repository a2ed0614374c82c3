package memoryfile

import (
	"strings"
	"testing"
)

// A table with a merge conflict in it is read completely, and the conflict is reported.
func TestConflictMarkersHideNothing(t *testing.T) {
	t.Parallel()
	const head = "# q\n\n## Citations\n\n| File | Line | Snippet |\n|------|------|---------|\n"
	ours, theirs := "| src/q.go | 18 | `ours()` |\n", "| src/q.go | 22 | `theirs()` |\n"
	for name, c := range map[string]struct {
		src            string
		cited, problem int // problem is the line of the reported problem
	}{
		"both sides":     {head + "<<<<<<< HEAD\n" + ours + "=======\n" + theirs + ">>>>>>> feature\n", 2, 7},
		"with the base":  {head + "<<<<<<< HEAD\n" + ours + "||||||| 1a2b3c\n=======\n" + theirs + ">>>>>>> feature\n", 2, 7},
		"CRLF":           {strings.ReplaceAll(head+"<<<<<<< HEAD\n"+ours+"=======\n"+theirs+">>>>>>> feature\n", "\n", "\r\n"), 2, 7},
		"below a row":    {head + ours + "<<<<<<< HEAD\n=======\n" + theirs + ">>>>>>> feature\n", 2, 8},
		"in prose":       {"# q\n\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> feature\n", 0, 3},
		"an example":     {"# q\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> feature\n```\n", 0, 0},
		"a heading":      {"# q\n\nTitle\n=======\n\ntext\n", 0, 0},
		"only its begin": {head + ours + "\n<<<<<<< HEAD\n", 1, 0},
	} {
		m := Parse([]byte(c.src), All)
		if len(m.Citations) != c.cited {
			t.Errorf("%s: %d citations, want %d", name, len(m.Citations), c.cited)
		}
		if (c.problem == 0) != (len(m.Problems) == 0) || c.problem > 0 && m.Problems[0].Line != c.problem {
			t.Errorf("%s: problems %v, want line %d", name, m.Problems, c.problem)
		}
		if string(m.Source()) != c.src {
			t.Errorf("%s: the source is changed", name)
		}
	}
}
