package unattended

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git/gittest"
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
	put("cut-off", "creating", nil)
	put("merging", "active", nil)
	put("at-work", "active", nil)
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE worktrees SET intent = 'merge', intent_at = ? WHERE branch = 'merging'`, tx.Stamp())
		return err
	})
	turn := &on{member: &member{Store: r.Store}, w: worktree.Worktree{RepoID: r.repo.ID}}
	got, err := turn.taken(t.Context())
	slices.Sort(got)
	if want := []string{"cut-off", "just-before", "landed", "landing", "merging", "thrown-away"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// TestUndoneMeanwhile: agit undoes a worktree whose beginning was cut off, its row too. Its branch is not one that the run deleted.
func TestUndoneMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	main := gittest.New(t)
	head := main.Commit("one", "a.txt", "1\n")
	for _, branch := range []string{"undone", "theirs", "own"} {
		main.Git("branch", branch)
	}
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, path, branch, status, created_at, updated_at) VALUES ('u', 'w-undone', ?, '/undone', 'undone', 'creating', ?, ?)`,
			r.repo.ID, tx.Stamp(), tx.Stamp())
		return err
	})
	turn := &on{member: &member{Store: r.Store}, w: worktree.Worktree{RepoID: r.repo.ID, Branch: "own", Path: main.Dir}}
	before, err := turn.lookBefore(t.Context(), main.Repo())
	if err != nil {
		t.Fatal(err)
	}
	main.Git("branch", "-D", "undone", "theirs")
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`DELETE FROM worktrees WHERE ref = 'w-undone'`)
		return err
	})
	found, err := turn.trespass(t.Context(), main.Repo(), before, registry.FormatTime(time.Now()), head, head)
	if err != nil || len(found.Sure) > 0 || len(found.Perhaps) != 1 || !strings.Contains(found.Perhaps[0], "branch theirs was deleted") {
		t.Errorf("%+v, %v", found, err)
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
