package unattended

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
)

// storeOf returns a Store on the registry of a fixture.
func storeOf(f *worktreetest.Fixture, tasks *task.Store) *Store {
	return &Store{DB: f.DB, Tasks: tasks, Trees: f.Worktrees, Presence: &presence.Store{DB: f.DB, StaleAfter: time.Hour}, Messages: &message.Store{DB: f.DB}, Home: f.T.TempDir(), KeepLogs: time.Hour, LogSize: 1 << 20,
		Assign: &assignment.Store{DB: f.DB, Trees: f.Worktrees, Spawns: f.Spawns, Removals: f.Removals, Tasks: tasks, Landings: f.Landings,
			Reviews: &review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: tasks, Landings: f.Landings}}}
}

// shell is a client that runs a line of shell.
func shell(name, script string) worker.Client {
	return worker.Client{Name: name, Command: []string{"/bin/sh", "-c", script}}
}

// When a gate waits for a person's trust, the task has not failed: its agent keeps it, the client is not run again, and the next start
// lands the work.
func TestGateWaitsForTrust(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	f.Set.Unjudged = config.Unjudged{Waiting: []string{"gate"}}
	_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "New"}})
	worktreetest.Must(t, err)
	s := storeOf(f, tasks)
	ran := filepath.Join(t.TempDir(), "ran")
	o := Options{Repo: f.Repo, Agents: []string{"ann"}, Clients: []worker.Client{shell("shell", `echo a > new.go; echo x >> "`+ran+`"`)},
		UntilEmpty: true, Attempts: 1, Land: worktree.LandGate, Pause: time.Nanosecond}
	for i, want := range []struct {
		tally  Tally
		status string
	}{{Tally{Stopped: 1}, task.InProgress}, {Tally{Stopped: 1}, task.InProgress}, {Tally{Landed: 1}, task.Completed}} {
		if i == 2 {
			f.Set.Unjudged = config.Unjudged{}
		}
		tally, err := s.Crew(o, make(chan struct{}), func(Event) {}).Run(t.Context())
		if (err == nil) != (i == 2) || i < 2 && !strings.Contains(err.Error(), "no person has trusted") {
			t.Errorf("start %d: %v", i, err)
		}
		d, err := tasks.Get(t.Context(), "T-1")
		worktreetest.Must(t, err)
		if diff := cmp.Diff(want.tally, tally); diff != "" || d.Status != want.status {
			t.Errorf("start %d: the task is %s: %s", i, d.Status, diff)
		}
	}
	if out, err := os.ReadFile(ran); err != nil || string(out) != "x\n" {
		t.Errorf("the client ran %q: %v", out, err)
	}
}
