package memoryfile

import (
	"strings"
	"testing"
)

// A memory as they are: a screen of prose, a list, a fence, a link. Most cite
// nothing and are told apart without parsing; that is what a run over a
// thousand of them costs.
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
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				Parse(src, tc.want)
			}
		})
	}
}
