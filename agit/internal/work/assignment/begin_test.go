package assignment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// newBegin returns a repository and the store that begins tasks in it.
func newBegin(t *testing.T) (*worktreetest.Fixture, *Store) {
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	return f, &Store{DB: f.DB, Trees: f.Worktrees, Spawns: f.Spawns, Removals: f.Removals, Tasks: tasks, Landings: f.Landings}
}

// An agent that begins twice at once keeps its task: the call that comes too late to make the worktree does not return the task that the
// other call works on.
func TestBeginTwiceAtOnce(t *testing.T) {
	t.Parallel()
	f, s := newBegin(t)
	tasks := s.Tasks
	if _, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}}); err != nil {
		t.Fatal(err)
	}
	q := BeginRequest{Repo: "app", Agent: "ann"}
	var late takeUp
	f.Write(func(tx *registry.Tx) (err error) {
		if late, err = s.take(tx, q); err == nil {
			err = s.look(tx, &late)
		}
		return err
	})
	if !late.New {
		t.Fatalf("taken: %+v", late)
	}
	met := false
	f.At("spawn:planned", func() {
		met = true
		if _, err := s.place(t.Context(), &late, standing{}); !fault.Is(err, fault.KindConflict) {
			t.Errorf("the worktree is made twice: %v", err)
		}
		if err := s.giveUp(t.Context(), late); err != nil {
			t.Error(err)
		}
		if is, err := tasks.Get(t.Context(), "T-1"); err != nil || is.Agent != "ann" {
			t.Errorf("the task is free for another agent: %+v, %v", is.Task, err)
		}
	})
	b, err := s.Begin(t.Context(), q)
	if err != nil || !met {
		t.Fatalf("the other call: %v", err)
	}
	if b.Task == nil || b.Task.ID != "T-1" || b.Task.Agent != "ann" {
		t.Errorf("the other call began %+v", b.Task)
	}
	if err := s.giveUp(t.Context(), late); err != nil {
		t.Error(err)
	}
	if is, err := tasks.Get(t.Context(), "T-1"); err != nil || is.Agent != "ann" {
		t.Errorf("the task is free although its worktree is made: %+v, %v", is.Task, err)
	}
	// When no call makes a worktree, the task goes back.
	if _, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log out", ID: "T-2"}}); err != nil {
		t.Fatal(err)
	}
	f.FailAt("spawn:planned")
	if _, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "bob"}); err == nil {
		t.Fatal("a worktree that cannot be made is begun in")
	}
	got, err := tasks.Get(t.Context(), "T-2")
	if err != nil || got.Status != task.Pending || got.Agent != "" {
		t.Errorf("T-2 is %+v, %v", got, err)
	}
}

// The worktree of a task that was given back is for the agent that takes the task up next.
func TestBeginTakesOverTheWorktree(t *testing.T) {
	t.Parallel()
	f, s := newBegin(t)
	tasks := s.Tasks
	_, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}})
	worktreetest.Must(t, err)
	first, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "ann"})
	worktreetest.Must(t, err)
	_, err = tasks.Report(t.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Agent: "ann"}})
	worktreetest.Must(t, err)
	second, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "bob"})
	worktreetest.Must(t, err)
	if second.Worktree.Path != first.Worktree.Path || second.Worktree.Found != "it was made before and has no commit yet; ann worked in it" {
		t.Errorf("bob begins in %+v", second.Worktree)
	}
	if rows := f.Rows(); len(rows) != 1 || rows[0].Agent != "bob" {
		t.Errorf("the worktrees are %+v", rows)
	}
}

