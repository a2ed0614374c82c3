package unattended

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	"github.com/agit-suite/agit/shared/registry"
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

// The work that a run left decides what follows: work lands, or is handed back once, or the attempt counts as failed. The client is a line
// of shell.
func TestCrew(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		change   func(*Options)
		gate     []string
		tally    Tally
		status   string  // of the task
		attempts []State // of the task
		events   []string
	}{
		"it commits": {
			script: `echo a > new.go && git add new.go && git commit -q -m New`,
			tally:  Tally{Landed: 1}, status: task.Completed, attempts: []State{Done}, events: []string{EventBegun, EventLanded},
		},
		"it leaves files, which are committed": {
			script: `echo a > new.go`,
			tally:  Tally{Landed: 1}, status: task.Completed, attempts: []State{Done}, events: []string{EventBegun, EventLanded},
		},
		"it leaves files, which is a failure": {
			script: `echo a > new.go`, change: func(o *Options) { o.Leave = true },
			tally: Tally{Failed: 1}, status: task.Failed, attempts: []State{Failed}, events: []string{EventBegun, EventFailed},
		},
		"for review": {
			script: `echo a > new.go`, change: func(o *Options) { o.Land = worktree.LandReview },
			tally: Tally{InReview: 1}, status: task.InProgress, attempts: []State{Done}, events: []string{EventBegun, EventReview},
		},
		"it is kept": {
			script: `echo a > new.go`, change: func(o *Options) { o.Land = worktree.LandNever },
			tally: Tally{Kept: 1}, status: task.InProgress, attempts: []State{Done}, events: []string{EventBegun, EventKept},
		},
		"it does nothing": {
			script: `true`,
			tally:  Tally{Failed: 1}, status: task.Failed, attempts: []State{Failed}, events: []string{EventBegun, EventFailed},
		},
		"it does nothing, and there is another attempt": {
			script: `true`, change: func(o *Options) { o.Attempts = 2 },
			tally: Tally{Released: 1}, status: task.Pending, attempts: []State{Failed}, events: []string{EventBegun, EventReleased},
		},
		"it ends with an error": {
			script: `echo a > new.go; exit 3`,
			tally:  Tally{Failed: 1}, status: task.Failed, attempts: []State{Failed}, events: []string{EventBegun, EventFailed},
		},
		"the gate is red, and green when it was handed back": {
			script: `if test -e new.go; then echo t > new_test.go; else echo a > new.go; fi`, gate: []string{`test -e new_test.go`},
			tally: Tally{Landed: 1}, status: task.Completed, attempts: []State{Returned, Done}, events: []string{EventBegun, EventReturned, EventLanded},
		},
		"the gate stays red": {
			script: `date +%N >> new.go`, gate: []string{`false`},
			tally: Tally{Failed: 1}, status: task.Failed, attempts: []State{Returned, Failed}, events: []string{EventBegun, EventReturned, EventFailed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			tasks := &task.Store{DB: f.DB}
			f.Reopen(tasks)
			f.Set.Gate = c.gate
			_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "New"}})
			worktreetest.Must(t, err)
			s := storeOf(f, tasks)
			o := Options{Repo: f.Repo, Agents: []string{"ann"}, Clients: []worker.Client{shell("shell", c.script)},
				Tasks: 1, UntilEmpty: true, Attempts: 1, Land: worktree.LandGate, Pause: time.Nanosecond}
			if c.change != nil {
				c.change(&o)
			}
			var mu sync.Mutex
			var events []string
			crew := s.Crew(o, make(chan struct{}), func(e Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.What != EventWaits && e.What != EventNote {
					events = append(events, e.What)
				}
			})
			tally, err := crew.Run(t.Context())
			worktreetest.Must(t, err)
			if diff := cmp.Diff(c.tally, tally); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(events, c.events) {
				t.Errorf("events are %q, want %q", events, c.events)
			}
			d, err := tasks.Get(t.Context(), "T-1")
			worktreetest.Must(t, err)
			var states []State
			worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) error {
				item, err := registry.One[int64](tx.QueryRow(`SELECT id FROM items WHERE ref = 'T-1'`))
				if err != nil {
					return err
				}
				all, err := History(tx, item)
				for _, a := range all {
					states = append(states, a.State)
				}
				return err
			}))
			if d.Status != c.status || !slices.Equal(states, c.attempts) {
				t.Errorf("the task is %s after %q, want %s after %q", d.Status, states, c.status, c.attempts)
			}
			if now := crew.Now(); len(now) != 1 || now[0].Doing != "stopped" {
				t.Errorf("%+v", now)
			}
		})
	}
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
