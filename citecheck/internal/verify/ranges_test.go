package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// functions are three functions of the same shape, 23 lines each with a blank line behind it.
func functions() (lines []string) {
	for _, name := range []string{"Charge", "Refund", "Settle"} {
		lines = append(lines, fmt.Sprintf("func %s(a Account) error {", name))
		for i := range 20 {
			lines = append(lines, fmt.Sprintf("\tstep%s%d(a)", name, i))
		}
		lines = append(lines, "\treturn nil", "}", "")
	}
	return lines
}

// A cited range is followed as a whole, with its commit known or without git: it must not shift within itself, and lost or changed lines
// behind the quoted ones must be noticed.
func TestRanges(t *testing.T) {
	gittest.Isolate()
	was := functions()
	const first, last = 25, 47 // Refund, from 1
	quoted := strings.Join(was[first-1:first+4], "\n")
	above := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf("// licence line %d", i))
		}
		return append(lines, was...)
	}
	without := func(from, to int) []string { return cat(was[:from-1], was[to:]) }
	within := cat(was[:30], []string{"\taudit(a)", "\tcount(a)"}, was[30:])
	for name, c := range map[string]struct {
		now       []string
		snippet   string
		known     verify.Verdict // with the commit
		line, end int
		bare      verify.Verdict // without git; "" as known
	}{
		"as it was":               {was, quoted, verify.Valid, first, last, ""},
		"down by less":            {above(3), quoted, verify.Moved, first + 3, last + 3, ""},
		"down by nearly all":      {above(20), quoted, verify.Moved, first + 20, last + 20, ""},
		"down by more":            {above(30), quoted, verify.Moved, first + 30, last + 30, ""},
		"most of it deleted":      {without(first+5, last-2), quoted, verify.Changed, first, last - 16, verify.Valid},
		"two lines more":          {within, quoted, verify.Changed, first, last + 2, verify.Valid},
		"a line of someone's own": {was, "stepRefund9(a)", verify.Valid, first, last, ""},
		"that one, moved":         {above(3), "stepRefund9(a)", verify.Moved, first + 3, last + 3, verify.Valid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			dir := repo.Dir
			repo.Write("pay.go", text(was))
			commit := repo.Commit("c0", "pay.go")
			repo.Write("pay.go", text(c.now))
			cited := verify.Citation{Path: "pay.go", Line: first, EndLine: last, Snippet: c.snippet, Commit: commit}
			r := one(t, dir, "", cited)
			if r.Verdict != c.known || r.FoundLine != c.line || r.FoundEnd != c.end {
				t.Errorf("%s %d-%d (%s), want %s %d-%d", r.Verdict, r.FoundLine, r.FoundEnd, r.Reason, c.known, c.line, c.end)
			}
			bare := gittest.TempDir(t)
			put(t, bare, nil, world{"pay.go": text(c.now)})
			cited.Commit = ""
			want := c.bare
			if want == "" {
				want = c.known
			}
			if r := one(t, bare, "", cited); r.Verdict != want {
				t.Errorf("without git: %s %d-%d (%s), want %s", r.Verdict, r.FoundLine, r.FoundEnd, r.Reason, want)
			}
		})
	}
}

// When the registry does not have the commit, the commit that wrote the citation's line provides the lines behind the quoted ones.
func TestRangesBySource(t *testing.T) {
	t.Parallel()
	gittest.Isolate()
	was := functions()
	quoted := strings.Join(was[24:29], "\n")
	for name, c := range map[string]struct {
		now  []string
		want verify.Verdict
	}{
		"as it was":          {was, verify.Valid},
		"most of it deleted": {cat(was[:29], was[45:]), verify.Changed},
		"two lines more":     {cat(was[:30], []string{"\taudit(a)", "\tcount(a)"}, was[30:]), verify.Changed},
	} {
		repo := gittest.New(t)
		repo.Commit("c0", "pay.go", text(was), "memory.md", "| pay.go | 25-47 |\n")
		repo.Write("pay.go", text(c.now))
		cited := verify.Citation{Path: "pay.go", Line: 25, EndLine: 47, Snippet: quoted, Source: verify.Source{Path: "memory.md", Line: 1}}
		if r := one(t, repo.Dir, "", cited); r.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", name, r.Verdict, r.Reason, c.want)
		}
	}
}

// A pointer file of Git LFS has no text to compare.
func TestPointersOfLFS(t *testing.T) {
	t.Parallel()
	gittest.Isolate()
	dir := gittest.TempDir(t)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	put(t, dir, nil, world{"model.py": pointer, "notes.md": "version https://git-lfs.github.com/spec/v1 is what we use\n"})
	expect(t, one(t, dir, "", verify.Citation{Path: "model.py", Line: 4, Snippet: "def train(model):"}), verify.Unverifiable, "", 0)
	expect(t, one(t, dir, "", verify.Citation{Path: "model.py"}), verify.Valid, "model.py", 0)
	expect(t, one(t, dir, "", verify.Citation{Path: "notes.md", Line: 1, Snippet: "is what we use"}), verify.Valid, "notes.md", 1)
}
