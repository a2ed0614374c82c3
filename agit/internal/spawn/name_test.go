package spawn

import (
	"strings"
	"testing"

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
