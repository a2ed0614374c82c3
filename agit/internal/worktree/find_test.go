package worktree_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
)

// An agent whose worktrees are all done with names the one that landed last, else the one that was removed last. One with a folder goes
// before these, and what is to be restored is not guessed.
func TestNamedByAnAgentThatIsDone(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	var refs []string
	for _, branch := range []string{"one", "two", "three", "four"} {
		refs = append(refs, f.Spawn(spawn.Request{Branch: branch, Agent: "ann"}).Ref)
	}
	set := func(i int, status worktree.Status, ago string) {
		f.Exec(`UPDATE worktrees SET status = ?, finished_at = ? WHERE ref = ?`, status, ago, refs[i])
	}
	find := func(trash bool) string {
		var w worktree.Worktree
		err := f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			_, w, err = f.Worktrees.Find(tx, "", "Ann", trash)
			return err
		})
		if err != nil {
			return "ambiguous"
		}
		return w.Branch
	}
	set(0, worktree.Completed, "2026-01-03T00:00:00.000Z")
	set(1, worktree.Completed, "2026-01-02T00:00:00.000Z")
	set(2, worktree.Trashed, "2026-01-04T00:00:00.000Z")
	if got := find(false); got != "four" {
		t.Errorf("with one that has a folder: %s", got)
	}
	set(3, worktree.Trashed, "2026-01-05T00:00:00.000Z")
	if got := find(false); got != "one" {
		t.Errorf("when two had landed: %s", got)
	}
	if got := find(true); got != "ambiguous" {
		t.Errorf("to be restored: %s", got)
	}
	set(0, worktree.Trashed, "2026-01-03T00:00:00.000Z")
	set(1, worktree.Trashed, "2026-01-02T00:00:00.000Z")
	if got := find(false); got != "four" {
		t.Errorf("when all were removed: %s", got)
	}
}
