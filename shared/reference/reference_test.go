package reference

import (
	"fmt"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"see main.go:12":                         "main.go:12-0",
		"in `src/a.ts:3-9`, and b.ts#L4-L6.":     "src/a.ts:3-9 b.ts:4-6",
		"a.go:12,20 and (cmd/x.go:7)":            "a.go:12-0 a.go:20-0 cmd/x.go:7-0",
		"app/[id]/page.tsx:2:14":                 "app/[id]/page.tsx:2-0",
		`win\dir\f.cs:5`:                         "win/dir/f.cs:5-0",
		"./run.sh:1":                             "run.sh:1-0",
		"src/x.py (line 12), y.py, lines 3 to 5": "src/x.py:12-0 y.py:3-5",
		"`src/x.py`:7, `y.go` (line 12), `z.ts` lines 3-4 and `a/b.rs`#L2": "src/x.py:7-0 y.go:12-0 z.ts:3-4 a/b.rs:2-0",
		"`go test x.go`:7, y.go`:3 and ` (line 3), `v2` line 4":            "",
		"Makefile:9": "Makefile:9-0",
		"http://localhost:8080/a at 12:30, v1.2:3, db.internal:5432, 12px a.go:12px": "",
		"Node.js line 3 of the rules": "",
	} {
		var got []string
		for _, r := range Find([]byte(text)) {
			got = append(got, fmt.Sprintf("%s:%d-%d", r.Path, r.Line, r.EndLine))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q names %q, want %q", text, s, want)
		}
		if len(got) > 0 && !MayHold([]byte(text)) {
			t.Errorf("%q is said to name nothing", text)
		}
	}
}

// What is found stands where it is said to stand, one after the other.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"a.go:1", "a.go:1-", "a.go:1,2", "x.py (lines 1 to 2)", "é.go:7", ":::1", "a.go#L1-L2", "\xff.go:3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := []byte(s)
		last := 0
		for _, r := range Find(text) {
			if Clean(s[r.PathAt.Start:r.PathAt.End]) != r.Path || r.Path == "" {
				t.Errorf("%q: the path %q stands at %v", s, r.Path, r.PathAt)
			}
			if n, _, ok := Number(text, r.LineAt); !ok || n != r.Line || r.LineAt.Start < last || r.Stop < r.LineAt.End || r.Stop > len(text) {
				t.Errorf("%q: line %d stands at %v, up to %d", s, r.Line, r.LineAt, r.Stop)
			}
			if r.EndLine != 0 && r.EndLine <= r.Line {
				t.Errorf("%q: %d to %d", s, r.Line, r.EndLine)
			}
			last = r.LineAt.Start
		}
		if len(Find(text)) > 0 && !MayHold(text) {
			t.Errorf("%q is said to name nothing", s)
		}
	})
}
