package agents_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// An agent is registered, seen with what it holds, swept once it is silent, and removed with its claim.
func TestAgents(t *testing.T) {
	t.Parallel()
	db, of, claimed := tasktest.Claimed(t) // by ann
	s := &agents.Store{DB: db, StaleAfter: time.Hour}
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	bob, err := s.Register(ctx, agent.Registration{Name: "bob", Type: "codex", Capabilities: []string{"go"}})
	must(err)
	if bob.Name != "bob" || bob.Type != "codex" || bob.CurrentTask != "" {
		t.Errorf("registered: %+v", bob)
	}
	for name, want := range map[string]string{"ann": claimed.ID, "bob": ""} {
		if e, err := s.Heartbeat(ctx, name); err != nil || e.Name != name || e.CurrentTask != want {
			t.Errorf("heartbeat of %s: %+v, %v", name, e, err)
		}
	}
	if e, err := s.Register(ctx, agent.Registration{Name: "ann"}); err != nil || e.CurrentTask != claimed.ID {
		t.Errorf("registered again: %+v, %v", e, err)
	}
	for what, err := range map[string]error{
		"heartbeat": func() error { _, err := s.Heartbeat(ctx, "nobody"); return err }(),
		"remove":    func() error { _, err := s.Remove(ctx, "nobody", false); return err }(),
	} {
		if !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s of an agent that does not exist: %v", what, err)
		}
	}
	if _, err := s.Register(ctx, agent.Registration{}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("without a name: %v", err)
	}
	if c, err := s.Caller(ctx, "cyd"); err != nil || c.Name != "cyd" || c.ID == 0 {
		t.Errorf("a new caller: %+v, %v", c, err)
	}

	must((&presence.Store{DB: db, StaleAfter: time.Hour}).Say(ctx, presence.Statement{Agent: "bob", Session: "s", State: presence.Waiting, Source: presence.Work, Folder: of.Path}))
	list := func() (names []string) {
		t.Helper()
		all, err := s.List(ctx)
		must(err)
		for _, e := range all {
			line := e.Name + " " + e.Status + " " + e.CurrentTask
			if e.State != nil {
				line += " " + string(e.State.State)
			}
			names = append(names, line)
		}
		return names
	}
	if diff := cmp.Diff([]string{"ann active " + claimed.ID + " working", "bob active  waiting for you", "cyd active "}, list()); diff != "" {
		t.Error(diff)
	}

	silent := func() {
		must(db.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(tx.Now().Add(-2*time.Hour)))
			return err
		}))
	}
	silent()
	sweep := func(release bool) (gone [][]string, spared []string) {
		t.Helper()
		swept, spared, err := s.Sweep(ctx, time.Hour, release)
		must(err)
		for _, one := range swept {
			gone = append(gone, append([]string{one.Agent}, one.Released...))
		}
		return gone, spared
	}
	for _, c := range []struct {
		name    string
		release bool
		gone    [][]string
	}{
		{"once", false, [][]string{{"ann"}, {"cyd"}}},
		{"again", false, nil},
		{"with its tasks", true, [][]string{{"ann", claimed.ID}}},
		{"and again", true, nil},
	} {
		gone, spared := sweep(c.release)
		if diff := cmp.Diff(c.gone, gone); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff([]string{"bob"}, spared); diff != "" {
			t.Errorf("%s: spared %s", c.name, diff)
		}
	}

	tasks := &task.Store{DB: db}
	_, err = tasks.Claim(ctx, claimed.ID, "bob")
	must(err)
	for _, dry := range []bool{true, false} {
		r, err := s.Remove(ctx, "bob", dry)
		must(err)
		if diff := cmp.Diff(agents.Removal{Agent: "bob", ID: bob.UID, Released: []string{claimed.ID}, Worktrees: r.Worktrees}, r); diff != "" || len(r.Worktrees) != 0 {
			t.Errorf("dry %t: %s %v", dry, diff, r.Worktrees)
		}
		d, err := tasks.Get(ctx, claimed.ID)
		must(err)
		all, err := s.List(ctx)
		must(err)
		registered := slices.ContainsFunc(all, func(e agents.Entry) bool { return e.Name == "bob" })
		if registered != dry || (d.Status == task.Claimed) != dry {
			t.Errorf("dry %t: registered %t, the task is %s", dry, registered, d.Status)
		}
	}
}