// A task whose worktree was moved is begun where that is now. Where its folder cannot be found, the task goes back into the queue.
func TestBeginInWhatMoved(t *testing.T) {
	t.Parallel()
	f, s := newBegin(t)
	if _, err := s.Tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}}); err != nil {
		t.Fatal(err)
	}
	begin := func() (brief.Brief, error) {
		return s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: "ann"})
	}
	giveBack := func() {
		t.Helper()
		_, err := s.Tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.Pending, Why: "later"})
		worktreetest.Must(t, err)
	}
	b, err := begin()
	worktreetest.Must(t, err)
	giveBack()
	moved := filepath.Join(filepath.Dir(f.Main.Dir), "moved")
	worktreetest.Must(t, os.Rename(b.Worktree.Path, moved))
	if b, err = begin(); err != nil || b.Worktree.Path != moved || f.Main.At(moved).Git("status", "--porcelain") != "" {
		t.Fatalf("%+v %v", b.Worktree, err)
	}
	giveBack()
	away := filepath.Join(gittest.TempDir(t), "away")
	worktreetest.Must(t, os.Rename(moved, away))
	f.Exec(`UPDATE worktrees SET path = ?`, filepath.Join(t.TempDir(), "unmounted", "moved"))
	if _, err = begin(); !fault.Is(err, fault.KindConflict) {
		t.Errorf("begun without its folder: %v", err)
	}
	if is, err := s.Tasks.Get(t.Context(), "T-1"); err != nil || is.Status != task.Pending || is.Agent != "" {
		t.Errorf("the refused call keeps the task: %+v %v", is.Task, err)
	}
}

// A call that names no worktree means the one that it stands in, and elsewhere the one that its agent works in.
func TestMeantWorktree(t *testing.T) {
	t.Parallel()
	f, s := newBegin(t)
	tasks := s.Tasks
	trees := map[string]*brief.Worktree{}
	for _, name := range []string{"ann", "bob"} {
		if _, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Task of " + name, ID: "T-" + name}}); err != nil {
			t.Fatal(err)
		}
		b, err := s.Begin(t.Context(), BeginRequest{Repo: "app", Agent: name, Task: "T-" + name})
		if err != nil {
			t.Fatal(err)
		}
		trees[name] = b.Worktree
	}
	foreign := filepath.Join(t.TempDir(), "foreign")
	f.Main.Git("worktree", "add", "--detach", foreign)
	for _, c := range []struct {
		what, dir, agent, want string
		here, row, refused     bool
	}{
		{what: "in the worktree of another agent", dir: trees["ann"].Path, agent: "bob", here: true, want: trees["ann"].ID, row: true},
		{what: "there, where it is not asked", dir: trees["ann"].Path, agent: "bob", want: trees["bob"].ID, row: true},
		{what: "in a worktree, without an agent", dir: trees["ann"].Path, here: true, want: trees["ann"].ID, row: true},
		{what: "in a worktree that others made", dir: foreign, agent: "bob", here: true, want: foreign},
		{what: "in the main checkout", dir: f.Main.Dir, agent: "bob", here: true, want: trees["bob"].ID, row: true},
		{what: "in the main checkout, without an agent", dir: f.Main.Dir, here: true, refused: true},
		{what: "outside", dir: t.TempDir(), agent: "ann", here: true, want: trees["ann"].ID, row: true},
	} {
		f.Worktrees.Options.Dir = c.dir
		err := f.DB.Read(t.Context(), func(tx *registry.Tx) error {
			name, row, err := (&finish{Store: s, q: FinishRequest{Caller: task.Caller{Agent: c.agent}, Here: c.here}}).meant(tx)
			if err == nil && (name != c.want || row != c.row) {
				t.Errorf("%s: %q with a row %t, not %q", c.what, name, row, c.want)
			}
			return err
		})
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// The brief of a task that goes on after its work landed names that.
func TestBeginAfterALanding(t *testing.T) {
	t.Parallel()
	f, s := newBegin(t)
	_, err := s.Tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}})
	worktreetest.Must(t, err)
	q := BeginRequest{Repo: "app", Agent: "ann"}
	b, err := s.Begin(t.Context(), q)
	worktreetest.Must(t, err)
	tree := f.Main.At(b.Worktree.Path)
	shown := tree.Commit("Log in", "login.go", "package login\n")
	tree.Write("later.go", "package login\n")
	out, err := s.Landings.Land(t.Context(), land.Request{Worktree: b.Worktree.ID, Tip: shown, Shown: true})
	if err != nil || out.Removed {
		t.Fatalf("%+v, %v", out, err)
	}
	want := "its work landed on main as " + out.Commit[:12] + "; it holds 1 uncommitted file: later.go"
	if b, err = s.Begin(t.Context(), q); err != nil || b.Worktree.Found != want {
		t.Errorf("%q, %v", b.Worktree.Found, err)
	}
}
