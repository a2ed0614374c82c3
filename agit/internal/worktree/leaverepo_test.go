package worktree_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// The rows of a repository that is removed end, and those of others stay.
func TestLeaveRepo(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	other := worktreetest.AddRepo(t, f.DB, gittest.New(t), "other")
	leave := func(of int64) (status string, done bool) {
		f.Write(func(tx *registry.Tx) error {
			r := f.Repo
			r.ID = of
			if err := worktree.LeaveRepo(tx, r); err != nil {
				return err
			}
			return tx.QueryRow(`SELECT status, finished_at IS NOT NULL FROM worktrees WHERE id = ?`, w.ID).Scan(&status, &done)
		})
		return status, done
	}
	if status, done := leave(other.ID); status != "active" || done {
		t.Errorf("another repository was removed: %s, %t", status, done)
	}
	if status, done := leave(f.Repo.ID); status != "completed" || !done {
		t.Errorf("its repository was removed: %s, %t", status, done)
	}
}
