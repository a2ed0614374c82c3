package memoryfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shown prints a memory in short form, one line for each thing found.
func shown(m *Memory) string {
	var b strings.Builder
	for _, c := range m.Citations {
		fmt.Fprintf(&b, "%d %s %s:%d", c.At, c.Form, c.Path, c.Line)
		if c.EndLine > 0 {
			fmt.Fprintf(&b, "-%d", c.EndLine)
		}
		if c.Snippet != "" {
			fmt.Fprintf(&b, " %q", c.Snippet)
		}
		if c.After != "" {
			fmt.Fprintf(&b, " after %q", c.After)
		}
		if c.Before != "" {
			fmt.Fprintf(&b, " before %q", c.Before)
		}
		if c.Verified != "" {
			fmt.Fprintf(&b, " %s", c.Verified)
		}
		b.WriteByte('\n')
	}
	for _, c := range m.References {
		fmt.Fprintf(&b, "%d prose %s:%d", c.At, c.Path, c.Line)
		if c.EndLine > 0 {
			fmt.Fprintf(&b, "-%d", c.EndLine)
		}
		if c.InCode {
			b.WriteString(" in code")
		}
		if c.Adopted {
			b.WriteString(" adopted")
		}
		b.WriteByte('\n')
	}
	for _, l := range m.Links {
		fmt.Fprintf(&b, "%d link %s", l.At, l.Target)
		if !l.Sure {
			b.WriteString("?")
		}
		b.WriteByte('\n')
	}
	if m.Confidence >= 0 {
		fmt.Fprintf(&b, "confidence %.2f\n", m.Confidence)
	}
	if m.LastVerified != "" {
		fmt.Fprintf(&b, "verified %s\n", m.LastVerified)
	}
	for _, p := range m.Problems {
		fmt.Fprintf(&b, "%d problem: %s\n", p.Line, p.Text)
	}
	return b.String()
}

