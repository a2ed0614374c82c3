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

// Branches that agit moved, commits of the run and commits of a remote are told apart from what the run did elsewhere.
func TestWhoMovedABranch(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	first := main.Commit("one", "a.txt", "1\n")
	g := main.Repo()
	main.Git("switch", "-qc", "own")
	second := main.Commit("two", "a.txt", "2\n")
	third := main.Commit("three", "a.txt", "3\n")
	main.Git("switch", "-q", "main")
	move := func(why, to string) { main.Git("update-ref", "--create-reflog", "-m", why, "refs/heads/main", to) }
	other := main.Commit("beside", "b.txt", "b\n")
	move("agit merge w-1: own", second)
	for _, c := range []struct {
		from string
		want bool
	}{{second, true}, {other, true}, {first, false}, {third, false}} {
		if got := movedByAgit(t.Context(), g, "main", c.from); got != c.want {
			t.Errorf("from %s: %v", c.from, got)
		}
	}
	move("agit update of main", third)
	move("reset", first)
	if movedByAgit(t.Context(), g, "main", third) {
		// the newest entry leads to first, and was not agit's
		t.Error("a reset counts as a landing")
	}
	if !movedByAgit(t.Context(), g, "main", first) {
		t.Error("not moved, and moved by another")
	}
	if movedByAgit(t.Context(), g, "nowhere", first) {
		t.Error("a branch that does not exist was moved by agit")
	}
	for name, c := range map[string]struct {
		head, tip string
		want      []string
	}{
		"none": {third, third, nil}, "no head": {"", third, nil}, "no tip": {third, "", nil}, "two": {first, third, []string{third, second}}, "unreadable": {first, "nonsense", nil},
	} {
		if got := ownCommits(t.Context(), g, c.head, c.tip); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, c := range map[string]struct {
		own    []string
		commit string
		want   bool
	}{
		"none": {nil, third, false}, "the last": {[]string{third, second}, third, true}, "the first": {[]string{third, second}, second, true},
		"before": {[]string{third, second}, first, false}, "a later one": {[]string{third}, second, false},
	} {
		if got := hasAny(t.Context(), g, c.own, c.commit); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	main.Git("update-ref", "refs/remotes/origin/main", second)
	for commit, want := range map[string]bool{first: true, second: true, third: false, "nonsense": false} {
		if got := atRemote(t.Context(), g, commit); got != want {
			t.Errorf("%s at the remote: %v", commit, got)
		}
	}
}

// A neighbour is another worktree of the repository on this machine; someone works there while an attempt runs in it, or its agent was seen.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	began := time.Now().UTC().Truncate(time.Millisecond)
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(began.Add(-time.Second)))
		return err
	})
	ids := map[string]int64{}
	put := func(name string, agent any) {
		r.write(func(tx *registry.Tx) (err error) {
			ids[name], err = registry.One[int64](tx.QueryRow(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, path, branch, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?) RETURNING id`,
				registry.NewUID(), "w-"+name, r.repo.ID, agent, "/"+name, name, tx.Stamp(), tx.Stamp()))
			return err
		})
	}
	for _, name := range []string{"own", "idle", "runs", "ended", "long-ago"} {
		put(name, r.ann.ID)
	}
	run := func(name string, ended any) {
		r.set(r.begin(Begun), `worktree_id = ?, ended_at = ?`, ids[name], ended)
	}
	run("runs", nil)
	run("ended", registry.FormatTime(began))
	run("long-ago", registry.FormatTime(began.Add(-time.Second)))
	turn := &on{member: &member{Store: r.Store}, w: worktree.Worktree{ID: ids["own"], RepoID: r.repo.ID}}
	list := func() (all []string) {
		found, err := turn.neighbours(t.Context(), registry.FormatTime(began))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range found {
			name := n.path + " " + n.branch
			if n.atWork {
				name += " at work"
			}
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	if got, want := list(), []string{"/ended ended at work", "/idle idle", "/long-ago long-ago", "/runs runs at work"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(began))
		return err
	})
	if got := list(); got[1] != "/idle idle at work" {
		t.Errorf("%q", got)
	}
}

// Branches that agit moved, and those that were brought up to a remote, are not the run's; another one may be.
func TestMovedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	main := gittest.New(t)
	head := main.Commit("one", "a.txt", "1\n")
	for _, branch := range []string{"landed", "pulled", "theirs", "own"} {
		main.Git("branch", branch)
	}
	turn := &on{member: &member{Store: r.Store}, w: worktree.Worktree{RepoID: r.repo.ID, Branch: "own", Path: main.Dir}}
	before, err := turn.lookBefore(t.Context(), main.Repo())
	if err != nil {
		t.Fatal(err)
	}
	move := func(branch, why string) (to string) {
		to = main.Git("commit-tree", "-p", head, "-m", branch, "HEAD^{tree}")
		main.Git("update-ref", "-m", why, "refs/heads/"+branch, to)
		return to
	}
	move("landed", "agit merge w-1: landed")
	main.Git("update-ref", "refs/remotes/origin/pulled", move("pulled", "pull"))
	move("theirs", "commit")
	found, err := turn.trespass(t.Context(), main.Repo(), before, registry.FormatTime(time.Now()), head, head)
	if told := found.Told(); err != nil || !strings.Contains(told, "theirs") || strings.Contains(told, "landed") || strings.Contains(told, "pulled") {
		t.Errorf("%+v, %v", found, err)
	}
}
