package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// numbered is a file of functions that all look alike.
func numbered(count int, with func(int) string) string {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range count {
		fmt.Fprintf(&b, "\nfunc f%d() error {\n\tif err := prepare(%d); err != nil {\n\t\treturn err\n\t}\n%s}\n", i, i, with(i))
	}
	return b.String()
}

// A brace of a deleted block is not the brace at the same position in the rewritten file.
func TestBraceOfRewrittenFile(t *testing.T) {
	repo := gittest.New(t)
	old := "before(async () => {\n\tserver.listen(port)\n});\n\nafter(async () => {\n\tserver.close()\n});\n"
	from := repo.Commit("base", "test.js", old)
	repo.Commit("rewritten", "test.js", strings.NewReplacer("before(async () => {", "test('it opens, and', context => {", "server.listen(port)", "context.is(body, 'ok')",
		"after(async () => {", "test('it ends', withServer, () => {", "server.close()", "assert.is(status, 204)").Replace(old+"\n"+old))
	c := verify.Citation{Path: "test.js", Line: 3, Snippet: "});", Commit: from}
	if r := one(t, repo.Dir, verify.WorkingTree, c); r.Verdict != verify.Ambiguous || len(r.Candidates) != 4 {
		t.Errorf("%s %s:%d %v (%s)", r.Verdict, r.FoundPath, r.FoundLine, r.Candidates, r.Reason)
	}
}

// Unedited text is never changed or gone, whatever was done around it.
func TestUneditedText(t *testing.T) {
	base := numbered(6, func(i int) string { return fmt.Sprintf("\treturn finish(%d)\n", i) })
	at := func(text, line string) int { return strings.Count(text[:strings.Index(text, line)], "\n") + 1 }
	const cited = "return finish(3)"
	cite := func(from string) verify.Citation {
		return verify.Citation{Path: "a.go", Line: at(base, cited), Snippet: cited, Commit: from}
	}
	t.Run("everything around it was edited", func(t *testing.T) {
		repo := gittest.New(t)
		from := repo.Commit("base", "a.go", base)
		now := numbered(9, func(i int) string { return fmt.Sprintf("\tlog(%d)\n\treturn end(%d)\n", i, i+40) })
		now = strings.NewReplacer("prepare", "begin", "err", "problem", "error", "problem", "return end(45)", cited).Replace(now)
		repo.Commit("rewritten", "a.go", now)
		expect(t, one(t, repo.Dir, verify.WorkingTree, cite(from)), verify.Moved, "a.go", at(now, cited))
	})
	t.Run("removed and brought back", func(t *testing.T) {
		repo := gittest.New(t)
		from := repo.Commit("base", "a.go", base)
		repo.Commit("without", "a.go", strings.Replace(base, "\t"+cited+"\n", "", 1))
		now := strings.Replace(base, "func f1() error {\n", "func f1() error {\n\t"+cited+"\n", 1)
		now = strings.Replace(now, "\t"+cited+"\n}\n\nfunc f4", "}\n\nfunc f4", 1)
		repo.Commit("elsewhere", "a.go", now)
		expect(t, one(t, repo.Dir, verify.WorkingTree, cite(from)), verify.Moved, "a.go", at(now, cited))
	})
	t.Run("a short text went to another file", func(t *testing.T) {
		repo := gittest.New(t)
		const text = "return retryLimit * 3"
		from := repo.Commit("base", "a.go", "package a\n\nfunc limit() int {\n\t"+text+"\n}\n\nfunc other() int { return 4 }\n", "b.go", "package a\n")
		repo.Commit("moved", "a.go", "package a\n\nfunc other() int { return 4 }\n", "b.go", "package a\n\n// More.\nfunc most() int {\n\t"+text+"\n}\n")
		for _, c := range []verify.Citation{{Commit: from}, {}} {
			c.Path, c.Line, c.Snippet = "a.go", 4, text
			if r := one(t, repo.Dir, verify.WorkingTree, c); r.FoundPath != "b.go" || r.FoundLine != 5 {
				t.Errorf("%+v is %s %s:%d (%s)", c, r.Verdict, r.FoundPath, r.FoundLine, r.Reason)
			}
		}
		repo.Remove("a.go")
		repo.Commit("and its file is gone")
		expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: text, Commit: from}), verify.Moved, "b.go", 5)
	})
	t.Run("removed, and two came back", func(t *testing.T) {
		repo := gittest.New(t)
		from := repo.Commit("base", "a.go", "package a\n\nfunc one() {\n\tcount(\"hits\")\n}\n")
		repo.Commit("without", "a.go", "package a\n\nfunc one() {\n}\n")
		repo.Commit("two", "a.go", "package a\n\nfunc two() {\n\tstart(x)\n\tcount(\"hits\")\n\tstop(x)\n}\n\nfunc three() {\n\tbegin(x)\n\tcount(\"hits\")\n\tend(x)\n}\n")
		expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: `count("hits")`, Commit: from}), verify.Ambiguous, "", 0)
	})
	t.Run("the cited one was removed, a copy stays", func(t *testing.T) {
		repo := gittest.New(t)
		const text = "checkTheLimit(context, name)"
		from := repo.Commit("base", "a.go", "package a\n\nfunc one() {\n\t"+text+"\n}\n", "b.go", "package a\n\nfunc two() {\n\t"+text+"\n}\n")
		repo.Commit("removed", "a.go", "package a\n\nfunc one() {\n}\n")
		expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: text, Commit: from}), verify.Changed, "b.go", 4)
	})
}

