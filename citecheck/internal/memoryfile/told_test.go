package memoryfile

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew, for review")

// manyForms are memories in the forms in which people and programs write them, and with what looks alike.
var manyForms = []string{
	"# One\n\nThe limit is in src/limit.go:12 and `src/other.go:3-5`.\n\n## Citations\n\n| File | Line | Snippet | Verified |\n|---|---|---|---|\n| src/limit.go | 12 | `const limit = 3` | 2026-01-02 |\n| `src/a.go` | 3-5 | `one`<br>`two` | |\n\n" +
		"## Metadata\n\n- **Confidence**: 0.8\n- **Last verified**: 2026-01-02\n\n## Links\n\n- other-memory\n- [[wiki]] and mem:third\n",
	"Title\n=====\n\nCitations\n---------\n\nPath | Code\n---|---\na.go:7 | `x \\| y`\nb.go#L3-L9 | \nc.go | text … after `z` before `w`\n",
	"---\ntitle: T\nx.go:3\n---\n# Two\n\n[cite:file](src/a.go#L3) [cite:b](src/b.go#L4-L9 \"t\") [cite:c](src/c.go) [cite:](#L3) [cite:d][e] [cite:f]\n\n[e]: src/e.go#L8\n[cite:f]: src/f.go\n",
	"# Three\r\n\r\n## Citations\r\n| Line | File |\r\n|---|---|\r\n| 1 | a.go |\r\n| 2 | b.go |\r\n\r\n## Metadata\r\n\r\n* Confidence: 1\r\n",
	"## Citations\n\n| File |\n| - |\n| a.go:3 |\n| [x](a.go#L3) |\n| |\n| - |\n| n/a |\n\nprose b.go:4\n\n| File | Line |\n|---|---|\n| second.go | 1 |\n",
	"## Citations\n\nNone yet.\n\n## Related\n\n* a.md\n* `b-memory`: why\n* https://x.y/z.md\n* [c](c.md#part) and [d](../d.md), [e](e.go)\n\n### Deeper\n\n- f\n\n# Next\n\n- not-a-link\n",
	"> ## Citations\n> | a.go | 1 |\n\n- ## Citations\n  | b.go | 2 |\n\n    ## Citations\n    | c.go | 3 |\n",
	"```\nsrc/code.go:3\n## Citations\n| a.go | 1 |\n```\n\n~~~go\nb.go:4\n~~~\n\n    indented.go:5\n\n`in.go:6` ``x `y.go:7` ``\n<!-- hidden.go:8\n-->\n<pre>\nhtml.go:9\n</pre>\n",
	"# Numbers\n\na.go:0 a.go:1, a.go:007 a.go:3,4 a.go:5-4 a.go:5–6 a.go:3-3 a.go:99999999999 a.go:12:5 a.go:12. a.go:12) (a.go:13) \"a.go:14\" 'a.go:15' a.go:16; a.go:L17 a.go#L18 a.go#L19-L20 a.go#L21C3 a.go(22) a.go line 23 a.go, line 24 lines 25-26 of a.go a.go:27-x\n",
	"# Paths\n\n./b/c.go:1 ../up.go:2 /abs/x.go:3 C:\\x\\y.go:4 ~/h.go:5 https://x.y/z.go:6 x.y:7 Makefile:8 a/b:9 .env:10 a b.go:11 `a b.go:12` x@y.go:13 @a/b.ts:14 größe.go:15 a//b.go:16 a/./b.go:17 a.test.ts:18 10:20 12.5:3 v1.2:3 e.g.:4 localhost:80 127.0.0.1:80 a.go:1:b.go:2 *a.go:19* **b.go:20** _c.go:21_ [d.go:22](x) [e](f.go:23) [g](h.go#L24) ![i](j.go#L25) <k.go:26> a.go::B\n",
	"# Metadata\n\n## Metadata\n\nConfidence 0.3\n- Confidence: 85%\n- confidence = 2\n- **Last Verified:** yesterday\n- Confidence: 0.5\n",
	"## Metadata\n\n- Confidence: high\n- Verified: 2026-02-03\n- LastVerified: 2026-02-04\n",
	"## Metadata\n## Citations\n| a.go | 1 | `x` | 2026-01-01 | more |\n| b.go | one | x |\n| c.go | 3\n|d.go|4|\n| e.go | | `` ` `` |\n| \\`f.go\\` | 6 | `a` and `b` |\n| g\\|h.go | 7 | a\\|b |\n",
	"## Citations\n\n| File | Line | Quote | Note |\n|:--|--:|:-:|---|\n| a.go | 1 | x | y |\n| a.go | 1 | x | y |\n| **b.go** | ~~2~~ | _z_ | |\n| <b>c.go</b> | 3 | &lt;d&gt; &amp; e | |\n| d.go | 4 | after `m`, `n`, before `o` | |\n",
	"# Links\n\n[[a]] [[b|named]] [[c#part]] [[]] [[ d ]] \\[[e]] `[[f]]` mem:g mem:h. mem: i xmem:j (mem:k) [l](l.md) [m](<m n.md>) [n](n.MD) [o](o.md?x) [p](p.html)\n\n## Links\n\n1. one\n2. two three\n+ four\n- [ ] five\n- six, seven\n\ntext eight\n| nine |\n",
	"# Conflict\n<<<<<<< HEAD\n| a.go | 1 |\n=======\n| a.go | 2 |\n>>>>>>> other\n",
	"\ufeff# Mark\n\n## citations ##\n\n* a.go:3 `x`\n* b.go, line 4: `y`\n- c.go\n",
	"", "\n", "\x00", "\xff\xfe", "# \n## Citations", "## Citations\n|a|", "Citations\n---\n| a.go | 1",
}

