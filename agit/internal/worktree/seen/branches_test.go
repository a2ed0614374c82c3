package seen

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// Branches that other machines share take part, and those of this one are its worktrees'.
func TestSharedBranches(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"agit-hosts/another-machine/fix":           true,
		checkout.SharedBy(registry.Host()) + "fix": false,
		"agit-hosts-too/another/fix":               false,
	} {
		for _, patterns := range [][]string{nil, {"agit-hosts/*"}} {
			if got := wanted(name, patterns); got != want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

func TestBranches(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	g.Write("a.txt", "a\n")
	g.Commit("one", "a.txt")
	g.Git("branch", "old")
	g.Write("a.txt", "b\n")
	g.Git("add", ".")
	g.Git("commit", "-qm", "two")
	for _, name := range []string{"main", "copilot/fix-12", "claude/deep/er", "codex/mine", "jules/1", "feat/x", "feat/x2/y", "fix", "copilotish"} {
		g.Git("update-ref", "refs/remotes/origin/"+name, "old")
	}
	g.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/copilot/fix-12")
	g.Git("pack-refs", "--all")
	g.Git("update-ref", "refs/remotes/up/devin/2", "old")
	g.Git("update-ref", "refs/remotes/up/cursor/same", "main") // what the main checkout is at
	g.Git("worktree", "add", "-q", "-b", "codex/mine", filepath.Join(gittest.TempDir(t), "mine"))
	for patterns, want := range map[string]string{
		"":                       "origin/claude/deep/er origin/copilot/fix-12 origin/jules/1 up/devin/2",
		"origin/feat/*":          "origin/claude/deep/er origin/copilot/fix-12 origin/feat/x origin/feat/x2/y origin/jules/1 up/devin/2",
		"origin/fi? */feat/x":    "origin/claude/deep/er origin/copilot/fix-12 origin/feat/x origin/fix origin/jules/1 up/devin/2",
		"[ other/* origin/feat*": "origin/claude/deep/er origin/copilot/fix-12 origin/jules/1 up/devin/2",
	} {
		got, err := Branches(t.Context(), g.Repo(), strings.Fields(patterns))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range got {
			names = append(names, b.Name)
			if b.Commit != g.Git("rev-parse", "old") {
				t.Errorf("%+v", b)
			}
		}
		if diff := cmp.Diff(want, strings.Join(names, " ")); diff != "" {
			t.Errorf("%q: %s", patterns, diff)
		}
	}
	at, err := Pushed(t.Context(), g.Repo(), []string{g.Git("rev-parse", "old"), strings.Repeat("0", 39) + "1"})
	if err != nil || len(at) != 1 || at[g.Git("rev-parse", "old")].IsZero() {
		t.Errorf("%v %v", at, err)
	}
}
