package assignment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// newStore returns a store with a task that ann has begun.
func newStore(t *testing.T) (*worktreetest.Fixture, *Store, *brief.Worktree) {
	t.Helper()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	s := &Store{DB: f.DB, Trees: f.Worktrees, Spawns: f.Spawns, Removals: f.Removals, Tasks: tasks, Landings: f.Landings,
		Reviews: &review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: tasks, Landings: f.Landings}}
	if _, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}}); err != nil {
		t.Fatal(err)
	}
	b, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	return f, s, b.Worktree
}

// Only a report by the task's holder that it is in progress, while it is, changes nothing.
func TestHolding(t *testing.T) {
	t.Parallel()
	f, s, tree := newStore(t)
	begun := func(worktree string, c task.Caller) (yes bool) {
		t.Helper()
		err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
			h, err := task.HoldingIn(tx, worktree, c.Agent)
			yes = h.Begun(c)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return yes
	}
	f.Exec(`INSERT INTO agents (uid, name, name_key, type, host, registered_at, last_seen_at) VALUES ('a-2', 'bob', 'bob', 'custom', ?, ?, ?)`, registry.Host(), worktreetest.Stamp(0), worktreetest.Stamp(0))
	for _, c := range []struct {
		what, worktree string
		caller         task.Caller
		want           bool
	}{
		{"its holder", tree.ID, task.Caller{Agent: "ann"}, true},
		{"its holder, by an old token", tree.ID, task.Caller{Agent: "ann", Token: 7}, false},
		{"its holder, as seen", tree.ID, task.Caller{Agent: "ann", Seen: task.Seen{Holder: "bob"}}, false},
		{"another agent", tree.ID, task.Caller{Agent: "bob"}, false},
		{"an unknown agent", tree.ID, task.Caller{Agent: "cat"}, false},
		{"an unknown id", tree.ID, task.Caller{Agent: "a-0000000000"}, false},
		{"nobody", tree.ID, task.Caller{}, false},
		{"another worktree", "w-0000000000", task.Caller{Agent: "ann"}, false},
	} {
		if got := begun(c.worktree, c.caller); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
	f.Exec(`UPDATE items SET holds = 1`)
	if begun(tree.ID, task.Caller{Agent: "ann"}) {
		t.Error("what may be blocked counts as begun")
	}
	f.Exec(`UPDATE items SET holds = 0`)
	f.Exec(`UPDATE leases SET agent_id = NULL`)
	if begun(tree.ID, task.Caller{Agent: "ann"}) {
		t.Error("what nobody holds counts as begun")
	}
}

// A finish is a sign of life of its agent, also one that is refused; and work that is shown is idle then.
func TestFinishIsASignOfLife(t *testing.T) {
	t.Parallel()
	f, s, tree := newStore(t)
	seen := func() (status, at string) {
		t.Helper()
		f.Write(func(tx *registry.Tx) error {
			return tx.QueryRow(`SELECT status, last_seen_at FROM agents WHERE name = 'ann'`).Scan(&status, &at)
		})
		return status, at
	}
	old := worktreetest.Stamp(-60 * 60 * 1e9)
	q := FinishRequest{Caller: task.Caller{Agent: "ann"}, Commit: true}
	for _, c := range []struct {
		what, status, land string
		writes             string
		state              State
	}{
		{"nothing done", "active", "", "", ""},
		{"kept", "idle", worktree.LandNever, "kept.txt", Kept},
		{"shown", "idle", "", "new.txt", InReview},
		{"shown again", "idle", "", "", InReview},
	} {
		if q.Land = c.land; c.writes != "" {
			worktreetest.Must(t, os.WriteFile(filepath.Join(tree.Path, c.writes), []byte("work"), 0o644))
		}
		f.Exec(`UPDATE agents SET status = 'disconnected', last_seen_at = ?`, old)
		out, err := s.Finish(t.Context(), q)
		if (err != nil) != (c.state == "") || err != nil && !fault.Is(err, fault.KindConflict) {
			t.Fatalf("%s: %+v, %v", c.what, out, err)
		}
		if status, at := seen(); at == old || status != c.status && c.what != "shown again" {
			t.Errorf("%s: %s since %s", c.what, status, at)
		}
		if err == nil && (out.State != c.state || out.Commit == "" || out.Task.Status != task.InProgress) {
			t.Errorf("%s: %+v", c.what, out)
		}
	}
}

// A refused finish leaves a task in the queue that another agent gave back.
func TestRefusedFinishOfWhatWasGivenBack(t *testing.T) {
	t.Parallel()
	f, s, tree := newStore(t)
	worktreetest.Must(t, os.WriteFile(filepath.Join(tree.Path, "new.txt"), []byte("work"), 0o644))
	_, err := s.Finish(t.Context(), FinishRequest{Caller: task.Caller{Agent: "ann"}, Outcome: Released, Summary: "later"})
	worktreetest.Must(t, err)
	q := FinishRequest{Caller: task.Caller{Agent: "bob"}, Worktree: tree.ID}
	for _, c := range []struct {
		commit         bool
		status, holder string
	}{{false, task.Pending, ""}, {true, task.InProgress, "bob"}} {
		q.Commit = c.commit
		_, err = s.Finish(t.Context(), q)
		if is, getErr := s.Tasks.Get(t.Context(), f.Rows()[0].TaskID); getErr != nil || (err == nil) != c.commit || is.Status != c.status || is.Agent != c.holder {
			t.Errorf("commit %t: %v, task %+v %v", c.commit, err, is.Task, getErr)
		}
	}
}

// An agent that goes on in a worktree which is off its branch is told first how it gets back: what it commits there would not land.
func TestBeginOffTheBranch(t *testing.T) {
	t.Parallel()
	f, s, tree := newStore(t)
	at := f.Main.At(tree.Path)
	at.Commit("Log in", "a.txt", "a\n")
	for _, c := range []struct {
		git  []string
		want string
	}{
		{[]string{"switch", "-q", "--detach"}, "checked out, not its branch " + tree.Branch},
		{[]string{"branch", "-q", "-D", tree.Branch}, "does not exist; `git switch -c " + tree.Branch + "`"},
		{[]string{"switch", "-q", "-c", "other"}, "does not exist; branch other is checked out"},
		{[]string{"branch", tree.Branch}, "has branch other checked out, not its own, " + tree.Branch},
	} {
		at.Git(c.git...)
		b, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Worktree.Found; !strings.HasPrefix(got, "first of all: ") || !strings.Contains(got, c.want) {
			t.Errorf("after git %v: %s", c.git, got)
		}
	}
}

// A finish that commits nothing names no commit as its own.
func TestCommittedIsOfThisCall(t *testing.T) {
	t.Parallel()
	f, s, tree := newStore(t)
	at := f.Main.At(tree.Path)
	at.Commit("Log in", "a.txt", "a\n")
	at.Write("staged.txt", "s\n")
	at.Git("add", "staged.txt")
	at.Remove("staged.txt")
	out, err := s.Finish(t.Context(), FinishRequest{Caller: task.Caller{Agent: "ann"}, Commit: true})
	if err != nil || out.Committed != "" || out.State != InReview || out.Commit != at.Head() {
		t.Errorf("%+v, %v", out, err)
	}
}
