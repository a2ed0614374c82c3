package land_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// Work merges by the attributes of the branch that it lands on, whatever the main checkout has; a dry run and an update use the same.
func TestAttributesOfTheTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, committed, folder string // .gitattributes of the newest commit of main, and of the main checkout
		clean                   bool
	}{
		{"committed on main alone", "b.txt merge=union\n", "", true},
		{"committed on main, other in the folder", "b.txt merge=union\n", "b.txt -merge\n", true},
		{"in the folder alone", "", "b.txt merge=union\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, rebase := range []bool{false, true} {
				f := worktreetest.New(t)
				f.Main.Commit("base", "b.txt", "1\n")
				landing, updating := f.Spawn(spawn.Request{Task: "landing"}), f.Spawn(spawn.Request{Task: "updating"})
				f.Tree(landing).Commit("theirs", "b.txt", "1\ntheirs\n")
				f.Tree(updating).Commit("theirs", "b.txt", "1\ntheirs\n")
				f.Main.Commit("ours", "b.txt", "1\nours\n", ".gitattributes", c.committed)
				f.Main.Git("checkout", "-q", "-b", "elsewhere", "HEAD~1")
				if c.folder != "" {
					f.Main.Write(".gitattributes", c.folder)
				}
				if _, err := update(f, updating, rebase); (err == nil) != c.clean {
					t.Errorf("rebase %v: update: %v, want clean %v", rebase, err, c.clean)
				}
				strategy := land.MergeCommit
				if rebase {
					strategy = land.Rebase
				}
				o := land.Request{Repo: "app", Worktree: landing.Ref, Strategy: strategy}
				preview, err := f.Landings.Preview(context.Background(), o)
				if err != nil || (len(preview.Conflicts) == 0) != c.clean {
					t.Errorf("rebase %v: dry run: %v, conflicts %v, want clean %v", rebase, err, preview.Conflicts, c.clean)
				}
				if _, err := f.Landings.Land(context.Background(), o); (err == nil) != c.clean {
					t.Errorf("rebase %v: %v, want clean %v", rebase, err, c.clean)
				}
			}
		})
	}
}