const seedMemory = "# API Version Synchronization\n\nText.\n\n## Citations\n\n" +
	"| File | Line | Snippet | Verified |\n|------|------|---------|----------|\n" +
	"| src/client/constants.ts | 42 | `API_VERSION = 'v2'` | 2026-01-18 |\n" +
	"| server/routes/api.ts | 15 | `router.use('/v2'` | 2026-01-18 |\n\n" +
	"## Links\n\n- api-deployment-checklist\n- client-sdk-patterns\n\n" +
	"## Metadata\n\n- **Confidence**: 0.92\n- **Last Verified**: 2026-01-18T10:30:00Z\n- **Links**: other-memory, third\n"

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"the format of the table": {seedMemory, `9 table src/client/constants.ts:42 "API_VERSION = 'v2'" 2026-01-18
10 table server/routes/api.ts:15 "router.use('/v2'" 2026-01-18
14 link api-deployment-checklist
15 link client-sdk-patterns
21 link other-memory
21 link third
confidence 0.92
verified 2026-01-18T10:30:00Z
`},
		"carriage returns": {strings.ReplaceAll(seedMemory, "\n", "\r\n")[:259], `9 table src/client/constants.ts:42 "API_VERSION = 'v2'" 2026-01-18
10 table server/routes/api.ts:15 "router.use('/v2'" 2026
`},
		"missing cells": {"## Citations\n| File | Line | Snippet | Verified |\n|---|---|---|---|\n| a.go |\n| b.go | 3\n| c.go | | `x` |\n|  |  |\n| d.go | - |\n", `4 table a.go:0
5 table b.go:3
6 table c.go:0 "x"
8 table d.go:0
`},
		"bars in snippets": {"## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| a.go | 1 | `a \\| b` |\n| b.go | 2 | `c || d` |\n| c.go | 3 | ``e ` | f`` |\n", `5 table a.go:1 "a | b"
6 table b.go:2 "c || d"
7 table c.go:3 "e ` + "`" + ` | f"
`},
		"no head": {"## Citations\n\n| src/a.go | 12 | `x := 1` | 2026-01-01 |\n| b.go | 4-9 | |\n", `3 table src/a.go:12 "x := 1" 2026-01-01
4 table b.go:4-9
`},
		"head without rule": {"## Citations\n\n| File | Line |\n| a.go | 1 |\n", "4 table a.go:1\n"},
		"rule without head": {"## Citations\n\n|---|---|\n| a.go | 1 |\n", "4 table a.go:1\n"},
		"other order": {"## Citations\n\nVerified | Code | Lines | Path | Why\n--- | --- | :-: | --- | ---\n2026-02-03 | `f()` | L7-L9 | `dir/a b.go` | because\n",
			"5 table dir/a b.go:7-9 \"f()\" 2026-02-03\n"},
		"place in one cell": {"## Citations\n\n| Location | Snippet |\n|---|---|\n| `a/b.go:12` | `x` |\n| [b.go](src/b.go#L3) | y |\n", `5 table a/b.go:12 "x"
6 table src/b.go:3 "y"
`},
		"bad line": {"## Citations\n\n| File | Line |\n|---|---|\n| a.go | twelve |\n| | 3 |\n| b.go | 99999999999999999999 |\n| c.go | 5 |\n",
			"8 table c.go:5\n5 problem: the line \"twelve\" is not a number\n6 problem: the row names no file\n7 problem: the line \"99999999999999999999\" is not a number\n"},
		"two tables and a sentence": {"## Citations\nSee `a | b`:\n\n| File | Line |\n|---|---|\n| a.go | 1 |\n\n### More\n\n| File | Line |\n|---|---|\n| b.go | 2 |\n\n## Next\n\n| File | Line |\n|---|---|\n| c.go | 3 |\n",
			"6 table a.go:1\n12 table b.go:2\n"},
		"lists under the heading are prose": {"## Citations\n\n- `a.go:12` uses `x | y`\n", "3 prose a.go:12\n"},
		"several lines":                     {"## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| a.go | 1-2 | `if x {`<br>`return` |\n", "5 table a.go:1-2 \"if x {\\nreturn\"\n"},
		"lines beside": {"## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| a.go | 1 | `}` after `x()` before `` `y` \\| z `` |\n| a.go | 2 | `a`<br>`b` before `c` |\n| a.go | 3 | `a` after all |\n",
			"5 table a.go:1 \"}\" after \"x()\" before \"`y` | z\"\n6 table a.go:2 \"a\\nb\" before \"c\"\n7 table a.go:3 \"`a` after all\"\n"},
		"cite links": {"A [cite:file](src/a.go#L12) and [cite:x](b%20c.go#L3-L5 \"the text\") and [cite:f](d.go) and [cite:g](e.go#Lx).\n", `1 cite src/a.go:12
1 cite b c.go:3-5 "the text"
1 cite d.go:0
1 problem: the line "Lx" is not a number
`},
		"prose": {"At `src/a.go:12` and src/b.go:3-9, (c_d.py:7:2) x/[id]/page.tsx:4 `lib/e.rs:1,5-6, 9` Makefile:3 " +
			"[f.go:1](f.go#L1) ./g.go:8 h\\i.cs:2. \"j.go:5\"\n", `1 prose src/a.go:12
1 prose src/b.go:3-9
1 prose c_d.py:7
1 prose x/[id]/page.tsx:4
1 prose lib/e.rs:1
1 prose lib/e.rs:5-6
1 prose lib/e.rs:9
1 prose Makefile:3
1 prose f.go:1
1 prose f.go:1
1 prose g.go:8
1 prose h/i.cs:2
1 prose j.go:5
`},
		"what is not a reference": {"http://localhost:8080/a.go:12 https://example.com:443/x example.com:443 10:30 1.2.3:4 v1.2:3 127.0.0.1:3850 foo:12 a.go:12px git@host.dev:22 <https://h.io/a.go:3> key.value: 12 <!-- x.go:4 -->\n\n<div>\nb.go:2\n</div>\n", ""},
		"lines in words": {"x.py (line 12), src/x.py line 13, y.go, lines 4-6; `z.rs` (line 7) `src/x.py`:17 `a/b.ts`:3-5 w.c lines 8 to 9 `Makefile` line 2 v.py at Line 3. `q.py`#L4\n", `1 prose x.py:12
1 prose src/x.py:13
1 prose y.go:4-6
1 prose z.rs:7
1 prose src/x.py:17
1 prose a/b.ts:3-5
1 prose w.c:8-9
1 prose Makefile:2
1 prose v.py:3
1 prose q.py:4
`},
		"lines of something else": {"Python 3.12 line 12, e.g. line 3, Node.js line 4, https://h.io/a.py line 5, at 10:30 (line 6), x.py online 7, x.py line count 8, x.py line 9px, x.py outline 3, version 2.x line 4, " +
			"`x.py` says line 10, example.com line 11, `make`:12 `10`:30 x.py has 3 lines 5, the x.py. Line 12 is empty, `src/x.py`: 17 files, air line 4\n", ""},
		"fences":  {"```go\n// src/a.go:12\n| File | Line |\n[[x]]\n```\n\n    b.go:3\n\n## Citations\n\n~~~\n| File | Line |\n|---|---|\n| a.go | 1 |\n~~~\n", "2 prose src/a.go:12 in code\n7 prose b.go:3 in code\n"},
		"adopted": {"See `./a.go:3`.\n\n## Citations\n| a.go | 3 | |\n", "4 table a.go:3\n1 prose a.go:3 adopted\n"},
		"links": {"[[wiki]] [[sub/page|shown]] [[x#part]] `mem:foo/bar` mem:baz. [t](../other.md) [u](x.md#h) [web](https://a.b/c.md) [[ -f x ]] mem:glob-* `[[no]]` [m](mem:qux)\n",
			"1 link wiki\n1 link sub/page\n1 link x\n1 link foo/bar\n1 link baz\n1 link ../other.md\n1 link x.md\n1 link qux\n"},
		"related": {"## Related Memories\n\n- plain-name\n- other_name - what it is\n- **bold-name**: said\n- Issue #12 and more\n- ADR-006\n- a sentence of words\n- [[x]] - y\n- `code/name.md`\n\n# Next\n\n- not-a-link\n",
			"3 link plain-name\n4 link other_name?\n5 link bold-name?\n7 link ADR-006?\n9 link x\n10 link code/name.md\n"},
		"front matter": {"---\ntitle: x\nrelated: [a-b, \"c\"]\nlinks:\n  - d-e\nfile: a.go:3\n---\n\n# T\n\n[[f]]\n", "3 link a-b\n3 link c\n5 link d-e\n11 link f\n"},
		"percent":      {"## Metadata\n\n**Confidence:** 92%\n**Last Verified:** 2026-01-01\n", "confidence 0.92\nverified 2026-01-01\n"},
		"utf-16":       {"\xff\xfe#\x00", "1 problem: the file is UTF-16; memories are UTF-8\n"},
		"nul":          {"a\nb\x00c\n", "2 problem: the file holds a NUL byte and is not text\n"},
		"not utf-8":    {"a\nb\xe9\n## Citations\n| a.go | 1 |\n", "4 table a.go:1\n2 problem: the line is not UTF-8\n"},
		"empty":        {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, shown(Parse([]byte(tc.in), All))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"---\na: b\n---\n\n```\n# no\n```\n\n## Some title ##\n": "Some title",
		"Some title\n==========\n\n# Later\n":                    "Some title",
		"words\n\nSome title\n=\n":                               "Some title",
		"# Some title\n=====\n":                                  "Some title",
		"two lines\nof words\n=====\n\n# Some title\n":           "Some title",
		"- a list\n=====\n\n# Some title\n":                      "Some title",
		"=====\n\n# Some title\n":                                "Some title",
		"```\nno title\n===\n```\n":                              "",
		"no title\n\n=====\n":                                    "",
		"no title\n= = =\n":                                      "",
	} {
		if got := Parse([]byte(text), Links).Title; got != want {
			t.Errorf("%q has the title %q, want %q", text, got, want)
		}
	}
}

