package memoryfile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/reference"
)

func seeds(f *testing.F) {
	for _, s := range []string{
		seedMemory, strings.ReplaceAll(seedMemory, "\n", "\r\n"), "", "---\n", "---\na: b\n---\n", "```\nopen", "<!-- open\n",
		"## Citations", "## Citations\n|a|", "Citations\n---\n| a.go | 1", "> ## Citations\n> | a.go | 1 |\n", "- ## Citations\n  | a.go | 1 |\n",
		"## Citations\n\n| File |\n| - |", "## Citations\n| a.go | 1 | `x` |\r\n\r\n## Links\r\n", "\ufeff# x\n", "x.go:1-2 [cite:f](a.go#L1-L2)\n",
		"## Metadata\n- **Confidence**: 1\n", "[cite:a]: b.go\n\n[cite:a]\n", "## Citations\n| File | Line |\n|---|---|\n| a`b.go | 1 |\n",
		"[![[[[]]]]](a.md)[cite:](#L1)", "`a.go:1", "a.go:3,4,5 - 6", "## Citations\n| [x](a.go#L3) | |\n",
	} {
		f.Add([]byte(s))
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		m := Parse(src, All)
		if !bytes.Equal(src, before) {
			t.Fatal("parsing changed the source")
		}
		lines := 1 + bytes.Count(src, []byte("\n"))
		for _, c := range append(m.Citations, m.References...) {
			if c.At < 1 || c.At > lines || c.Path == "" || c.Line < 0 || c.EndLine != 0 && c.EndLine <= c.Line {
				t.Fatalf("impossible citation %+v", c)
			}
			if !c.line.none() {
				if n, _, ok := number(src, c.line); !ok || n != c.Line {
					t.Fatalf("line %d is said to stand in %q", c.Line, src[c.line.start:c.line.end])
				}
			}
		}
		m.Statement()
	})
}

// A citation that add wrote is read back, and everything else stays byte for byte.
func FuzzAdd(f *testing.F) {
	f.Add([]byte(seedMemory), "src/a.go", 3, "x := `a` | b\\|c")
	f.Add([]byte("# T"), "a|b c.go", 1, "`")
	f.Add([]byte("## Citations\r\n\r\nPath | Code\r\n---|---\r\n"), "x.go", 0, "\\")
	f.Fuzz(func(t *testing.T, src []byte, path string, line int, snippet string) {
		if strings.ContainsAny(path, "`\\[]()#:*\ufffd") || strings.Trim(path, " |-–—_.") != path || line < 0 || line > 1<<30 || path != reference.Clean(path) || strings.ContainsAny(snippet, "\n\r") {
			t.Skip()
		}
		m := Parse(src, All)
		e := m.Edit()
		if e.Add(Place{Path: path, Line: line}, Quote{Snippet: snippet}, "2026-11-20") != nil {
			t.Skip()
		}
		out := e.Bytes()
		inserted := len(out) - len(src)
		prefix := 0
		for prefix < len(src) && out[prefix] == src[prefix] {
			prefix++
		}
		if inserted <= 0 || !bytes.Equal(out[prefix+inserted:], src[prefix:]) {
			t.Fatalf("more than one place was changed:\n%q\n%q", src, out)
		}
		again := Parse(out, All)
		if Intact(m, again, Place{Path: path, Line: line}) != nil {
			return // refused by the caller
		}
		for i, c := range m.Citations {
			if m.marks.table != nil && again.Citations[i].Path != c.Path && again.Citations[i+1].Path != c.Path {
				t.Fatalf("%+v is not where it was", c)
			}
		}
	})
}

// Writing the results of a check changes no citation.
func FuzzVerified(f *testing.F) {
	seeds(f)
	day := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, src []byte) {
		m := Parse(src, All)
		if len(m.Citations) == 0 {
			t.Skip()
		}
		e := m.Edit()
		for _, c := range m.Citations {
			e.Verified(c, "2026-11-20")
		}
		e.Metadata(0.5, day)
		again := Parse(e.Bytes(), All)
		if Intact(m, again) != nil {
			return
		}
		for i, c := range again.Citations {
			if o := m.Citations[i]; c.Path != o.Path || c.Line != o.Line || c.Snippet != o.Snippet {
				t.Fatalf("%+v became %+v in\n%q\n%q", o, c, src, e.Bytes())
			}
		}
	})
}

// A quote written into a cell is read back as the same text, if it can be quoted whole.
func FuzzQuote(f *testing.F) {
	f.Add("return nil", "if ok {", "}")
	f.Add("`", "after `x`", "a | b")
	f.Add("x", "", "before")
	f.Fuzz(func(t *testing.T, snippet, after, before string) {
		for _, text := range []string{snippet, after, before} {
			if Quotable(text) != text || strings.ContainsAny(text, "\n\\") {
				t.Skip()
			}
		}
		if snippet == "" {
			t.Skip()
		}
		s, a, b := snippetText(Quote{snippet, after, before}.Cell())
		if s != snippet || a != after || b != before {
			t.Fatalf("%q %q %q became %q %q %q by %s", snippet, after, before, s, a, b, Quote{snippet, after, before}.Cell())
		}
	})
}
