package verify_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Which of several equal lines was cited is known where one alone ever stood at the
// cited place, also when it was away meanwhile.
func TestLastRightOfEqualLines(t *testing.T) {
	repo := gittest.New(t)
	block := func(name string) string { return "open(" + name + ")\ntry {\n  use(" + name + ")\n}\n" }
	text := block("one") + block("two")
	above := func(lines int) string { return strings.Repeat("// licence\n", lines) + text }
	for _, lines := range []int{0, 1, 0, 2} {
		repo.Commit("edit", "a.js", above(lines))
	}
	cited := verify.Citation{Path: "a.js", Line: 6, Snippet: "try {"}
	expect(t, one(t, repo.Dir, verify.WorkingTree, cited), verify.Moved, "a.js", 8)

	// Now another one stood there too.
	repo.Commit("edit", "a.js", above(4))
	repo.Commit("edit", "a.js", above(5))
	if r := one(t, repo.Dir, verify.WorkingTree, cited); r.Verdict != verify.Ambiguous {
		t.Errorf("two lines stood there: %s %s:%d (%s)", r.Verdict, r.FoundPath, r.FoundLine, r.Reason)
	}
}
