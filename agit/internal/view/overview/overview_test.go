package overview_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// fixture is a repository in which ann and bob work, with a registry.
type fixture struct {
	*worktreetest.Fixture
	t     *testing.T
	store *overview.Store
	tasks *task.Store
}

func setUp(t *testing.T) *fixture {
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB, ReleaseAfter: 2 * time.Hour}
	f.Reopen(tasks)
	store := overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, StaleAfter: 5 * time.Minute, ReleaseAfter: 2 * time.Hour})
	return &fixture{f, t, store, tasks}
}

func (f *fixture) spawn(agent, task string) worktree.Worktree {
	return f.Spawn(spawn.Request{Repo: f.Repo.Name, Task: task, Agent: agent})
}

func (f *fixture) task(text string, on ...string) task.Task {
	f.t.Helper()
	made, err := f.tasks.Create(f.t.Context(), []task.New{{Repo: f.Repo.Name, Text: text, DependsOn: on}})
	worktreetest.Must(f.t, err)
	return made[0]
}

func TestState(t *testing.T) {
	f := setUp(t)
	first := f.task("Log in")
	f.task("Log out", first.ID)
	failed := f.task("Upload")
	_, err := f.tasks.Claim(t.Context(), failed.ID, "cyd")
	worktreetest.Must(t, err)
	_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "cyd"}, ID: failed.ID, Status: task.Failed, Result: "no such bucket\nat line 3"})
	worktreetest.Must(t, err)
	ann, bob := f.spawn("ann", first.ID), f.spawn("bob", "Single sign-on")
	f.Tree(ann).Commit("Log in", "login.go", "ann\n")
	f.Tree(bob).Write("login.go", "bob\n")

	s, err := f.store.State(t.Context(), "")
	worktreetest.Must(t, err)
	if s.Totals.Conflicts != nil || s.Worktrees[0].Changed != nil || s.Worktrees[0].State != "unknown" {
		t.Errorf("before a scan, conflicts are %v and a worktree is %q, want unknown", s.Totals.Conflicts, s.Worktrees[0].State)
	}
	s, err = f.store.Looked(t.Context(), "") // no one is watching
	worktreetest.Must(t, err)
	if len(s.Worktrees) != 2 || s.Worktrees[0].State != "conflicts with bob" || *s.Worktrees[1].Changed != 1 || *s.Worktrees[0].Changed != 0 {
		t.Errorf("worktrees are %+v", s.Worktrees)
	}
	if len(s.Conflicts) != 1 || s.Conflicts[0].File != "login.go" || s.Conflicts[0].Sides[1].Agent != "bob" {
		t.Errorf("conflicts are %+v", s.Conflicts)
	}
	var kinds []overview.Kind
	for _, n := range s.Needs {
		kinds = append(kinds, n.Kind)
	}
	if !slices.Equal(kinds, []overview.Kind{overview.NeedConflict, overview.NeedFailed}) {
		t.Fatalf("needs are %+v", s.Needs)
	}
	if n := s.Needs[0]; n.Who != "ann" || n.Reason != "login.go +1 with bob" && n.Reason != "login.go with bob" {
		t.Errorf("the conflict reads %q by %q", n.Reason, n.Who)
	}
	if n := s.Needs[1]; n.Reason != "no such bucket" || n.What != failed.ID || n.Who != "Upload" {
		t.Errorf("the failure reads %+v", n)
	}
	if c := s.Tasks.Counts; c[overview.TaskWaits] != 1 || c[overview.TaskFailed] != 1 || c[overview.TaskClaimed]+c[overview.TaskProgress] != 2 { // ann's, and the one made from bob's instructions
		t.Errorf("counts are %v", c)
	}
	if i := slices.IndexFunc(s.Tasks.List, func(t overview.Task) bool { return t.State == overview.TaskWaits }); !slices.Equal(s.Tasks.List[i].On, []string{first.ID}) {
		t.Errorf("the waiting task is %+v", s.Tasks.List[i])
	}
	if len(s.Agents) != 2 || s.Agents[0].State != "working" || s.Agents[0].TaskName != "Log in" {
		t.Errorf("agents are %+v", s.Agents)
	}
}

