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
		"Node.js line 3 of the rules":                                            "",
		"src/a,b.go:4 c#d.go:4 e&f.go:4 o'e.go:4 src/f=g.go:4 h;i.go:4 j!k.go:4": "", // tails of names
		"a.go:1,b.go:2;c.go:3 --file=d.go:4 'e.go:5'":                            "a.go:1-0 b.go:2-0 c.go:3-0 d.go:4-0 e.go:5-0",
		"`a.rs:209/224`, b.rs:3-5/9/12-14.":                                      "a.rs:209-0 a.rs:224-0 b.rs:3-5 b.rs:9-0 b.rs:12-14",
		"a.rs:12/3 b.rs:5/5 c.rs:3-9/9 d.rs:4/7/x e.rs:4/7/6 f.rs:4/7px g.rs:4/": "", // shares and folders
		"src/a,b.go line 4":                                                      "",
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

func TestWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"src/a,b.go:4": "src/a,b.go:4-0", "src/my dir/x c.go:4-6": "src/my dir/x c.go:4-6", "src/c#sharp.go:4": "src/c#sharp.go:4-0", "src/c#sharp.go#L4": "src/c#sharp.go:4-0",
		"src/o'e.go:4:7": "src/o'e.go:4-0", "./a b.go:3": "a b.go:3-0", "a.go:3": "a.go:3-0",
		"": "", ":4": "", "a.go": "", "a.go:4 and more": "", "--file=a.go:3": "", "http://host/a.go:80": "", "see: a b.go:3": "", "not a file:3": "", "*.go:3": "", " a.go:3": "",
	} {
		got := ""
		if f, ok := Whole([]byte(text)); ok {
			got = fmt.Sprintf("%s:%d-%d", f.Path, f.Line, f.EndLine)
			if n, _, ok := Number([]byte(text), f.LineAt); !ok || n != f.Line {
				t.Errorf("%q: the line stands at %v", text, f.LineAt)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestTailOfPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"src/my dir/x c.go:4": true, "cat src/a.go:4": false, "./run x/a.go:4": false, "a.go:4": false} {
		whole, ok := Whole([]byte(text))
		if found := Find([]byte(text)); !ok || len(found) != 1 || found[0].TailOfPath(whole) != want {
			t.Errorf("%q: %v of %v, want %v", text, found, whole, want)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for dest, want := range map[string]string{
		"src/a.go#L4": "src/a.go:4-0", "/src/a.go#L4-L6": "src/a.go:4-6", "../src/my%20dir/a%23b%28c%29.go#L4C2-L5C1": "../src/my dir/a#b(c).go:4-5", "a b.go#L4": "a b.go:4-0", "./a.go#L4-6": "a.go:4-6",
		"https://example.com/a.go#L4": "", "//host/a.go#L4": "", "#L4": "", "a.go#top": "", "a.go#L0": "", "a%zz.go#L4": "", "a.go": "", "folder#L4": "",
	} {
		got := ""
		if f, ok := Link([]byte(dest)); ok {
			got = fmt.Sprintf("%s:%d-%d", f.Path, f.Line, f.EndLine)
			if n, _, ok := Number([]byte(dest), f.LineAt); !ok || n != f.Line {
				t.Errorf("%q: the line stands at %v", dest, f.LineAt)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", dest, got, want)
		}
	}
}

// Every reference that Whole reads lies within its text.
func FuzzWhole(f *testing.F) {
	for _, s := range []string{"a,b.go:4", "a b.go:4-5", "/a%20b.go#L4C1-L5C2", "#L1", ":1:2", "\xff.go:3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func([]byte) (Reference, bool){Whole, Link} {
			r, ok := read([]byte(s))
			if ok && (r.Line < 1 || r.EndLine != 0 && r.EndLine <= r.Line || r.PathAt.End > r.LineAt.Start || r.LineAt.End > len(s) || r.EndAt.End > len(s)) {
				t.Errorf("%q: %+v", s, r)
			}
		}
	})
}

// References lie where their spans point, one after the other.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"a.go:1", "a.rs:9/24", "b.rs:3-5/9/12-14/x", "a.go:1-", "a.go:1,2", "x.py (lines 1 to 2)", "é.go:7", ":::1", "a.go#L1-L2", "\xff.go:3"} {
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
