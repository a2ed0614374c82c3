package assignment

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// An agent that begins twice at once keeps its task: the call that comes too late to make the worktree does not return the task that the
// other call works on.
func TestBeginTwiceAtOnce(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	s := &Store{DB: f.DB, Trees: f.Worktrees, Spawns: f.Spawns, Removals: f.Removals, Tasks: tasks, Landings: f.Landings}
	if _, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "Log in", ID: "T-1"}}); err != nil {
		t.Fatal(err)
	}
	q := BeginRequest{Repo: "app", Agent: "ann"}
	var late takeUp
	f.Write(func(tx *registry.Tx) (err error) {
		late, err = s.take(tx, q)
		return err
	})
	if !late.New {
		t.Fatalf("taken: %+v", late)
	}
	met := false
	f.At("spawn:planned", func() {
		met = true
		if _, err := s.place(t.Context(), late, standing{}); !fault.Is(err, fault.KindConflict) {
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
