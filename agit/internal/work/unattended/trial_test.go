package unattended

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/registry"
)

// After a task everything in flight is tried together, if that is configured, and the result is reported once.
func TestTrialBetweenTasks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(f *worktreetest.Fixture)
		tried  bool
	}{
		"chosen":             {func(*worktreetest.Fixture) {}, true},
		"not chosen":         {func(f *worktreetest.Fixture) { f.Set.TrialIdle = false }, false},
		"without a gate":     {func(f *worktreetest.Fixture) { f.Set.Gate = nil }, false},
		"a gate not trusted": {func(f *worktreetest.Fixture) { f.Set.Unjudged = config.Unjudged{Waiting: []string{"gate"}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			tasks := &task.Store{DB: f.DB}
			f.Reopen(tasks)
			f.Set.Gate, f.Set.TrialIdle = []string{`test ! -e new.go`}, true
			c.change(f)
			_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "New"}})
			worktreetest.Must(t, err)
			s := storeOf(f, tasks)
			s.Trials = &trial.Store{Landings: f.Landings, Conflicts: &conflict.Store{DB: f.DB}, Home: s.Home}
			o := Options{Repo: f.Repo, Agents: []string{"ann"}, Clients: []worker.Client{shell("shell", `echo a > new.go`)},
				UntilEmpty: true, Attempts: 1, Land: worktree.LandNever, Pause: time.Nanosecond}
			var mu sync.Mutex
			var notes []string
			_, err = s.Crew(o, make(chan struct{}), func(e Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.What == EventNote && strings.HasPrefix(e.Why, "trial") {
					notes = append(notes, e.Why)
				}
			}).Run(t.Context())
			worktreetest.Must(t, err)
			var last *trial.Trial
			worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
				last, err = trial.Last(tx, f.Repo.ID)
				return err
			}))
			if c.tried != (last != nil && last.Result == trial.Red) {
				t.Errorf("%+v", last)
			}
			if c.tried && (len(notes) != 2 || notes[0] != "trial red: 1 worktree together on main fail" || !strings.Contains(notes[1], "`test ! -e new.go` fails")) || !c.tried && len(notes) > 0 {
				t.Errorf("%q", notes)
			}
		})
	}
}

// A crew is idle except for a worker when no other one is at a task.
func TestIdle(t *testing.T) {
	t.Parallel()
	for doing, want := range map[string]bool{"waits": true, "stopped": true, "works": false, "begins": false, "finishes": false, "tries everything": false} {
		one, other := &member{}, &member{look: Look{Doing: doing}}
		if got := (&Crew{members: []*member{one, other}}).idle(one); got != want {
			t.Errorf("beside one that %s: %v", doing, got)
		}
	}
}
