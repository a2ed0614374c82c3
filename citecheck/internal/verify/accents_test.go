package verify_test

import (
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A file's name has its accents composed or decomposed. A citation in either form finds it, in the working tree and in commits.
func TestAccentsInNames(t *testing.T) {
	const composed, apart = "src/caf\u00e9.go", "src/cafe\u0301.go"
	for name, test := range map[string]struct{ onDisk, cited string }{
		"kept apart, cited composed": {apart, composed},
		"kept composed, cited apart": {composed, apart},
	} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t)
			repo.Git("config", "core.precomposeUnicode", "false")
			repo.Write(test.onDisk, alpha)
			repo.Commit("add", test.onDisk)
			c := verify.Citation{Path: test.cited, Line: 4, Snippet: "const Limit = 250"}
			for _, at := range []string{verify.WorkingTree, "HEAD"} {
				if r := one(t, repo.Dir, at, c); r.Verdict != verify.Valid || r.FoundLine != 4 {
					t.Errorf("at %q the citation is %s, line %d (%s)", at, r.Verdict, r.FoundLine, r.Reason)
				}
			}
			repo.Write(test.onDisk, "// new\n"+alpha)
			if r := one(t, repo.Dir, verify.WorkingTree, c); r.Verdict != verify.Moved || r.FoundLine != 5 {
				t.Errorf("a line further down the citation is %s, line %d (%s)", r.Verdict, r.FoundLine, r.Reason)
			}
			c.Path = "src/cafe.go" // another name
			c.Snippet = "nothing like it"
			if r := one(t, repo.Dir, "HEAD", c); r.Verdict != verify.Gone {
				t.Errorf("a name without the accent is %s", r.Verdict)
			}
		})
	}
}
