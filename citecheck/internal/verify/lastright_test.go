package verify_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Of several equal lines the one that was ever at the cited place is meant, if it is the only one, even if it left in between.
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

	// Now another one was at the place too.
	repo.Commit("edit", "a.js", above(4))
	repo.Commit("edit", "a.js", above(5))
	if r := one(t, repo.Dir, verify.WorkingTree, cited); r.Verdict != verify.Ambiguous {
		t.Errorf("two lines stood there: %s %s:%d (%s)", r.Verdict, r.FoundPath, r.FoundLine, r.Reason)
	}
}

// A longer line that contains the text is not the cited one when the text exists as a whole line.
func TestLastRightIsWhole(t *testing.T) {
	repo := gittest.New(t)
	text := "if ok {\n  respond with resource, there\n} else {\n  respond with resource\n}\n"
	repo.Commit("edit", "a.js", "// licence\n"+text)
	repo.Commit("edit", "a.js", strings.Repeat("// licence\n", 3)+text) // now the longer line is at 5
	repo.Commit("edit", "a.js", strings.Repeat("// licence\n", 7)+text)
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.js", Line: 5, Snippet: "respond with resource"}), verify.Moved, "a.js", 11)
}

// When different equal lines were at the cited place at different times, the other citations of the memory show when it was written.
func TestRightTogether(t *testing.T) {
	repo := gittest.New(t)
	block := func(name string) string { return "open(" + name + ")\ntry {\n  use(" + name + ")\n}\n" }
	above := func(lines int) string {
		return strings.Repeat("// licence\n", lines) + block("one") + block("two") + block("three")
	}
	for _, lines := range []int{0, 4, 7} {
		repo.Commit("edit", "a.js", above(lines))
	}
	cited := func(line int, text, memory string) verify.Citation {
		return verify.Citation{Path: "a.js", Line: line, Snippet: text, Together: memory}
	}
	// Without lines above, line 6 was in the second block; with four lines, in the first.
	early := []verify.Citation{cited(6, "try {", "m"), cited(3, "use(one)", "m"), cited(9, "open(three)", "m")}
	late := []verify.Citation{cited(6, "try {", "n"), cited(7, "use(one)", "n"), cited(9, "open(two)", "n")}
	results := all(t, repo.Dir, verify.WorkingTree, append(early, late...))
	expect(t, results[0], verify.Moved, "a.js", 13)
	expect(t, results[3], verify.Moved, "a.js", 9)

	// Other citations prove nothing when they were never right at the same time, are too few, or belong to another memory.
	for name, given := range map[string][]verify.Citation{
		"two times": {cited(6, "try {", "m"), cited(3, "use(one)", "m"), cited(9, "open(two)", "m")},
		"one":       {cited(6, "try {", "m"), cited(3, "use(one)", "m")},
		"others":    {cited(6, "try {", "m"), cited(3, "use(one)", "n"), cited(9, "open(three)", "n")},
		"no memory": {cited(6, "try {", ""), cited(3, "use(one)", ""), cited(9, "open(three)", "")},
	} {
		if r := all(t, repo.Dir, verify.WorkingTree, given)[0]; r.Verdict != verify.Ambiguous {
			t.Errorf("%s: %s %s:%d (%s)", name, r.Verdict, r.FoundPath, r.FoundLine, r.Reason)
		}
	}

	// A text at its line and at others is not the cited one if, when the citation was written, it stood elsewhere; else it is.
	repo.Commit("edit", "a.js", above(4))
	results = all(t, repo.Dir, verify.WorkingTree, append(early, late...))
	expect(t, results[0], verify.Moved, "a.js", 10)
	expect(t, results[3], verify.Valid, "a.js", 6)
}
