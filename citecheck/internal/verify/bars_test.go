package verify_test

import (
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// becomes judges a citation that was right in one state of a file against the next.
func becomes(t *testing.T, was, now string, c verify.Citation) verify.Result {
	t.Helper()
	repo := gittest.New(t)
	c.Path, c.Commit = "a.go", repo.Commit("was", "a.go", was)
	repo.Commit("now", "a.go", now)
	return one(t, repo.Dir, "", c)
}

// To be suggested, a line elsewhere must be more similar to the cited one than a line at its place.
func TestLikenessElsewhere(t *testing.T) {
	t.Parallel()
	gittest.Isolate()
	const was = "package a\n\nfunc first() {\n\tprepare(one)\n}\n\nfunc second() {\n\tretryLimit := config.Retries(service)\n\tfinish(two)\n}\n\nfunc third() {\n\tconclude(three)\n}\n"
	const near = "\tretryLimit := settings.Retries(worker)\n"
	cited := verify.Citation{Line: 8, Snippet: "retryLimit := config.Retries(service)"}
	at := "package a\n\nfunc first() {\n\tprepare(one)\n}\n\nfunc second() {\n" + near + "\tfinish(two)\n}\n\nfunc third() {\n\tconclude(three)\n}\n"
	expect(t, becomes(t, was, at, cited), verify.Changed, "a.go", 8)
	elsewhere := "package a\n\nfunc first() {\n\tprepare(one)\n}\n\nfunc second() {\n\tfinish(two)\n}\n\nfunc third() {\n\tconclude(three)\n" + near + "}\n"
	expect(t, becomes(t, was, elsewhere, cited), verify.Gone, "", 0)
}

// A text of low weight, such as a brace, is not found again by its only occurrence in the file when the line at its place was edited.
func TestBraceThatWasEdited(t *testing.T) {
	t.Parallel()
	gittest.Isolate()
	const was = "package a\n\nvar names = map[string]int{\n\t\"alpha\": 1,\n\t\"beta\": 2,\n}\n\nvar last = names[\"alpha\"]\n"
	const begin, end = "package a\n\nvar names = map[string]int{\n\t\"alpha\": 1,\n\t\"beta\": 2,\n", "\n\nvar last = names[\"alpha\"]\n\nfunc other() {\n\trun(last)\n}\n"
	for _, edit := range []string{"})", "},", "}.sorted()"} {
		if r := becomes(t, was, begin+edit+end, verify.Citation{Line: 6, Snippet: "}"}); r.Verdict.True() {
			t.Errorf("edited to %q: %s at line %d (%s)", edit, r.Verdict, r.FoundLine, r.Reason)
		}
	}
}
