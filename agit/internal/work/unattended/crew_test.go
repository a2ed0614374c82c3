package unattended

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
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

// Each agent has its workers on the tries of a task, and limits that are not given have their defaults.
func TestWorkersOfACrew(t *testing.T) {
	t.Parallel()
	three := []worker.Client{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for want, o := range map[string]Options{
		"": {}, "ann begins, bob begins": {Agents: []string{"ann", "bob"}}, "ann begins": {Agents: []string{"ann"}, Tries: three[:1]},
		"ann begins, ann-try2 waits, ann-try3 waits, bob begins, bob-try2 waits, bob-try3 waits": {Agents: []string{"ann", "bob"}, Tries: three},
	} {
		var got []string
		for _, l := range (&Store{}).Crew(o, nil, nil).Now() {
			got = append(got, l.Agent+" "+l.Doing)
			if time.Since(l.Since) > time.Minute || l.TaskID != "" || l.Line != "" {
				t.Errorf("%+v", l)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if o := (Options{}).withDefaults(); o.Attempts != 3 || o.Pause != 30*time.Second {
		t.Errorf("%+v", o)
	}
	if o := (Options{Attempts: 1, Pause: time.Second}).withDefaults(); o.Attempts != 1 || o.Pause != time.Second {
		t.Errorf("%+v", o)
	}
	stopped := make(chan struct{})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	crew := (&Store{}).Crew(Options{}, stopped, nil)
	if crew.stopping(t.Context()) || !crew.stopping(over) {
		t.Error("it stops, or goes on without its context")
	}
	close(stopped)
	if !crew.stopping(t.Context()) {
		t.Error("it goes on")
	}
}

// Changes of tasks and of agents wake the waiting workers.
func TestCrewListens(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	crew := r.Crew(Options{Repo: r.repo}, nil, nil)
	heard := func(what string, news <-chan struct{}) {
		t.Helper()
		select {
		case <-news:
		case <-time.After(time.Minute):
			t.Fatalf("%s wake no one", what)
		}
	}
	first := crew.heard()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); crew.listen(ctx) }()
	heard("the beginning", first)
	for _, topic := range []string{registry.TopicTasks, registry.TopicAgents} {
		news := crew.heard()
		r.write(func(tx *registry.Tx) error {
			tx.Changed(registry.TopicTickets, r.repo.ProjectID, "")
			tx.Changed(topic, r.repo.ProjectID, "")
			return nil
		})
		heard(topic, news)
	}
	cancel()
	<-done
}

// A worker takes the first client without a limit, waits where all have one that ends, and ends where all want a login.
func TestChoose(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	r.Presence = &presence.Store{DB: r.DB, StaleAfter: time.Hour}
	stopped := make(chan struct{})
	close(stopped)
	var told []string
	crew := r.Crew(Options{Repo: r.repo, Agents: []string{"ann"}, Clients: []worker.Client{{Name: "claude"}, {Name: "codex"}}}, stopped, func(e Event) { told = append(told, e.Agent+" "+e.What+": "+e.Why) })
	m := crew.members[0]
	choose := func(ready bool, client, failed string, events ...string) {
		t.Helper()
		told = nil
		got, err := m.choose(t.Context())
		if got != ready || m.client.Name != client || (err == nil) != (failed == "") || err != nil && (fault.From(err).Message != failed || fault.From(err).Retryable || !fault.Is(err, fault.KindProvider)) {
			t.Errorf("%t, %q, %v, want %t, %q, %q", got, m.client.Name, err, ready, client, failed)
		}
		if diff := cmp.Diff(events, told); diff != "" {
			t.Error(diff)
		}
	}
	meet := func(client string, kind ending.Kind, until time.Time) {
		crew.limits.meet(client, kind, until, "no "+client, time.Hour, time.Now())
	}
	choose(true, "claude", "")
	choose(true, "claude", "")
	until := time.Now().Add(30 * time.Second)
	meet("claude", ending.UsageLimit, until)
	choose(true, "codex", "", "ann note: it goes on with the client codex")
	meet("codex", ending.Login, time.Time{})
	choose(false, "codex", "", "ann waits: usage limit of claude until "+clock(until, time.Now())+": no claude")
	meet("claude", ending.Login, time.Time{})
	choose(false, "codex", "the client claude is not logged in: no claude")
	delete(crew.limits, "claude")
	choose(true, "claude", "", "ann note: it goes on with the client claude")
}
