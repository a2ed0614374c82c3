package overview_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// BenchmarkSeenWorktrees: the status, with its conflict scan, of 20 changed worktrees of 500 files that others made, beside 20 that
// agit made. Goal: equal.
func BenchmarkSeenWorktrees(b *testing.B) {
	const trees, files = 20, 500
	var sides []benchtest.Side
	for _, foreign := range []bool{true, false} {
		f := worktreetest.New(b)
		args := []string{}
		for i := range files {
			args = append(args, fmt.Sprintf("src/%03d.txt", i), fmt.Sprintf("%d\n", i))
		}
		f.Main.Commit("files", args...)
		beside := gittest.TempDir(b)
		for i := range trees {
			path := filepath.Join(beside, fmt.Sprintf("tree-%d", i))
			if foreign {
				f.Main.Git("worktree", "add", "-q", "-b", fmt.Sprintf("worktree-%d", i), path)
			} else {
				path = f.Spawn(spawn.Request{Task: fmt.Sprintf("Work %d", i)}).Path
			}
			tree := f.Main.At(path)
			tree.Commit("work", fmt.Sprintf("src/%03d.txt", i), "work\n")
			tree.Write(fmt.Sprintf("src/%03d.txt", i+1), "more\n")
		}
		store := overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: b.TempDir()}, Meter: distance.Meter{Dir: b.TempDir()}, StaleAfter: time.Hour})
		sides = append(sides, benchtest.Of(func() error {
			r, err := store.Status(b.Context(), "app", true)
			if err == nil && (len(r.Worktrees) != trees || r.Conflicts == nil || len(r.Conflicts.Conflicts) == 0) {
				err = fmt.Errorf("%d worktrees, %v", len(r.Worktrees), r.Problem)
			}
			return err
		}))
	}
	benchtest.Beside(b, "spawned", sides[0], sides[1])
}
