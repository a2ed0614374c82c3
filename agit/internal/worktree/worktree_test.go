package worktree_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A row and a statement agree on which worktrees exist.
func TestLive(t *testing.T) {
	t.Parallel()
	want := map[worktree.Status]bool{worktree.Creating: true, worktree.Active: true, worktree.Stale: true, worktree.Conflict: true,
		worktree.Removing: true, worktree.Completed: false, worktree.Trashed: false}
	err := registrytest.Open(t).Read(t.Context(), func(tx *registry.Tx) error {
		for status, live := range want {
			selected, err := registry.One[bool](tx.QueryRow(`SELECT w.`+repo.LiveWorktree+` FROM (SELECT CAST(? AS TEXT) AS status) w`, status))
			if err != nil {
				return err
			}
			if status.Live() != live || selected != live {
				t.Errorf("%s: %t, selected %t, want %t", status, status.Live(), selected, live)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