// The start of a conflict with the default branch is known only if it began while a screen was open.
func TestConflictSince(t *testing.T) {
	f := setUp(t)
	ann := f.spawn("ann", "Log in")
	f.Tree(ann).Commit("Log in", "login.go", "ann\n")
	f.Main.Commit("Main's", "login.go", "main\n")
	look := func() overview.State {
		t.Helper()
		s, err := f.store.Scanned(t.Context(), "")
		worktreetest.Must(t, err)
		return s
	}
	if s := look(); len(s.Conflicts) != 1 || s.Conflicts[0].Since != nil {
		t.Fatalf("conflicts that were there before anyone looked are %+v", s.Conflicts)
	}
	f.Tree(ann).Commit("Log out", "logout.go", "ann\n")
	f.Main.Commit("Main's", "logout.go", "main\n")
	s := look()
	if len(s.Conflicts) != 2 || s.Conflicts[0].Since != nil || s.Conflicts[1].Since == nil {
		t.Errorf("after another one they are %+v", s.Conflicts)
	}
}

// Unlisted tasks are counted, except canceled ones.
func TestUnlistedTasks(t *testing.T) {
	f := setUp(t)
	many := make([]task.New, 103)
	for i := range many {
		many[i] = task.New{Repo: f.Repo.Name, Text: "one of many"}
	}
	made, err := f.tasks.Create(t.Context(), many)
	worktreetest.Must(t, err)
	_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: made[0].ID, Status: task.Failed, Result: task.Canceled})
	worktreetest.Must(t, err)
	s, err := f.store.State(t.Context(), "")
	worktreetest.Must(t, err)
	if len(s.Tasks.List) != 100 || s.Tasks.Unlisted != 2 {
		t.Errorf("%d are listed, and %d not", len(s.Tasks.List), s.Tasks.Unlisted)
	}
}

// An agent's task belongs to its worktree: in another one the agent has none.
func TestTaskOfAnotherWorktree(t *testing.T) {
	f := setUp(t)
	one := f.task("Log in")
	w := f.spawn("ann", one.ID)
	f.Spawn(spawn.Request{Repo: f.Repo.Name, Branch: "try", Agent: "ann"})
	s, err := f.store.State(t.Context(), "")
	worktreetest.Must(t, err)
	if len(s.Agents) != 2 {
		t.Fatalf("agents are %+v", s.Agents)
	}
	for _, a := range s.Agents {
		if (a.Task == one.ID) != (a.Worktree == w.Ref) {
			t.Errorf("in %q ann has task %q", a.Worktree, a.Task)
		}
	}
	f.Exec(`UPDATE agents SET last_seen_at = '2001-01-01T00:00:00.000Z'`)
	s, err = f.store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	for _, a := range s.Agents {
		if (a.FreedAt != nil) != (a.Worktree == w.Ref) {
			t.Errorf("in %q ann's claim ends at %v", a.Worktree, a.FreedAt)
		}
	}
}

// An agent that is gone does not count as present.
func TestAgentTotals(t *testing.T) {
	f := setUp(t)
	f.spawn("ann", "Log in")
	f.spawn("ann", "Log out")
	f.spawn("bob", "Upload")
	f.Exec(`UPDATE agents SET last_seen_at = '2001-01-01T00:00:00.000Z' WHERE name = 'bob'`)
	s, err := f.store.State(t.Context(), "")
	worktreetest.Must(t, err)
	if len(s.Agents) != 3 || s.Totals.Agents != 1 || s.Totals.Gone != 1 {
		t.Errorf("of %+v, %+v are counted", s.Agents, s.Totals)
	}
}

