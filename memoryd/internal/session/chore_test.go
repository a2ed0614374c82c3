package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/work"
)

// programs replaces the other programs of the suite.
type programs struct {
	mu        sync.Mutex
	ran       []string
	installed []string
	do        func(c sibling.Call, result any) error
}

func (p *programs) use(s *Store) {
	s.Find = func(program string) bool { return slices.Contains(p.installed, program) }
	s.Run = func(_ context.Context, c sibling.Call, result any) error {
		p.mu.Lock()
		p.ran = append(p.ran, strings.Join(append([]string{c.Program}, c.Args...), " "))
		p.mu.Unlock()
		if p.do != nil {
			return p.do(c, result)
		}
		return nil
	}
}

func (p *programs) calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ran)
}

// Without a tracker, or without pmsync, sessions work, and the project gets one notice.
func TestAProjectIsToldOnce(t *testing.T) {
	w := newWorld(t)
	p := &programs{}
	p.use(w.Store)
	if d := w.start(w.at("eve")); d.Sync.State != syncNone || d.Sync.Note != "" {
		t.Errorf("told without a ticket: %+v", d.Sync)
	}
	w.kept("SEM-1", work.KindTicket)
	onTicket := func(agent string) Start { in := w.at(agent); in.Item = "SEM-1"; return in }
	first, second := w.start(onTicket("ann")), w.start(onTicket("bob"))
	if first.Sync.State != syncNone || !strings.Contains(first.Sync.Note, "no tracker is set") || second.Sync.Note != "" {
		t.Errorf("told %+v, then %+v", first.Sync, second.Sync)
	}
	w.cfg.Provider.Name = "linear"
	first, second = w.start(w.at("cid")), w.start(w.at("dan"))
	if first.Sync.State != syncUnavailable || !strings.Contains(first.Sync.Note, "pmsync") || second.Sync.Note != "" || second.Sync.Provider != "linear" {
		t.Errorf("told %+v, then %+v", first.Sync, second.Sync)
	}
	if e := w.end(first.ID); len(e.Warnings) != 0 || len(p.calls()) != 0 {
		t.Errorf("the end warns %q, ran %q", e.Warnings, p.calls())
	}
}

// A pmsync that only announces a future version causes no warning.
func TestAProgramThatIsToCome(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name = "linear"
	p := &programs{installed: []string{"pmsync"}, do: func(sibling.Call, any) error {
		return fault.Operation(nil, "pmsync is not built yet: it will sync tickets")
	}}
	p.use(w.Store)
	w.start(w.at("ann"))
	w.background.running.Wait()
	d := w.start(w.at("bob"))
	if d.Sync.State != syncUnavailable || d.Sync.Failure != "" {
		t.Errorf("a start says %+v", d.Sync)
	}
	if e := w.end(d.ID); len(e.Warnings) != 0 {
		t.Errorf("an end says %q", e.Warnings)
	}
}

