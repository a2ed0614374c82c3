package land_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
				if _, err := f.Landings.Clear(t.Context(), f.Repo, l); err != nil {
					t.Fatal(err)
				}
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
	merged, _, _, err := f.Landings.WhatCameOf(t.Context(), f.Repo, w, 2, 1)
	if err != nil || merged == nil || merged.FilesChanged != 3 {
		t.Errorf("%+v, %v", merged, err)
	}
}

// When the process that took a landing along is gone, the landing's own process finds what came of it in the rows, or waits on.
func TestOutcomesOfGuests(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	first, w := f.Worked("first"), f.Worked("x")
	for name, c := range map[string]struct {
		leader bool // its process runs
		state  land.State
		set    string // of the row of the landing
		then   string // of the row of its worktree
		want   string
	}{
		"its leader runs":                     {leader: true, state: land.Landed, want: "unknown"},
		"it landed":                           {state: land.Landed, set: `commit_oid = 'c0'`, then: `status = 'completed'`, want: "landed at c0 into main, removed true"},
		"it landed, and its worktree stays":   {state: land.Landed, set: `commit_oid = 'c0'`, want: "landed at c0 into main, removed false"},
		"it was returned":                     {state: land.Returned, set: `reason = 'it is red'`, want: "it is red"},
		"it was cancelled":                    {state: land.Cancelled, set: `reason = 'no more'`, want: "no more"},
		"it waits again":                      {state: land.Queued, want: "unknown"},
		"its worktree is another's meanwhile": {state: land.Returned, set: `reason = 'it is red'`, then: `intent = 'merge', intent_host = 'elsewhere', intent_journal = '{}'`, want: "unknown"},
	} {
		f.Exec(`DELETE FROM landings`)
		f.Exec(`UPDATE worktrees SET status = 'active', intent = '', intent_host = '', intent_journal = ''`)
		asks(f, first, processOf(f, c.leader), land.Running, `["true"]`)
		if c.leader {
			f.Exec(`UPDATE landings SET pid = ?`, os.Getpid())
		}
		asks(f, w, processOf(f, true), c.state, `["true"]`)
		leader, own := lastOf(f, first.Ref).ID, lastOf(f, w.Ref).ID
		if c.set != "" {
			f.Exec(`UPDATE landings SET `+c.set+` WHERE id = ?`, own)
		}
		if c.then != "" {
			f.Exec(`UPDATE worktrees SET `+c.then+` WHERE id = ?`, w.ID)
		}
		merged, got, known, err := f.Landings.WhatCameOf(t.Context(), f.Repo, w, own, leader)
		switch {
		case !known:
			got = "unknown"
		case merged != nil:
			got = fmt.Sprintf("landed at %s into %s, removed %t", merged.Commit, merged.Into, merged.Removed)
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// A guest whose leader died while it pushed is returned while the remote cannot be asked, and ends as the remote says.
func TestGuestWhosePushHasNoAnswer(t *testing.T) {
	t.Parallel()
	s := newShared(t, nil)
	f, first := s.Fixture, s.Worked("first")
	w := s.Worked("x")
	asks(f, first, processOf(f, false), land.Running, `["true"]`)
	asks(f, w, processOf(f, true), land.Running, `["true"]`)
	f.Exec(`UPDATE landings SET batch = 1 WHERE id = 2`)
	f.Exec(`UPDATE worktrees SET intent = 'merge', intent_host = ?, intent_pid = ?, intent_boot = 'before', intent_at = ?, intent_journal = ? WHERE id = ?`, registry.Host(), 1<<40, worktreetest.Stamp(-time.Hour),
		fmt.Sprintf(`{"before":"active","target":"refs/heads/main","old":%q,"new":%q,"tip":%q,"landing":2,"guest":true,"remote":"origin","pushing":true}`, s.Main.Head(), s.Tree(w).Head(), s.Tree(w).Head()), w.ID)
	hidden := s.bare.Dir + ".away"
	worktreetest.Must(t, os.Rename(s.bare.Dir, hidden))
	_, why, known, err := f.Landings.WhatCameOf(t.Context(), f.Repo, w, 2, 1)
	if l := lastOf(f, w.Ref); err != nil || !known || !strings.Contains(why, "the remote cannot be asked yet") || l.State != land.Returned || l.Reason != why {
		t.Errorf("%q, %v, %v, %+v", why, known, err, l)
	}
	worktreetest.Must(t, os.Rename(hidden, s.bare.Dir))
	s.Tree(w).Git("push", "-q", "origin", "HEAD:main")
	_, err = f.Landings.Trees.Recovered(t.Context(), f.Repo)
	worktreetest.Must(t, err)
	if l := lastOf(f, w.Ref); l.State != land.Landed || l.Reason != "" || f.Get(w).Status != worktree.Completed {
		t.Errorf("%+v, %s", l, f.Get(w).Status)
	}
}

// The queue has what is under way in the order they asked, with places for those with a gate, then what ended without a landing and was not
// asked again.
func TestQueueIsInOrder(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	here, gone := processOf(f, true), processOf(f, false)
	const gate = `["true"]`
	for _, c := range []struct {
		name, process string
		state         land.State
		gate          string
	}{
		{"red", gone, land.Returned, gate}, {"again", gone, land.Returned, gate}, {"done", gone, land.Landed, gate}, {"quick", here, land.Running, ""}, {"runs", here, land.Running, gate},
		{"killed", gone, land.Queued, gate}, {"waits", here, land.Queued, gate}, {"stopped", gone, land.Cancelled, ""}, {"cut", gone, land.Running, ""},
	} {
		asks(f, f.Worked(c.name), c.process, c.state, c.gate)
	}
	f.Exec(`UPDATE landings SET pid = ? WHERE process = ?`, os.Getpid(), here)
	var again worktree.Worktree
	refs := map[string]string{}
	for _, w := range f.Rows() {
		refs[w.Ref] = w.Task
		if w.Task == "again" {
			again = w
		}
	}
	asks(f, again, here, land.Queued, gate)
	f.Exec(`UPDATE landings SET pid = ? WHERE process = ?`, os.Getpid(), here)
	told := func(list []land.Landing) (all []string) {
		for _, l := range list {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", refs[l.Worktree], l.State, l.Position, l.Reason)))
		}
		return all
	}
	for _, repo := range []string{"app", ""} {
		list, err := f.Landings.Queue(t.Context(), repo)
		worktreetest.Must(t, err)
		want := []string{"quick running 0", "runs running 1", "waits queued 2", "again queued 3", "killed returned 0 the agit that was landing it ended before it was done; ask again",
			"cut returned 0 the agit that was landing it ended in the middle; `agit doctor --fix` completes the landing, or takes it back", "stopped cancelled 0", "red returned 0"}
		if diff := cmp.Diff(want, told(list)); diff != "" {
			t.Errorf("of %q: %s", repo, diff)
		}
		landed, err := f.Landings.Landed(t.Context(), repo, 1)
		if diff := cmp.Diff([]string{"done landed 0"}, told(landed)); diff != "" || err != nil {
			t.Errorf("of %q: %v %s", repo, err, diff)
		}
	}
	if _, err := f.Landings.Landed(t.Context(), "none", 1); err == nil {
		t.Error("an unknown repository has landings")
	}
	var ahead int
	w := f.Worked("new")
	p, err := f.Landings.Preview(t.Context(), land.Request{Repo: "app", Worktree: w.Ref, Gate: []string{"true"}})
	worktreetest.Must(t, err)
	if ahead = p.Ahead; ahead != 3 {
		t.Errorf("%d are ahead", ahead)
	}
	if p, err = f.Landings.Preview(t.Context(), land.Request{Repo: "app", Worktree: w.Ref}); err != nil || p.Ahead != 0 {
		t.Errorf("without a gate %d are ahead, %v", p.Ahead, err)
	}
	f.Exec(`UPDATE landings SET state = 'landed', finished_at = ? WHERE id IN (2, 3)`, worktreetest.Stamp(-time.Hour))
	f.Exec(`UPDATE landings SET finished_at = ? WHERE id = 3`, worktreetest.Stamp(0))
	worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) error {
		one, err := land.LandedIn(tx, f.Repo.ID, 1)
		if got := told(one); len(got) != 1 || got[0] != "done landed 0" {
			t.Errorf("landed last: %q, %v", got, err)
		}
		all, err := land.LandedIn(tx, f.Repo.ID, 9)
		if len(all) != 2 || err != nil {
			t.Fatalf("landed: %q, %v", told(all), err)
		}
		for since, want := range map[time.Time]int{all[1].FinishedAt.Time: 2, all[1].FinishedAt.Add(time.Millisecond): 1, all[0].FinishedAt.Add(time.Millisecond): 0} {
			if some, err := land.Recent(tx, f.Repo.ID, since); err != nil || len(some) != want {
				t.Errorf("since %s: %q, %v", since, told(some), err)
			}
		}
		return nil
	}))
	if l := lastOf(f, again.Ref); l.State != land.Queued || l.ID != 10 {
		t.Errorf("%+v", l)
	}
	if l, err := f.LastOf(t.Context(), "app", w.Ref); l != nil || err != nil {
		t.Errorf("what was never asked to land: %+v, %v", l, err)
	}
}