func tellCitation(c Citation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s:%d", c.At, c.Form, c.Path, c.Line)
	if c.EndLine > 0 {
		fmt.Fprintf(&b, "-%d", c.EndLine)
	}
	for _, part := range []struct{ name, value string }{{"snippet", c.Snippet}, {"after", c.After}, {"before", c.Before}, {"verified", c.Verified}} {
		if part.value != "" {
			fmt.Fprintf(&b, " %s %q", part.name, part.value)
		}
	}
	for _, is := range []struct {
		name string
		true bool
	}{{"in code", c.InCode}, {"adopted", c.Adopted}, {"linked", c.linked}, {"whole", c.whole}} {
		if is.true {
			b.WriteString(" " + is.name)
		}
	}
	return b.String()
}

// changed tells the lines that an edit took away and added.
func changed(before, after []byte) string {
	counts := map[string]int{}
	for line := range strings.SplitAfterSeq(string(before), "\n") {
		counts[line]++
	}
	var added, gone strings.Builder
	for line := range strings.SplitAfterSeq(string(after), "\n") {
		if counts[line]--; counts[line] < 0 {
			fmt.Fprintf(&added, "\t+ %q\n", line)
		}
	}
	for line := range strings.SplitAfterSeq(string(before), "\n") {
		if counts[line] > 0 {
			counts[line]--
			fmt.Fprintf(&gone, "\t- %q\n", line)
		}
	}
	return gone.String() + added.String()
}

