package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// A process notes that it is going to lock an index, locks it, and is killed, all after its row was read and before the process was looked
// for: the mender still knows of the lock.
func TestMendKnowsWhatWasNotedLast(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	type journal struct{ Locked string }
	f.Write(func(tx *registry.Tx) error { return worktree.SetIntent(tx, w, worktree.OpMerge, w.Status, journal{}) })
	left, err := f.Worktrees.Interrupted(t.Context(), w.RepoID)
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, interrupted are %+v", err, left)
	}
	f.Write(func(tx *registry.Tx) error { return worktree.WriteJournal(tx, w, journal{"index"}) })
	var mended journal
	f.Worktrees.OnInterrupted(worktree.OpMerge, func(ctx context.Context, _ *git.Repo, _ repo.Repo, w worktree.Worktree) error {
		if !w.Begun().Equal(left[0].Begun()) {
			t.Errorf("it began %s, not %s", left[0].Begun(), w.Begun())
		}
		if err := w.ReadJournal(&mended); err != nil {
			return err
		}
		return f.Worktrees.Settle(ctx, w, worktree.Active)
	})
	worktreetest.Must(t, f.Worktrees.Mend(t.Context(), f.Main.Repo(), f.Repo, left[0]))
	if mended.Locked != "index" {
		t.Errorf("it was mended by the journal %+v", mended)
	}
}

// A killed git left the lock of a branch. A mender is cut off before it is sure that no git holds the lock: the next one clears it all the
// same.
func TestMendAfterAMendingThatWasCutOff(t *testing.T) {
	if process.Mark() == process.Unmarked {
		t.Skip("this system tells of a process only when it was noted")
	}
	f := worktreetest.New(t)
	w := f.Worked("x")
	begun := time.Now().Add(-time.Hour)
	f.Write(func(tx *registry.Tx) error {
		return worktree.SetIntent(tx, w, worktree.OpMerge, w.Status, map[string]string{"before": "active", "target": "refs/heads/main"})
	})
	f.Exec(`UPDATE worktrees SET intent_at = ?`, registry.FormatTime(begun))
	lock := filepath.Join(f.Repo.CommonDir, "refs", "heads", "main.lock")
	worktreetest.Must(t, os.WriteFile(lock, nil, 0o644))
	worktreetest.Must(t, os.Chtimes(lock, begun.Add(time.Minute), begun.Add(time.Minute)))
	mend := func(ctx context.Context) error {
		left, err := f.Worktrees.Interrupted(t.Context(), w.RepoID)
		if err != nil || len(left) != 1 {
			t.Fatalf("%v, interrupted are %+v", err, left)
		}
		return f.Worktrees.Mend(ctx, f.Main.Repo(), f.Repo, left[0])
	}
	f.Worktrees.OnInterrupted(worktree.OpMerge, func(context.Context, *git.Repo, repo.Repo, worktree.Worktree) error { return errors.New("cut off") })
	if mend(t.Context()) == nil {
		t.Fatal("it was not cut off")
	}
	f.Reopen(nil)
	worktreetest.Must(t, mend(t.Context()))
	if _, err := os.Lstat(lock); err == nil {
		t.Error("the lock is left")
	}
	f.Sound()
}
