package obstacle_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// A deleted folder is distinguished from one whose disk is not mounted, where the folder that the disk was mounted on is older than the files on it.
func TestVanished(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	around := filepath.Dir(w.Path)
	of := obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: w}
	is := func(vanished, removable bool, when string) {
		t.Helper()
		if got, err := obstacle.Vanished(t.Context(), f.Worktrees, of); err != nil || got != vanished {
			t.Errorf("%s: %v %v", when, got, err)
		}
		if p, err := obstacle.Identify(t.Context(), f.Worktrees, of); err != nil || p.Vanished != removable {
			t.Errorf("%s, to be removed: %v %v", when, p.Vanished, err)
		}
		found, err := f.Audits.Check(t.Context(), "")
		if gone := checkout.Gone(w.Path); err != nil || gone != (len(found) == 1) || gone && found[0].Fixable() != removable {
			t.Errorf("%s, for doctor: %+v %v", when, found, err)
		}
	}
	is(false, false, "in its place")
	worktreetest.Must(t, os.RemoveAll(w.Path))
	is(true, true, "deleted")
	worktreetest.Must(t, os.Chtimes(around, time.Time{}, w.CreatedAt.Add(-time.Hour)))
	is(false, false, "on a disk that is not there")
	worktreetest.Must(t, os.RemoveAll(around))
	is(false, true, "with the folder in the repository that it stood in")
	of.Repo.Path = filepath.Join(of.Repo.Path, "elsewhere")
	if p, err := obstacle.Identify(t.Context(), f.Worktrees, of); err != nil || p.Vanished {
		t.Errorf("with a folder outside of the repository: %v %v", p.Vanished, err)
	}
}
