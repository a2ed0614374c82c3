package assignment_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The brief names agents at work without a row of agit's, by the last scan, and leaves out those whose folders are gone.
func TestNearInBrief(t *testing.T) {
	w := newWay(t)
	w.store.Conflicts = &conflict.Store{DB: w.DB, CacheDir: t.TempDir()}
	beside := gittest.TempDir(t)
	for _, name := range []string{"fix", "idle", "gone"} {
		w.Main.Git("worktree", "add", "-q", "-b", name, filepath.Join(beside, name))
	}
	w.Main.At(filepath.Join(beside, "fix")).Write("a.txt", "theirs\n")
	w.Main.At(filepath.Join(beside, "gone")).Write("a.txt", "gone\n")
	w.Main.Write("menu.txt", "a person\n")
	dead, bob := w.Spawn(spawn.Request{Task: "dead"}), w.Spawn(spawn.Request{Task: "bob"})
	w.Tree(bob).Write("b.txt", "bob\n")
	_, err := w.store.Conflicts.Scan(t.Context(), w.Repo.ID, conflict.Options{})
	worktreetest.Must(t, err)
	worktreetest.Must(t, os.RemoveAll(filepath.Join(beside, "gone")))
	worktreetest.Must(t, os.RemoveAll(dead.Path))

	got := map[string][]string{}
	for _, n := range w.begin("ann", "T-1").Around.Near {
		got[n.Worktree+" "+n.Agent] = n.Files
	}
	want := map[string][]string{"fix (git)": {"a.txt"}, "repo (main checkout)": {"menu.txt"}, bob.Ref + " ": {"b.txt"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