// Votes hold as long as the statement stays the same.
func TestStatement(t *testing.T) {
	base := "# T\n\nSee a.go:12.\n"
	same := []string{
		"# T\r\n\r\nSee a.go:12.\r\n",
		"# T\n\nSee a.go:120.\n",
		base + "\n## Citations\n\n| File | Line |\n|---|---|\n| a.go | 12 |\n",
		base + "\n## Metadata\n\n- **Confidence**: 0.50\n",
	}
	want := Parse([]byte(base), All).Statement()
	for _, s := range same {
		if got := Parse([]byte(s), All).Statement(); got != want {
			t.Errorf("%q says something else", s)
		}
	}
	for _, s := range []string{"# T\n\nSee b.go:12.\n", base + "More.\n"} {
		if got := Parse([]byte(s), All).Statement(); got == want {
			t.Errorf("%q says the same", s)
		}
	}
}

func TestEdits(t *testing.T) {
	day := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	add := func(e *Edit) {
		if err := e.Add(Place{Path: "x|y.go", Line: 7}, Quote{Snippet: "if a || b {"}, "2026-11-20"); err != nil {
			t.Fatal(err)
		}
	}
	verified := func(e *Edit) {
		for _, c := range e.m.Citations {
			e.Verified(c, "2026-11-20")
		}
		e.Metadata(0.5, day)
	}
	move := func(e *Edit) {
		for _, c := range append(e.m.Citations, e.m.References...) {
			if c.InCode {
				continue
			}
			if err := e.Move(c, Place{Path: "new/b.go", Line: 99, EndLine: 101}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const row = "| x\\|y.go | 7 | `if a \\|\\| b {` | 2026-11-20 |"
	const table = "| File | Line | Snippet | Verified |\n|------|------|---------|----------|\n" + row
	for name, tc := range map[string]struct {
		in   string
		edit func(*Edit)
		want string
	}{
		"add to a table":            {"## Citations\n| File | Line | Snippet | Verified |\n|---|---|---|---|\n| a.go | 1 | | |\n\nend", add, "## Citations\n| File | Line | Snippet | Verified |\n|---|---|---|---|\n| a.go | 1 | | |\n" + row + "\n\nend"},
		"add at the very end":       {"## Citations\r\n| a.go | 1 | | |", add, "## Citations\r\n| a.go | 1 | | |\r\n" + row},
		"add to another order":      {"## Citations\n\nCode | Path\n---|---\n`q` | `a.go`\n", add, "## Citations\n\nCode | Path\n---|---\n`q` | `a.go`\n`if a \\|\\| b {` | `x\\|y.go:7`\n"},
		"add to a section":          {"# T\n\n## Citations\n\n## Links\n", add, "# T\n\n## Citations\n\n" + table + "\n\n## Links\n"},
		"add before links":          {"# T\n\ntext\n\n## Links\n- a-b\n", add, "# T\n\ntext\n\n## Citations\n\n" + table + "\n\n## Links\n- a-b\n"},
		"add without final newline": {"# T\n\ntext", add, "# T\n\ntext\n\n## Citations\n\n" + table},
		"add at the end":            {"# T\r\n", add, "# T\r\n\r\n## Citations\r\n\r\n" + strings.ReplaceAll(table, "\n", "\r\n") + "\r\n"},
		"add to nothing":            {"", add, "## Citations\n\n" + table + "\n"},
		"verified": {"## Citations\n| File | Line | Verified |\n|---|---|---|\n| a.go | 1 | 2025-01-01 |\n| b.go | 2 ||\n| c.go | 3 |\n| d.go\n\n## Metadata\n- **Confidence**: 92%\n- **Last Verified**: 2025-01-01\n", verified,
			"## Citations\n| File | Line | Verified |\n|---|---|---|\n| a.go | 1 | 2026-11-20 |\n| b.go | 2 | 2026-11-20 |\n| c.go | 3 | 2026-11-20 |\n| d.go |  | 2026-11-20\n\n## Metadata\n- **Confidence**: 50%\n- **Last Verified**: 2026-11-20\n"},
		"new metadata":   {"## Citations\n| a.go | 1 |\n", verified, "## Citations\n| a.go | 1 |  | 2026-11-20 |\n\n## Metadata\n\n- **Confidence**: 0.50\n- **Last Verified**: 2026-11-20T08:00:00Z\n"},
		"metadata grows": {"## Metadata\n\n- **Owner**: x\n\nend\n\n## Citations\n", verified, "## Metadata\n\n- **Owner**: x\n- **Confidence**: 0.50\n- **Last Verified**: 2026-11-20T08:00:00Z\n\nend\n\n## Citations\n"},
		"move": {"`a.go:3-4` [cite:f](a.go#L3) a.go:3:7\n\n```\na.go:3\n```\n\n## Citations\n\n| `a.go` | L3-L4 | x |\n| a.go:5 | | |\n", move,
			"`new/b.go:99-101` [cite:f](new/b.go#L99-L101) new/b.go:99:7\n\n```\na.go:3\n```\n\n## Citations\n\n| `new/b.go` | L99-L101 | x |\n| new/b.go:99 | | |\n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Parse([]byte(tc.in), All).Edit()
			tc.edit(e)
			if diff := cmp.Diff(tc.want, string(e.Bytes())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Real memories from a folder that the environment names: no panic, and every position is right.
func TestRealMemories(t *testing.T) {
	dir := os.Getenv("CITECHECK_MEMORIES")
	if dir == "" {
		t.Skip("CITECHECK_MEMORIES names no folder of memories")
	}
	files, refs := 0, 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		src, err := os.ReadFile(path)
		m := Parse(src, All)
		files++
		refs += len(m.References)
		for _, p := range m.Problems {
			t.Logf("%s:%d: %s", path, p.Line, p.Text)
		}
		return err
	})
	t.Logf("%d files, %d references in prose, %v", files, refs, err)
}
