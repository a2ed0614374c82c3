package unattended

import (
	"context"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// gone makes an attempt one of a process that has ended.
func (r *rows) gone(a Attempt) {
	r.Helper()
	r.set(a, `pid = 1, mark = 'before'`)
}

// place puts attempts into a worktree.
func (r *rows) place(ref string, attempts ...Attempt) (id int64) {
	r.Helper()
	r.write(func(tx *registry.Tx) (err error) {
		id, err = registry.One[int64](tx.QueryRow(`INSERT INTO worktrees (uid, ref, repo_id, path, branch, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 'active', ?, ?) RETURNING id`,
			registry.NewUID(), ref, r.repo.ID, "/"+ref, ref, tx.Stamp(), tx.Stamp()))
		return err
	})
	for _, a := range attempts {
		r.set(a, `worktree_id = ?`, id)
	}
	return id
}

// The newest attempt that runs is the one at work, by its agent or by its worktree.
func TestAtWork(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	at := func(agentName, tree string) string {
		t.Helper()
		a, found, err := r.AtWork(t.Context(), agentName, tree)
		if err != nil || found != (a.ID != 0) {
			t.Errorf("%+v %v %v", a, found, err)
		}
		return a.Run
	}
	if got := at("ann", ""); got != "" {
		t.Error(got)
	}
	first, second, third, last := r.begin(Begun), r.begin(Again), r.begin(Again), r.begin(Again)
	r.place("w-1", first)
	r.place("w-2", second)
	r.gone(third)
	r.set(last, `state = 'failed', ended_at = ?`, registry.FormatTime(time.Now()))
	for _, c := range []struct{ agent, tree, want string }{{"ANN", "", second.Run}, {"", "w-1", first.Run}, {"bob", "w-2", second.Run}, {"bob", "", ""}, {"", "w-3", ""}} {
		if got := at(c.agent, c.tree); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Who follows an agent sees its runs one after the other, until its worker has ended.
func TestFollowing(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	follow := func(ctx context.Context, a Attempt) (string, string, bool) {
		t.Helper()
		ended, next, found, err := r.Following(ctx, a)
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		return string(ended.State) + " " + ended.Why, next.Run, found
	}
	a := r.begin(Begun)
	r.set(a, `state = 'failed', why = 'red', ended_at = ?`, registry.FormatTime(time.Now()))
	b := r.begin(Again)
	if state, next, found := follow(t.Context(), a); state != "failed red" || next != b.Run || !found {
		t.Errorf("%q, %q, %v", state, next, found)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, next, found := follow(over, b); next != "" || found {
		t.Errorf("no one waits, and %q follows", next)
	}
	waits, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if state, next, found := follow(waits, b); next != "" || found || state != " " && state != "running " {
		t.Errorf("it runs, and %q follows it: %q", next, state)
	}
	r.gone(b)
	b = r.history()[1]
	if state, next, found := follow(t.Context(), b); state != "running " || next != "" || found {
		t.Errorf("its worker has ended: %q, %q, %v", state, next, found)
	}
	c := r.begin(Again)
	b.host = "another"
	if state, next, found := follow(t.Context(), b); state != "running " || next != c.Run || !found {
		t.Errorf("on another host: %q, %q, %v", state, next, found)
	}
}

// The last session of a worktree is that of the newest attempt that had one.
func TestLastSession(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	first, second, third, elsewhere := r.begin(Begun), r.begin(Again), r.begin(Again), r.begin(Again)
	w := worktree.Worktree{ID: r.place("w-1", first, second, third)}
	r.set(elsewhere, `session = 's-9'`)
	check := func(session string, running bool) {
		t.Helper()
		last, runs, err := r.LastSession(t.Context(), w)
		if err != nil || last.Session != session || runs != running || (last.ID != 0) != (session != "") {
			t.Errorf("%+v, %v, %v", last, runs, err)
		}
	}
	check("", true)
	r.set(first, `session = 's-1', state = 'failed'`)
	r.set(second, `session = 's-2'`)
	check("s-2", true)
	r.set(second, `state = 'stopped'`)
	check("s-2", true) // the third runs
	r.gone(third)
	check("s-2", false)
}
