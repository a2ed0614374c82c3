package conflict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// TestAttributesOfTheDefaultBranch has a merge driver that one commit of the default branch sets. Worktrees land there, so the driver
// counts wherever they left the branch and whatever is checked out.
func TestAttributesOfTheDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		first, then string // .gitattributes where the worktrees began, and on the branch now
		own         string // in the first worktree
		main        bool   // the branch has changed the file, too
		want        []string
	}{
		{"nowhere", "", "", "", false, []string{"log merge w0,w1 contents"}},
		{"on the branch alone", "", "log merge=union\n", "", false, []string{"log lines w0,w1"}},
		{"on the branch alone, which changed the file", "", "log merge=union\n", "", true, []string{"log lines w0,w1"}},
		{"no longer on the branch", "log merge=union\n", "", "", false, []string{"log merge w0,w1 contents"}},
		{"no longer on the branch, which changed the file", "log merge=union\n", "", "", true, []string{"log merge main,w0 contents", "log merge main,w1 contents", "log merge w0,w1 contents"}},
		{"in the first worktree alone", "", "", "log merge=union\n", false, []string{"log lines w0,w1"}},
		{"taken away in the first worktree", "", "log merge=union\n", "log -merge\n", false, []string{".gitattributes merge main,w0 contents", "log merge w0,w1 binary"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			main := gittest.New(t)
			main.Commit("first", "log", "1\n", ".gitattributes", "other text\n"+c.first)
			f := newField(t, main, 2)
			if c.main {
				main.Write("log", "1\nmain\n")
			}
			main.Commit("then", ".gitattributes", "other text\n"+c.then, "then", "")
			main.Git("checkout", "-q", "-b", "elsewhere", "HEAD~1")
			for i, tree := range f.trees {
				tree.Write("log", "1\n"+string(rune('a'+i))+"\n")
			}
			if c.own != "" {
				f.trees[0].Write(".gitattributes", "other text\n"+c.own)
			}
			for _, from := range []string{"git", "what was kept"} {
				if diff := cmp.Diff(c.want, outline(f.scan(Options{}))); diff != "" {
					t.Errorf("from %s (-want +got):\n%s", from, diff)
				}
			}
		})
	}
}
