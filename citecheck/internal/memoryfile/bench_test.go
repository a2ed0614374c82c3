package memoryfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkParse: reading a memory of one screen (prose, a list, a fence and a link), beside counting the words of its lines. Most memories
// cite nothing and are recognised without parsing; that is the cost of a run over a thousand of them.
func BenchmarkParse(b *testing.B) {
	prose := "# Title\n\n" + strings.Repeat("Some words about `code` that go on for a **while**, as they do.\n", 30) +
		"\n- one\n- two\n\n```go\nfunc f() {}\n```\n"
	for name, tc := range map[string]struct {
		src  string
		want Want
	}{
		"nothing cited": {prose, Citations},
		"cited":         {prose + "\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| a.go | 1 | `x` |\n", Citations},
		"everything":    {prose + "\nSee a.go:3 and [[b]].\n", All},
	} {
		b.Run(name, func(b *testing.B) {
			src := []byte(tc.src)
			words := 0
			benchtest.Beside(b, "words", benchtest.Of(func() error { Parse(src, tc.want); return nil }), benchtest.Of(func() error {
				for line := range bytes.Lines(src) {
					words += len(bytes.Fields(line))
				}
				return nil
			}))
		})
	}
}
