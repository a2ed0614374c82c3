package obstacle_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// A deleted folder is distinguished from one whose disk is not mounted, where the folder that the disk was mounted on is older than the files on it.
func TestVanished(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	around := filepath.Dir(w.Path)
	of := obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: w}
	is := func(want bool, when string) {
		t.Helper()
		if got, err := obstacle.Vanished(t.Context(), f.Worktrees, of); err != nil || got != want {
			t.Errorf("%s: %v %v", when, got, err)
		}
	}
	is(false, "in its place")
	worktreetest.Must(t, os.RemoveAll(w.Path))
	is(true, "deleted")
	worktreetest.Must(t, os.Chtimes(around, time.Time{}, w.CreatedAt.Add(-time.Hour)))
	is(false, "on a disk that is not there")
	worktreetest.Must(t, os.RemoveAll(around))
	is(false, "with the folder it stood in")
}
