package spawn

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"", "a b", "..", "-x", "é\u0301", "\xff", "x.lock", "@{", strings.Repeat("長", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := nameFor("agit/", s, ""); err != nil || !git.ValidBranch(n.branch) || len(n.branch) > 200 {
			t.Errorf("%q gives %q, %v", s, n.branch, err)
		}
	})
}

// A branch asked for by name must be one that every machine can fetch, and that commands can name.
func TestBranchesRefused(t *testing.T) {
	for branch, why := range map[string]string{
		"feature/login": "", "console": "", "com10": "", "a.b/c": "", "refs": "", "reference/x": "",
		"refs/heads/login": "--branch login", "refs/tags/x": "hard to tell from git's own",
		"CON": `"CON" is a device there`, "fix/aux.txt": `"aux.txt" is a device there`, "lpt1": "is a device there",
		"a|b": "it holds a |", `say"hi"`: `it holds a "`, "a./b": "ends with a dot",
		"HEAD": "git does not allow", "@": "git does not allow", "x.lock": "git does not allow", "-x": "git does not allow", "x.": "git does not allow",
	} {
		_, err := nameFor("agit/", "", branch)
		if why == "" && err != nil || why != "" && (err == nil || !strings.Contains(fault.From(err).Message+"; "+fault.From(err).Hint, why)) {
			t.Errorf("branch %q: %v, want %q", branch, err, why)
		}
	}
}