// A stale project is pulled in the background, by one process at a time; a start that waits sees it fresh.
func TestPulling(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name = "jira"
	gate := make(chan error, 1)
	p := &programs{installed: []string{"pmsync"}, do: func(sibling.Call, any) error { return <-gate }}
	p.use(w.Store)
	t.Cleanup(func() { close(gate); w.background.stop() })

	for range 3 {
		if d := w.start(w.at("ann")); d.Sync.State != syncRefreshing || d.Sync.LastPull != nil {
			t.Fatalf("while it is pulled: %+v", d.Sync)
		}
	}
	gate <- nil
	in := w.at("ann")
	in.Wait = 20 * time.Second
	if d := w.start(in); d.Sync.State != syncFresh || d.Sync.LastPull == nil {
		t.Errorf("afterwards: %+v", d.Sync)
	}
	if got := p.calls(); !slices.Equal(got, []string{"pmsync pull"}) {
		t.Errorf("ran %q", got)
	}

	// It is stale again; this time the pull fails, which is reported and not retried at once.
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE session_chores SET finished_at = ? WHERE chore = 'pull'`, registry.FormatTime(tx.Now().Add(-6*time.Minute)))
		return err
	})
	gate <- fault.Provider(errors.New("no route"), "jira is not reachable")
	if d := w.start(in); d.Sync.State != syncFailed || !strings.Contains(d.Sync.Failure, "not reachable") {
		t.Errorf("a pull that failed: %+v", d.Sync)
	}
	if d := w.start(in); d.Sync.State != syncFailed || len(p.calls()) != 2 {
		t.Errorf("right after it: %+v, ran %q", d.Sync, p.calls())
	}
	w.cfg.Sync.AutoPullOnSessionStart = false
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`DELETE FROM session_chores WHERE chore = 'pull'`)
		return err
	})
	if d := w.start(in); d.Sync.State != syncStale || len(p.calls()) != 2 {
		t.Errorf("with pulling off: %+v, ran %q", d.Sync, p.calls())
	}
}

// A wait ends at its limit.
func TestAWaitIsBounded(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name = "jira"
	gate := make(chan error)
	p := &programs{installed: []string{"pmsync"}, do: func(sibling.Call, any) error { return <-gate }}
	p.use(w.Store)
	t.Cleanup(func() { close(gate); w.background.stop() })
	in := w.at("ann")
	in.Wait = 50 * time.Millisecond
	if d := w.start(in); d.Sync.State != syncRefreshing {
		t.Errorf("got %+v", d.Sync)
	}
}

// The end sends queued changes and reports their number; failed ones stay queued.
func TestPushingAtTheEnd(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name, w.cfg.Sync.AutoPullOnSessionStart = "asana", false
	fails := error(nil)
	p := &programs{installed: []string{"pmsync"}, do: func(_ sibling.Call, result any) error {
		if fails == nil {
			result.(*pushAnswer).Sent = 3
		}
		return fails
	}}
	p.use(w.Store)
	if e := w.end(w.start(w.at("ann")).ID); e.Pushed != 3 || len(e.Warnings) != 0 {
		t.Errorf("got %+v", e)
	}
	fails = fault.Provider(nil, "asana is not reachable")
	if e := w.end(w.start(w.at("ann")).ID); e.Pushed != 0 || e.Status != Completed || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "stay queued") {
		t.Errorf("got %+v", e)
	}
	p.do = func(_ sibling.Call, result any) error {
		*result.(*pushAnswer) = pushAnswer{Sent: 2, Errors: []string{"SEM-1: Linear does not take it"}}
		return fault.Operation(nil, "pmsync failed")
	}
	if e := w.end(w.start(w.at("ann")).ID); e.Pushed != 2 || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "SEM-1: Linear does not take it") {
		t.Errorf("got %+v", e)
	}
	w.cfg.Sync.AutoPushOnSessionEnd = false
	w.end(w.start(w.at("ann")).ID)
	if got := p.calls(); !slices.Equal(got, []string{"pmsync push --force", "pmsync push --force", "pmsync push --force"}) {
		t.Errorf("ran %q", got)
	}
}

// An unprofiled project is profiled in the background of its first start.
func TestProfiling(t *testing.T) {
	w := newWorld(t)
	p := &programs{installed: []string{"classify"}}
	p.do = func(c sibling.Call, _ any) error {
		w.write(func(tx *registry.Tx) error {
			_, err := tx.Exec(`INSERT INTO profiles (project_id, package, path, name, language, framework, scope, manifest_type, input_hash, classified_at)
				SELECT id, '', ?, name, 'go', 'cobra', 'CLI', 'go.mod', 'x', ? FROM projects`, c.Dir, tx.Stamp())
			return err
		})
		return nil
	}
	p.use(w.Store)
	t.Cleanup(w.background.stop)
	d := w.start(w.at("ann"))
	if want := (Profile{"go", "cobra", "CLI"}); d.Project.Profile == nil || *d.Project.Profile != want {
		t.Errorf("the project is %+v", d.Project)
	}
	w.start(w.at("bob"))
	if got := p.calls(); !slices.Equal(got, []string{"classify init " + w.repo.Dir}) {
		t.Errorf("ran %q", got)
	}
}

// The work that a command leaves is handed to the process that does it.
func TestDetachedChores(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name = "linear"
	p := &programs{installed: []string{"pmsync"}}
	p.use(w.Store)
	var folder string
	var args []string
	w.Detach = func(f string, a []string) error { folder, args = f, a; return nil }
	if d := w.start(w.at("ann")); d.Sync.State != syncRefreshing || len(p.calls()) != 0 {
		t.Fatalf("got %+v, ran %q", d.Sync, p.calls())
	}
	name, token, _ := strings.Cut(args[1], "=")
	if err := w.Do(t.Context(), args[0], folder, map[string]string{name: token}); err != nil {
		t.Fatal(err)
	}
	if d := w.start(w.at("ann")); d.Sync.State != syncFresh || folder != w.repo.Dir {
		t.Errorf("got %+v, in %q", d.Sync, folder)
	}
	w.Detach = func(string, []string) error { return errors.New("no such program") }
	w.write(func(tx *registry.Tx) error { _, err := tx.Exec(`DELETE FROM session_chores`); return err })
	if d := w.start(w.at("ann")); d.Sync.State != syncFailed {
		t.Errorf("when it cannot be started: %+v", d.Sync)
	}
}

// A pull that could not store one ticket did store the others: it did not fail.
func TestAPartialPullIsNoFailure(t *testing.T) {
	w := newWorld(t)
	w.cfg.Provider.Name = "linear"
	p := &programs{installed: []string{"pmsync"}, do: func(_ sibling.Call, result any) error {
		if said, ok := result.(*pullAnswer); ok {
			said.Status = partialPull
		}
		return fault.Operation(errors.New("exit status 1"), "run pmsync")
	}}
	p.use(w.Store)
	t.Cleanup(w.background.stop)
	in := w.at("ann")
	in.Wait = 20 * time.Second
	if d := w.start(in); d.Sync.State != syncFresh || d.Sync.Failure != "" {
		t.Errorf("a start says %+v", d.Sync)
	}
}
