package land_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
)

// asks puts a landing into the queue as a process that is gone left it, or as one that still runs.
func asks(f *worktreetest.Fixture, w worktree.Worktree, process string, state land.State, gate string) {
	f.T.Helper()
	f.Exec(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, gate, asked_at)
		VALUES (?, ?, ?, ?, ?, 1, ?, ?, 'merge', 'main', '', ?, ?)`,
		registry.NewUID(), f.Repo.ProjectID, f.Repo.ID, w.ID, registry.Host(), process, state, gate, worktreetest.Stamp(0))
}

// processOf returns a process that asks for a landing: this one, until the test ends, or one that is gone.
func processOf(f *worktreetest.Fixture, here bool) string {
	f.T.Helper()
	if !here {
		return "v-gone@" + registry.Host()
	}
	p, err := f.DB.Announce()
	worktreetest.Must(f.T, err)
	f.T.Cleanup(p.Leave)
	return p.ID
}

// Only landings with a gate take turns: one without a gate, which may take long, neither waits nor holds up others.
func TestTurns(t *testing.T) {
	t.Parallel()
	const gated = `["true"]`
	for name, c := range map[string]struct {
		ahead string // the gate of the landing that asked before
		own   []string
		waits bool
	}{
		"a gate behind a gate":      {gated, []string{"true"}, true},
		"a gate behind none":        {"", []string{"true"}, false},
		"without one behind a gate": {gated, []string{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			other, w := f.Worked("other"), f.Worked("x")
			here, err := f.DB.Announce()
			worktreetest.Must(t, err)
			defer here.Leave()
			asks(f, other, here.ID, land.Running, c.ahead)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ahead []land.Landing
			_, err = f.Landings.Land(ctx, land.Request{Repo: "app", Worktree: w.Ref, Gate: c.own, Waiting: func(list []land.Landing) {
				ahead = list
				cancel()
			}})
			if c.waits != errors.Is(err, context.Canceled) || !c.waits && err != nil {
				t.Fatalf("it ended with %v", err)
			}
			if c.waits != (len(ahead) == 1 && ahead[0].Worktree == other.Ref) {
				t.Errorf("it waited for %+v", ahead)
			}
			want := map[bool]land.State{true: land.Cancelled, false: land.Landed}[c.waits]
			if l := lastOf(f, w.Ref); l.State != want {
				t.Errorf("it is %s, want %s", l.State, want)
			}
		})
	}
}

// A landing whose turn comes while another call of the same process works on its worktree waits for the end of that call.
func TestTurnWhileTheWorktreeIsHeld(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	other, w := f.Worked("other"), f.Worked("x")
	asks(f, other, processOf(f, true), land.Running, `["true"]`)
	var once sync.Once
	_, err := f.Landings.Land(t.Context(), land.Request{Repo: "app", Worktree: w.Ref, Gate: []string{"true"}, Waiting: func([]land.Landing) {
		once.Do(func() {
			end, err := worktree.Begin(w)
			worktreetest.Must(t, err)
			f.Exec(`UPDATE landings SET state = 'returned' WHERE worktree_id = ?`, other.ID)
			time.AfterFunc(200*time.Millisecond, end)
		})
	}})
	worktreetest.Must(t, err)
	if l := lastOf(f, w.Ref); l.State != land.Landed {
		t.Errorf("it is %s: %s", l.State, l.Reason)
	}
}

// A guest of a batch whose leader is gone waits for its turn again, as long as its own process runs.
func TestGuestsOfALeaderThatIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		guest, here bool
		want        land.State
	}{
		"a guest that waits":            {true, true, land.Queued},
		"a guest that is gone too":      {true, false, land.Returned},
		"not a guest, the process here": {false, true, land.Returned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			process := processOf(f, c.here)
			asks(f, w, process, land.Running, `["true"]`)
			journal := fmt.Sprintf(`{"before":"active","guest":%t,"landing":%d}`, c.guest, lastOf(f, w.Ref).ID)
			f.Exec(`UPDATE worktrees SET intent = 'merge', intent_host = ?, intent_pid = ?, intent_boot = 'before', intent_at = ?, intent_journal = ? WHERE id = ?`,
				registry.Host(), 1<<40, worktreetest.Stamp(-time.Hour), journal, w.ID)
			_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			if l := lastOf(f, w.Ref); l.State != c.want {
				t.Errorf("the landing is %s, want %s", l.State, c.want)
			}
		})
	}
}

// A landing whose process is gone is taken off the queue, also when what it left half done cannot be mended. One whose process runs stays,
// and so does one whose worktree another process works on.
func TestAbandonedLandings(t *testing.T) {
	t.Parallel()
	const merging, unreadable, undone = "merge", "{", `{"before":"active"}`
	for name, c := range map[string]struct {
		here    bool   // the process that asked is present in the registry
		killed  bool   // and does not run
		intent  string // of the worktree
		journal string
		alive   bool // the process of the intent runs
		want    land.State
	}{
		"nothing was begun":              {want: land.Returned},
		"it is waiting":                  {here: true, want: land.Queued},
		"killed, and present for a time": {here: true, killed: true, want: land.Returned},
		"begun, and mended":              {intent: merging, journal: undone, want: land.Returned},
		"begun, and cannot be mended":    {intent: merging, journal: unreadable, want: land.Returned},
		"the worktree is another's now":  {intent: merging, journal: undone, alive: true, want: land.Queued},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			process := processOf(f, c.here)
			asks(f, w, process, land.Queued, `["true"]`)
			if c.killed {
				f.Exec(`UPDATE landings SET pid = ?`, 1<<40)
			}
			if c.intent != "" {
				pid, host := 1<<40, registry.Host()
				if c.alive {
					host = "elsewhere"
				}
				f.Exec(`UPDATE worktrees SET intent = ?, intent_host = ?, intent_pid = ?, intent_boot = 'before', intent_at = ?, intent_journal = ? WHERE id = ?`,
					c.intent, host, pid, worktreetest.Stamp(-time.Hour), c.journal, w.ID)
			}
			left, err := f.Landings.Abandoned(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			if len(left) == 0 != (c.here && !c.killed) {
				t.Fatalf("abandoned are %+v", left)
			}
			for _, l := range left {
				worktreetest.Must(t, f.Landings.Clear(t.Context(), f.Repo, l))
			}
			var now land.State
			worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) error {
				l, err := land.Last(tx, w.ID)
				now = l.State
				return err
			}))
			if now != c.want {
				t.Errorf("the landing is %s, want %s", now, c.want)
			}
		})
	}
}

// The outcome of a landing that another process took along counts even if that process ended right after writing it, and if the landing's
// own process had looked just before.
func TestOutcomeThatIsToldLast(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	first, w := f.Worked("first"), f.Worked("x")
	asks(f, first, processOf(f, false), land.Landed, `["true"]`)
	asks(f, w, processOf(f, true), land.Landed, `["true"]`)
	f.Exec(`UPDATE landings SET outcome = ?, batch = 1 WHERE id = 2`, `{"merged":{"files_changed":3}}`)
	merged, err := f.Landings.WhatCameOf(t.Context(), f.Repo, w, 2, 1)
	if err != nil || merged == nil || merged.FilesChanged != 3 {
		t.Errorf("%+v, %v", merged, err)
	}
}