// A text at its line and at others is valid when history has no other line with that text at its place; the number alone proves nothing.
func TestNoLineIsValidByItsNumberAlone(t *testing.T) {
	const twins = "package a\n\nfunc one() {\n\topen(one)\n\tcount(hits)\n}\n\nfunc two() {\n\topen(two)\n\tcount(hits)\n}\n"
	c := verify.Citation{Path: "a.go", Line: 10, Snippet: "count(hits)"}
	repo := gittest.New(t)
	repo.Git("config", "user.useConfigOnly", "false")
	t.Setenv("GIT_COMMITTER_DATE", "2026-03-01T10:00:00Z")
	repo.Commit("base", "a.go", twins)
	if r := one(t, repo.Dir, verify.WorkingTree, c); r.Low {
		t.Errorf("low: %s", r.Reason)
	} else {
		expect(t, r, verify.Valid, "a.go", 10)
	}

	t.Setenv("GIT_COMMITTER_DATE", "2026-03-08T10:00:00Z")
	slid := strings.Replace(twins, "func one", "// Four\n// lines\n// more\n// here.\n\nfunc one", 1) // the first is at line 10 now, the other at 15
	repo.Commit("a twin slid to the line", "a.go", slid)
	expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Ambiguous, "", 0)
	for day, line := range map[string]int{"2026-03-01": 15, "2026-03-05": 15, "2026-03-08": 0, "2026-03-09": 10, "2026-02-01": 0, "soon": 0} {
		c.Verified = day
		verdict, path := verify.Moved, "a.go"
		switch line {
		case 0:
			verdict, path = verify.Ambiguous, ""
		case 10:
			verdict = verify.Valid
		}
		expect(t, one(t, repo.Dir, verify.WorkingTree, c), verdict, path, line)
	}

	c.Verified = ""
	dir := t.TempDir()
	put(t, dir, nil, world{"a.go": twins})
	expect(t, one(t, dir, verify.WorkingTree, c), verify.Ambiguous, "", 0)
	c.After = "open(two)"
	expect(t, one(t, dir, verify.WorkingTree, c), verify.Valid, "a.go", 10)
}

// A commented-out line is not the cited code, if that can be known.
func TestCommentedOut(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit("base", "a.go", alpha, "memory.md", "a.go:17\n")
	repo.Commit("out", "a.go", strings.Replace(alpha, "\treturn !Allow(count)", "\t// return !Allow(count)\n\treturn true", 1))
	c := verify.Citation{Path: "a.go", Line: 17, Snippet: "return !Allow(count)"}
	r := one(t, repo.Dir, verify.WorkingTree, c)
	if expect(t, r, verify.Valid, "a.go", 17); !r.Low {
		t.Errorf("sure: %s", r.Reason)
	}
	c.Source = verify.Source{Path: "memory.md", Line: 1}
	expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Changed, "a.go", 17)
	c.Snippet, c.Line, c.Source = "Limit is how many requests are let through in a second.", 3, verify.Source{}
	expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Valid, "a.go", 3)
}

