package unattended

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// TestTakenMeanwhile: when a worktree lands during a run, or just before it, agit moves and deletes its branch, not the run.
func TestTakenMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	began := time.Now().UTC().Truncate(time.Millisecond)
	put := func(branch, status string, finished any) {
		r.write(func(tx *registry.Tx) error {
			_, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, path, branch, status, finished_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				registry.NewUID(), "w-"+branch, r.repo.ID, "/"+branch, branch, status, finished, tx.Stamp(), tx.Stamp())
			return err
		})
	}
	put("just-before", "completed", registry.FormatTime(began.Add(-time.Second)))
	put("landed", "completed", registry.FormatTime(began.Add(time.Second)))
	put("thrown-away", "trashed", registry.FormatTime(began))
	put("landing", "removing", nil)
	put("at-work", "active", nil)
	turn := &on{member: &member{Store: r.Store}, w: worktree.Worktree{RepoID: r.repo.ID}}
	got, err := turn.taken(t.Context())
	slices.Sort(got)
	if want := []string{"just-before", "landed", "landing", "thrown-away"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// TestExcused: another agent may change a worktree only while it works there.
func TestExcused(t *testing.T) {
	t.Parallel()
	got := excused([]neighbour{{"/ben", "ben", true}, {"/cyd", "cyd", false}}, []string{"landed"})
	if want := map[string]bool{"/ben": true, "ben": true, "landed": true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