// Memories in many forms: all that is read from each, and the result of every edit.
func TestManyForms(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for n, text := range manyForms {
		src := []byte(text)
		m := Parse(src, All)
		fmt.Fprintf(&b, "# %d: %.60q\n%q, confidence %v, verified %q", n, text, m.Title, m.Confidence, m.LastVerified)
		if m.Unreadable {
			b.WriteString(", unreadable")
		}
		b.WriteString("\n")
		for _, c := range m.Citations {
			fmt.Fprintf(&b, "cites %s\n", tellCitation(c))
		}
		for _, r := range m.References {
			fmt.Fprintf(&b, "names %s, beside %q, means %q\n", tellCitation(r), m.CodeBeside(r), m.Meant(r, []string{"src/a.go", "lib/a.go", "x/b.go", "deep/src/limit.go", "src/" + r.Path}))
		}
		for _, l := range m.Links {
			fmt.Fprintf(&b, "links %d %q %t\n", l.At, l.Target, l.Sure)
		}
		for _, p := range m.Problems {
			fmt.Fprintf(&b, "problem %d %s\n", p.Line, p.Text)
		}
		if m.Unreadable {
			continue
		}
		statement := Parse(src, All|Statements).Statement()
		for _, do := range []struct {
			name string
			edit func(*Edit) error
		}{
			{"move", func(e *Edit) (err error) {
				for _, c := range append(m.Citations, m.References...) {
					if to := (Place{Path: "moved/" + c.Path, Line: c.Line + 100, EndLine: max(c.EndLine+100, c.Line+100) * min(c.EndLine, 1)}); !c.InCode {
						if e := e.Move(c, to); e != nil && err == nil {
							err = e
						}
					}
				}
				return err
			}},
			{"judge", func(e *Edit) error {
				for _, c := range m.Citations {
					e.Verified(c, "2026-11-20")
					e.Quote(c, Quote{Snippet: "if a | b {", After: "before it", Before: "and behind"})
				}
				e.Metadata(0.25, time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC))
				return nil
			}},
			{"add", func(e *Edit) error {
				if err := e.Add(Place{Path: "new|file.go", Line: 3, EndLine: 4}, Quote{Snippet: "x := `a`"}, "2026-11-20"); err != nil {
					return err
				}
				return e.Add(Place{Path: "whole.go"}, Quote{}, "")
			}},
		} {
			e := m.Edit()
			err := do.edit(e)
			out := e.Bytes()
			again := Parse(out, All|Statements)
			fmt.Fprintf(&b, "%s: %v, changed %t, the same statement %t, intact %v, %v\n%s", do.name, err, e.Changed(), again.Statement() == statement, Intact(m, again), Intact(m, again, Place{Path: "new|file.go", Line: 3, EndLine: 4}, Place{Path: "whole.go"}),
				changed(src, out))
		}
		b.WriteString("\n")
	}
	goldentest.Same(t, "forms.txt", b.String(), *update)
}

// Cells made of lines of code, and words that name places, at their limits.
func TestCellsAndPlaces(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, line := range []string{"", " ", "x", "\tif a  ==  b {\t", "a|b", "`", "``a`b", "a\x00b", "a\ufffdb", strings.Repeat("w", 200), strings.Repeat("w", 201), strings.Repeat("word ", 39) + "words", strings.Repeat("word ", 40) + "w", strings.Repeat("w", 210) + " tail",
		strings.Repeat("w", 300) + " tail", "a\nb", "a\n\nb\n", "<br>", "\\", "é" + strings.Repeat("ü", 100)} {
		fmt.Fprintf(&b, "%.20q (%d): %q, cell %q, quoted %q\n", line, len(line), Quotable(line), SnippetCell(line), Quote{line, "after", "before"}.Cell())
	}
	for _, word := range []string{"", "a", "a.go", "a.go:3", "a.go:3-5", "a.go:5-3", "a.go:3-3", "a.go#L3", "a.go#L3-L5", "a.go#L3-5", "a.go#3", "a.go:0", "a.go:", ":3", "a.go:x", "a.go:3:4", "a.go:03", "a.go:3–5", "a.go:99999999999999999999", "a:b.go:7", "dir/:3", "#L3"} {
		path, line, end, ok := SplitPlace(word)
		fmt.Fprintf(&b, "place %q: %q %d %d %t, nameable %t\n", word, path, line, end, ok, Nameable(word))
	}
	for _, p := range []Place{{"a.go", 0, 0}, {"a.go", 3, 0}, {"a.go", 3, 3}, {"a.go", 3, 4}, {"a b.go", 3, 2}} {
		fmt.Fprintf(&b, "%v is %s\n", p.EndLine, p)
	}
	for _, pair := range [][2]string{{"a.go", "a.go"}, {"./a.go", "a.go"}, {"a.go", "src/a.go"}, {"src/a.go", "a.go"}, {"A.go", "a.go"}, {"", "a.go"}, {"b/a.go", "ab/a.go"}, {"src/a.go", "x/src/a.go"}} {
		fmt.Fprintf(&b, "%q means %q: %t\n", pair[0], pair[1], Means(pair[0], pair[1]))
	}
	goldentest.Same(t, "cells.txt", b.String(), *update)
}