// An empty line has no text: the current text at its number is not the cited one.
func TestEmptyWhenCited(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("base", "a.go", alpha, "memory.md", "a.go:5\n")
	repo.Commit("one less", "a.go", strings.Replace(alpha, "const Limit = 250\n", "", 1))
	for _, c := range []verify.Citation{{Commit: from}, {Source: verify.Source{Path: "memory.md", Line: 1}}} {
		c.Path, c.Line = "a.go", 5
		expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Gone, "", 0)
	}
}

// A branch that wrote the citation and was merged long after its file was renamed
// and rewritten on the main line.
func TestBranchMergedLate(t *testing.T) {
	repo := gittest.New(t)
	base := numbered(12, func(i int) string { return fmt.Sprintf("\treturn finish(%d)\n", i) })
	repo.Commit("base", "a.go", base)
	repo.Git("checkout", "--quiet", "-b", "topic")
	repo.Commit("a memory", "memory.md", "- a.go:6\n- a.go:13\n")
	repo.Git("checkout", "--quiet", "main")
	repo.Remove("a.go")
	repo.Commit("renamed", "lib/b.go", "// New.\n"+base)
	half := strings.Index(base, "func f6()")
	rewritten := "// New.\n"
	for i, part := range strings.SplitAfter(base[:half], "}\n\n") {
		rewritten += part + strings.Repeat(fmt.Sprintf("// More about %d, and more.\n", i), 20)
	}
	repo.Commit("rewritten and split", "lib/b.go", rewritten, "lib/c.go", "package c\n\n"+base[half:])
	repo.Commit("and again", "lib/b.go", strings.ReplaceAll(rewritten, "prepare(", "begin(context, "))
	rewritten = repo.Read("lib/b.go")
	repo.Git("merge", "--quiet", "--no-edit", "topic")
	for n, line := range []int{6, 13} {
		text := strings.Split(base, "\n")[line-1]
		r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: line, Source: verify.Source{Path: "memory.md", Line: n + 1}})
		if r.Verdict != verify.Renamed || r.FoundPath != "lib/b.go" || r.FoundText != strings.TrimSpace(text) || nth(rewritten, r.FoundLine, text) != nth(base, line, text) {
			t.Errorf("%d %q is %s %s:%d %q (%s)", line, text, r.Verdict, r.FoundPath, r.FoundLine, r.FoundText, r.Reason)
		}
	}
}

// nth returns which one of the equal lines of text is at line.
func nth(text string, line int, equal string) (n int) {
	for _, l := range strings.Split(text, "\n")[:max(line, 0)] {
		if l == equal {
			n++
		}
	}
	return n
}

// A text of low weight from a deleted file counts as found elsewhere only when a neighbour came with it.
func TestShortTextOfAGoneFile(t *testing.T) {
	const text = "return retryLimit * 3"
	for name, c := range map[string]struct {
		there string
		want  verify.Verdict
		path  string
		line  int
	}{
		"alone":            {"package b\n\nfunc most() {\n\tbegin(x)\n\t" + text + "\n\tend(x)\n}\n", verify.Changed, "b.go", 5},
		"with a neighbour": {"package b\n\nfunc most() {\n\tbegin(x)\n\tcount(retries)\n\t" + text + "\n\tend(x)\n}\n", verify.Renamed, "b.go", 6},
	} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t)
			repo.Commit("base", "a.go", "package a\n\nfunc limit() int {\n\tcount(retries)\n\t"+text+"\n}\n")
			repo.Remove("a.go")
			repo.Commit("gone", "b.go", c.there)
			given := verify.Citation{Path: "a.go", Line: 5, Snippet: text, After: "count(retries)"}
			expect(t, one(t, repo.Dir, verify.WorkingTree, given), c.want, c.path, c.line)
		})
	}
}