// A waiting caller gets another process's commit and an agent's edit.
func TestSince(t *testing.T) {
	f := setUp(t)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.store.Run(ctx) }()
	defer func() {
		end()
		worktreetest.Must(t, <-done)
	}()
	first, err := f.store.Since(ctx, "", "")
	worktreetest.Must(t, err)
	if !first.All {
		t.Errorf("without a version the answer is %+v, want all", first)
	}
	if old, err := f.store.Since(ctx, "", "elsewhere.7"); err != nil || !old.All {
		t.Errorf("for another process's version the answer is %+v, %v, want all", old, err)
	}
	until := func(what string, good func(overview.State) bool) {
		t.Helper()
		v := first.Version
		for {
			s, err := f.store.State(ctx, "")
			worktreetest.Must(t, err)
			if good(s) {
				return
			}
			changed, err := f.store.Since(ctx, "", v)
			worktreetest.Must(t, err)
			if len(changed.Parts) == 0 {
				t.Fatalf("%s: woken by %+v", what, changed)
			}
			v = changed.Version
		}
	}
	f.task("Log in")
	until("a task", func(s overview.State) bool { return s.Tasks.Counts[overview.TaskReady] == 1 })
	w := f.spawn("ann", "Log in")
	until("a worktree", func(s overview.State) bool { return len(s.Worktrees) == 1 && s.Worktrees[0].State == "clean" })
	f.Tree(w).Write("new.go", "package new\n")
	until("an edit", func(s overview.State) bool { return s.Worktrees[0].State == "1 changed" })
	f.Tree(w).Commit("Add new.go", "new.go", "package new\n")
	until("a commit", func(s overview.State) bool { return s.Worktrees[0].State == "clean" && *s.Worktrees[0].Touched == 1 })
	away := w.Path + "-away"
	worktreetest.Must(t, os.Rename(w.Path, away))
	until("a folder that is gone", func(s overview.State) bool {
		return s.Worktrees[0].State == "folder is gone" && s.Worktrees[0].Missing && len(s.Needs) == 1 && s.Needs[0].Kind == overview.NeedFolder &&
			strings.Contains(s.Needs[0].Reason, "agit doctor") && s.Needs[0].TaskName == "Log in"
	})
	worktreetest.Must(t, os.Rename(away, w.Path))
	until("a folder that is back", func(s overview.State) bool { return s.Worktrees[0].State == "clean" && len(s.Needs) == 0 })
}

// Work lands on the configured default branch, and every view is of that one, whatever branch was registered.
func TestConfiguredDefaultBranch(t *testing.T) {
	f := setUp(t)
	ann := f.spawn("ann", "Log in")
	f.Tree(ann).Commit("ann's", "login.go", "ann\n")
	f.Main.Git("switch", "-q", "-c", "develop")
	f.Main.Commit("develop's", "login.go", "develop\n")
	tip := f.Main.Head()
	f.Main.Git("switch", "-q", "main")
	conflicts := &conflict.Store{DB: f.DB, CacheDir: t.TempDir(), Home: func(repo.Repo) (branch, remote string) { return "develop", "" }}
	store := overview.New(overview.Options{DB: f.DB, Conflicts: conflicts, StaleAfter: time.Minute})

	one, err := store.Status(t.Context(), "app", true)
	worktreetest.Must(t, err)
	all, err := store.Statuses(t.Context(), "", true)
	worktreetest.Must(t, err)
	for _, r := range append(all, one) {
		if r.DefaultBranch != "develop" || len(r.Conflicts.Conflicts) != 1 || r.Conflicts.Conflicts[0].DefaultBranch != "develop" {
			t.Errorf("%+v, conflicts %+v", r.Repo, r.Conflicts.Conflicts)
		}
	}
	s, err := store.Looked(t.Context(), "")
	worktreetest.Must(t, err)
	if r := s.Repos[0]; r.DefaultBranch != "develop" || r.Tip == "" || !strings.HasPrefix(tip, r.Tip) || len(s.Conflicts) != 1 {
		t.Errorf("%+v of %s, conflicts %+v", r, tip, s.Conflicts)
	}
}
