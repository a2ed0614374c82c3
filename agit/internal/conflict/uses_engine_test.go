package conflict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// usesOf returns the sentences of a report, and the worktrees of their rows.
func usesOf(r *Report) []string {
	all := []string{}
	for _, c := range r.Conflicts {
		for _, why := range c.Why() {
			var refs []string
			for _, side := range c.Worktrees {
				refs = append(refs, side.ID)
			}
			all = append(all, strings.TrimSpace(c.DefaultBranch+" "+strings.Join(refs, ","))+": "+why)
		}
	}
	return all
}

func (f *field) expectUses(o Options, want ...string) {
	f.t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, usesOf(f.scan(o))); diff != "" {
		f.t.Errorf("uses (-want +got):\n%s", diff)
	}
}

// TestUses has two worktrees that git merges: one calls a function that the other renamed, both uncommitted.
func TestUses(t *testing.T) {
	t.Parallel()
	price := "package cart\n\n// It costs that.\nfunc Price(n int) int {\n\treturn n * 3\n}\n"
	total := "package cart\n\nfunc Total() int {\n\treturn 0\n}\n"
	main := gittest.New(t)
	main.Commit("first", "cart/price.go", price, "cart/total.go", total, "cart/other.go", "package cart\n")
	f := newField(t, main, 3)
	f.trees[0].Write("cart/price.go", strings.ReplaceAll(price, "Price", "UnitPrice"))
	f.trees[1].Write("cart/total.go", strings.Replace(total, "0", "Price(2)", 1))
	row := "w1,w0: `cart/total.go:4` (agent-w1) calls `Price`, which agent-w0 renamed to `UnitPrice` (`cart/price.go:4`, not committed)"
	f.expectUses(Options{}, row)
	f.expectUses(Options{}, row) // from the cache
	f.expectUses(Options{Worktree: "w2"})
	f.expectUses(Options{Depth: DepthLines})
	f.list[0].CloneName = "second"
	r := f.scan(Options{})
	if sides := r.Conflicts[0].Worktrees; sides[0].Clone != "" || sides[1].Clone != "second" {
		t.Errorf("the clones of w1 and w0: %q, %q", sides[0].Clone, sides[1].Clone)
	}
	if got := r.Conflicts[0].UsedAt(); got != "4" || r.Conflicts[0].WillNotMerge() {
		t.Errorf("used at %q, will not merge: %v", got, r.Conflicts[0].WillNotMerge())
	}

	// A side that still has the name elsewhere has not removed it.
	f.trees[0].Write("cart/other.go", "package cart\n\nvar _ = Price(1)\n")
	f.expectUses(Options{})
	f.trees[0].Write("cart/other.go", "package cart\n\n// Price was here.\n")
	f.expectUses(Options{}, row)

	// A commit is named.
	f.trees[0].Commit("rename")
	head := strings.TrimSpace(f.trees[0].Git("rev-parse", "--short", "HEAD"))
	f.expectUses(Options{}, strings.Replace(row, "not committed", head, 1))

	// The default branch counts as a side, too.
	main.Git("merge", "--quiet", "--ff-only", "w0")
	f.expectUses(Options{}, "main w1: `cart/total.go:4` (agent-w1) calls `Price`, which main renamed to `UnitPrice` (`cart/price.go:4`, "+head+")")
	f.trees[1].Write("cart/total.go", strings.Replace(total, "0", "UnitPrice(2)", 1))
	f.expectUses(Options{})
}

// TestUsesBesideConflicts leaves a use out where git stops at its file anyway.
func TestUsesBesideConflicts(t *testing.T) {
	t.Parallel()
	lib := "def one(a):\n    return a\n"
	main := gittest.New(t)
	main.Commit("first", "lib.py", lib, "app.py", "x = 1\n")
	f := newField(t, main, 2)
	f.trees[0].Write("lib.py", "def two(a):\n    return a\n")
	f.trees[0].Write("app.py", "x = 2\n")
	f.trees[1].Write("app.py", "from lib import one\nx = one(3)\n")
	f.expectUses(Options{})
	f.trees[0].Write("app.py", "x = 1\n")
	f.expectUses(Options{}, "w1,w0: `app.py:1` (agent-w1) calls `one`, which agent-w0 renamed to `two` (`lib.py:1`, not committed)")
}
