package unattended

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/work"
)

// turns is ann at task T-1, in a repository of its own. No client runs.
type turns struct {
	*worktreetest.Fixture
	*on
	told []string // events
}

func newTurn(t *testing.T, more ...task.New) *turns {
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	_, err := tasks.Create(t.Context(), append([]task.New{{ID: "T-1", Repo: "app", Text: "New"}}, more...))
	worktreetest.Must(t, err)
	r := &turns{Fixture: f}
	s := storeOf(f, tasks)
	clients := []worker.Client{{Name: "claude"}}
	crew := s.Crew(Options{Repo: f.Repo, Agents: []string{"ann"}, Clients: clients, Attempts: 2, Pause: time.Minute}, make(chan struct{}),
		func(e Event) { r.told = append(r.told, fmt.Sprintf("%s %s %q: %s", e.What, e.TaskID, e.Task, e.Why)) })
	m := crew.members[0]
	m.client = clients[0]
	b, err := s.Assign.Begin(t.Context(), assignment.BeginRequest{Repo: f.Repo.UID, Agent: "ann", Task: "T-1"})
	worktreetest.Must(t, err)
	r.on = &on{member: m, b: b, client: m.client}
	worktreetest.Must(t, r.load(t.Context()))
	return r
}

// ran returns the result of a run that ended.
func (r *turns) ran() (done result) {
	done.attempt = Attempt{Run: registry.NewID("run-"), ItemID: r.w.ItemID, TaskID: "T-1", Agent: "ann", Cause: Begun, Client: "claude", Session: "s-1", projectID: r.w.ProjectID, path: r.w.Path}
	worktreetest.Must(r.T, r.begin(r.T.Context(), &done))
	done.attempt.Summary = "half of it"
	return done
}

// left returns what came of a turn: the error, the events, the count, the last attempt, and the task.
func (r *turns) left(err error) string {
	r.T.Helper()
	var s strings.Builder
	if err != nil {
		s.WriteString("error: " + fault.From(err).Message + "\n")
	}
	s.WriteString(strings.Join(r.told, "\n"))
	fmt.Fprintf(&s, "\n%+v\n", r.crew.tally)
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) error {
		all, err := History(tx, r.w.ItemID)
		if len(all) > 0 {
			last := all[len(all)-1]
			fmt.Fprintf(&s, "attempt %s, %s: %s\n", last.State, last.Ending, last.Why)
		}
		return err
	}))
	d, err := r.Tasks.Get(r.T.Context(), "T-1")
	worktreetest.Must(r.T, err)
	fmt.Fprintf(&s, "task %s %s", d.Status, d.Agent)
	return s.String()
}

// takenAway puts the task back into the queue, as a person.
func (r *turns) takenAway() {
	_, err := r.Tasks.Report(r.T.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Force: true}, Why: "I do it"})
	worktreetest.Must(r.T, err)
}

// Work that is finished is counted and reported by where it is, ends the row of failures, and completes the attempt.
func TestHowFinishedWorkIsReported(t *testing.T) {
	t.Parallel()
	r := newTurn(t)
	for _, c := range []struct {
		done  assignment.Finished
		event string
		tally Tally
		why   string
	}{
		{assignment.Finished{State: assignment.Landed, Notes: []string{"one", "two"}}, EventLanded, Tally{Landed: 1}, "one; two"},
		{assignment.Finished{State: assignment.Proposed}, EventPulled, Tally{Proposed: 1}, ""},
		{assignment.Finished{State: assignment.Proposed, Pull: &assignment.Pull{Stands: "#3 waits"}}, EventPulled, Tally{Proposed: 1}, "#3 waits"},
		{assignment.Finished{State: assignment.Proposed, Pull: &assignment.Pull{Stands: "#3 waits"}, Notes: []string{"one"}}, EventPulled, Tally{Proposed: 1}, "#3 waits; one"},
		{assignment.Finished{State: assignment.InReview}, EventReview, Tally{InReview: 1}, ""},
		{assignment.Finished{State: assignment.Kept}, EventKept, Tally{Kept: 1}, ""},
	} {
		r.told, r.crew.tally, r.barren, r.barrenTask = nil, Tally{}, 2, map[string]bool{"T-1": true}
		ran := r.ran()
		ran.end = ending.Done
		got := r.left(r.succeed(t.Context(), ran, c.done))
		want := fmt.Sprintf("%s T-1 \"New\": %s\n%+v\nattempt done, done: %s\ntask in_progress ann", c.event, c.why, c.tally, c.done.State)
		if diff := cmp.Diff(want, got); diff != "" || r.barren != 0 || r.barrenTask != nil {
			t.Errorf("%+v: %d %v %s", c.done, r.barren, r.barrenTask, diff)
		}
	}
}

// A run that failed counts against its task, unless its client fails on every task; a claim that was lost meanwhile is nothing to return.
func TestAfterAFailure(t *testing.T) {
	t.Parallel()
	crash := func(r *result) { r.outcome = worker.Outcome{Ending: worker.Exited, Status: 1} }
	for name, c := range map[string]struct {
		more   []task.New
		set    func(*turns)
		ran    func(*result)
		want   string
		barren int
	}{
		"the first": {
			set:  func(r *turns) { r.barren = 3 },
			want: "released T-1 \"New\": attempt 1 of 2: red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\nattempt failed, crash: attempt 1 of 2: red\ntask pending ",
		},
		"the last": {
			set:  func(r *turns) { r.failed = 1 },
			want: "failed T-1 \"New\": red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:1 Stopped:0}\nattempt failed, crash: red\ntask failed ann",
		},
		"of its client": {
			ran:    crash,
			want:   "released T-1 \"New\": attempt 1 of 2: red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\nattempt failed, crash: attempt 1 of 2: red\ntask pending ",
			barren: 1,
		},
		"of its client, on two tasks, and there is a third": {
			more:   []task.New{{ID: "T-2", Repo: "app", Text: "Second"}, {ID: "T-3", Repo: "app", Text: "Third"}},
			set:    func(r *turns) { r.failed, r.barren, r.barrenTask = 1, 1, map[string]bool{"T-2": true} },
			ran:    crash,
			want:   "released T-1 \"New\": red (not counted: it is the client that fails)\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\nattempt returned, crash: red (not counted: it is the client that fails)\ntask pending ",
			barren: 2,
		},
		"of its client, on two tasks, and there are no others": {
			more:   []task.New{{ID: "T-2", Repo: "app", Text: "Second"}},
			set:    func(r *turns) { r.failed, r.barren, r.barrenTask = 1, 1, map[string]bool{"T-2": true} },
			ran:    crash,
			want:   "failed T-1 \"New\": red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:1 Stopped:0}\nattempt failed, crash: red\ntask failed ann",
			barren: 2,
		},
		"after it was put back": {
			set:  (*turns).takenAway,
			want: "released T-1 \"New\": attempt 1 of 2: red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\nattempt failed, crash: attempt 1 of 2: red\ntask pending ",
		},
		"the last, after it was put back": {
			set:  func(r *turns) { r.takenAway(); r.failed = 1 },
			want: "failed T-1 \"New\": red\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:1 Stopped:0}\nattempt failed, crash: red\ntask failed ann",
		},
		"after another agent took it": {
			set: func(r *turns) {
				r.takenAway()
				_, err := r.Tasks.Claim(r.T.Context(), "T-1", "bob")
				worktreetest.Must(r.T, err)
			},
			want: "\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:0 Stopped:0}\nattempt failed, crash: attempt 1 of 2: red\ntask claimed bob",
		},
		"and the task cannot be returned": {
			set:  func(r *turns) { r.w.Ref = "w-none" },
			want: "error: worktree \"w-none\" does not exist\n\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:0 Stopped:0}\nattempt failed, crash: attempt 1 of 2: red\ntask in_progress ann",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTurn(t, c.more...)
			ran := r.ran()
			ran.end = ending.Crash
			if c.ran != nil {
				c.ran(&ran)
			}
			if c.set != nil {
				c.set(r)
			}
			if diff := cmp.Diff(c.want, r.left(r.fail(t.Context(), ran, "red"))); diff != "" || r.barren != c.barren || (c.barren > 0) != r.barrenTask["T-1"] {
				t.Errorf("%d failures in a row, %v %s", r.barren, r.barrenTask, diff)
			}
		})
	}
}

// A task whose client could not work goes back uncounted: a limit is noted for the client, a denied tool for the task.
func TestLetGo(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	released := func(state State, end ending.Kind) string {
		return fmt.Sprintf("released T-1 \"New\": no use (not counted)\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\nattempt %s, %s: no use\ntask pending ", state, end)
	}
	for name, c := range map[string]struct {
		ran    result
		set    func(*turns)
		want   string
		denied map[string]string
		limit  string
	}{
		"a denied tool": {ran: result{end: ending.Denied, outcome: worker.Outcome{Said: worker.Said{Denied: []string{"make", "npm i"}}}}, want: released(Returned, ending.Denied), denied: map[string]string{"T-1": "make; npm i"}},
		"a budget":      {ran: result{end: ending.Budget}, want: released(Stopped, ending.Budget)},
		"a limit with an end": {ran: result{end: ending.UsageLimit, until: until, outcome: worker.Outcome{Said: worker.Said{Failed: "no more\ntoday"}}}, want: released(Stopped, ending.UsageLimit),
			limit: "usage_limit true no more 1"},
		"a limit without one": {ran: result{end: ending.RateLimit}, want: released(Stopped, ending.RateLimit), limit: "rate_limit false no use 1"},
		"no login":            {ran: result{end: ending.Login, outcome: worker.Outcome{Said: worker.Said{Failed: "no key"}}}, want: released(Stopped, ending.Login), limit: "login false no key 1"},
		"after another agent took it": {ran: result{end: ending.Budget}, set: func(r *turns) {
			r.takenAway()
			_, err := r.Tasks.Claim(r.T.Context(), "T-1", "bob")
			worktreetest.Must(r.T, err)
		}, want: strings.Replace(released(Stopped, ending.Budget), "task pending ", "task claimed bob", 1)},
		"and the task cannot be returned": {ran: result{end: ending.Budget}, set: func(r *turns) { r.w.Ref = "w-none" },
			want: "error: worktree \"w-none\" does not exist\n\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:0 Stopped:0}\nattempt stopped, budget: no use\ntask in_progress ann"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTurn(t)
			c.ran.attempt, c.ran.verdict.Why = r.ran().attempt, "no use"
			if c.set != nil {
				c.set(r)
			}
			if diff := cmp.Diff(c.want, r.left(r.letGo(t.Context(), c.ran))); diff != "" || !r.uncount {
				t.Errorf("%v %s", r.uncount, diff)
			}
			limit := ""
			var wait time.Time
			if l, met := r.crew.limits["claude"]; met {
				limit, wait = fmt.Sprintf("%s %t %s %d", l.kind, l.known, l.said, l.times), l.until
			}
			if diff := cmp.Diff(c.denied, r.denied); diff != "" || limit != c.limit {
				t.Errorf("%q, want %q %s", limit, c.limit, diff)
			}
			var kept *time.Time
			worktreetest.Must(t, r.Fixture.DB.Read(t.Context(), func(tx *registry.Tx) error {
				all, err := History(tx, r.w.ItemID)
				if until := all[0].Until; until != nil {
					kept = &until.Time
				}
				return err
			}))
			if (kept != nil) != c.ran.end.Waits() || kept != nil && kept.Sub(wait).Abs() > time.Second {
				t.Errorf("it waits until %v, the client until %s", kept, wait)
			}
			r.worked()
			if len(r.crew.limits) > 0 {
				t.Error("a client that works has a limit")
			}
		})
	}
}

// A try ends with its attempt: it is kept running where it was cut off, and has failed where its work is nothing to accept.
func TestEndsOfTries(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	red := refused{error: fault.Operation(nil, "the gate is\nred"), red: &land.GateFailure{Command: "make"}}
	bad := worker.Verdict{Why: "it made nothing"}
	for name, c := range map[string]struct {
		ctx     context.Context
		set     func(*turns)
		ran     result
		refused error
		want    string // the try and the attempt
		fails   string
		told    string
	}{
		"it was stopped":         {ctx: over, want: "running \"\": / stopped, : it was stopped"},
		"another agent took it":  {ran: result{lost: errTaken}, want: "running \"\": / stopped, : " + errTaken.Error(), fails: errTaken.Error()},
		"nothing done":           {ran: result{verdict: bad, end: ending.Nothing}, want: "failed \"\": it made nothing / failed, nothing: it made nothing", told: "it made nothing"},
		"left files, which stay": {set: func(r *turns) { r.crew.o.Leave = true }, ran: result{verdict: worker.Verdict{Dirt: true, Why: "it left files"}}, want: "failed \"\": it left files / failed, : it left files", told: "it left files"},
		"nothing done about a red gate": {ran: result{verdict: bad, end: ending.Nothing}, refused: red,
			want: "failed \"failed\": the gate is red; handed back: it made nothing / failed, gate: the gate is red; handed back: it made nothing", told: "the gate is red; handed back: it made nothing"},
		"nothing done about a conflict": {ran: result{verdict: bad, end: ending.Nothing}, refused: fault.Conflict("worktree", "w-1", "main moved").WithHint("merge it"),
			want: "failed \"\": main moved; handed back: it made nothing / failed, nothing: main moved; handed back: it made nothing", told: "main moved; handed back: it made nothing"},
		"its work cannot be finished": {set: func(r *turns) { r.w.Ref = "w-none" }, ran: result{verdict: worker.Verdict{Good: true}},
			want: "failed \"\": worktree \"w-none\" does not exist / failed, done: worktree \"w-none\" does not exist", told: "worktree \"w-none\" does not exist"},
		"no commit": {ran: result{verdict: worker.Verdict{Good: true}}, refused: red,
			want: "failed \"\": worktree \"W\" has no commits, so there is nothing to finish / failed, done: worktree \"W\" has no commits, so there is nothing to finish", told: "worktree \"W\" has no commits, so there is nothing to finish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTurn(t)
			r.number = 1
			var list []tries.Try
			r.Fixture.Write(func(tx *registry.Tx) (err error) {
				list, err = tries.Begin(tx, r.w, []string{"claude", "codex"})
				return err
			})
			ref := r.w.Ref
			c.ran.attempt = r.ran().attempt
			if c.set != nil {
				c.set(r)
			}
			if c.ctx == nil {
				c.ctx = t.Context()
			}
			if err := r.concludeTry(c.ctx, list[0], c.ran, c.refused); (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v, want %q", err, c.fails)
			}
			got, told := "", ""
			r.Fixture.Write(func(tx *registry.Tx) error {
				list, err := tries.Of(tx, r.w.ItemID)
				if err != nil {
					return err
				}
				all, err := History(tx, r.w.ItemID)
				got = fmt.Sprintf("%s %q: %s/ %s, %s: %s", list[0].State, list[0].Gate, strings.TrimLeft(list[0].Why+" ", " "), all[0].State, all[0].Ending, all[0].Why)
				return err
			})
			if c.told != "" {
				told = "note T-1 \"\": try 1 (claude): " + c.told
			}
			names := strings.NewReplacer(ref, "W")
			if got = names.Replace(got); got != c.want || names.Replace(strings.Join(r.told, "\n")) != told {
				t.Errorf("%s\nwant %s\n%q", got, c.want, r.told)
			}
		})
	}
}

// A task that an agent holds is given back without a run once it has spent its budget.
func TestTurnAway(t *testing.T) {
	t.Parallel()
	r := newTurn(t)
	away, err := r.turnAway(t.Context())
	if diff := cmp.Diff("\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:0 Failed:0 Stopped:0}\ntask in_progress ann", r.left(err)); diff != "" || away || r.uncount {
		t.Errorf("within the budget: %v %s", away, diff)
	}
	r.overdrawn = map[string]string{"T-1": "$2 of $1"}
	r.w.Ref, r.b.Worktree.ID = "w-none", r.w.Ref
	if away, err = r.turnAway(t.Context()); err == nil || !away || len(r.told) > 0 {
		t.Errorf("%v, %v, %q", away, err, r.told)
	}
	r.w.Ref, r.uncount = r.b.Worktree.ID, false
	away, err = r.turnAway(t.Context())
	if diff := cmp.Diff("released T-1 \"New\": budget spent: $2 of $1 (not counted)\n{Landed:0 InReview:0 Proposed:0 Kept:0 Released:1 Failed:0 Stopped:0}\ntask pending ", r.left(err)); diff != "" || !away || !r.uncount {
		t.Errorf("%v %s", away, diff)
	}
}

// A run whose worktree git cannot read is good when its agent finished it itself, and is bad otherwise.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	r := newTurn(t)
	broken := errors.New("fatal:\nnot a repository")
	check := func(want worker.Verdict) {
		t.Helper()
		got, err := r.unreadable(t.Context(), broken)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	check(worker.Verdict{Why: "it broke its worktree: fatal: not a repository"})
	worktreetest.Must(t, os.RemoveAll(r.w.Path))
	check(worker.Verdict{Why: "it deleted the folder of its worktree"})
	r.Exec(`UPDATE worktrees SET status = 'completed', finished_at = ? WHERE id = ?`, worktreetest.Stamp(0), r.w.ID)
	check(worker.Verdict{Good: true})
	r.w.ID = -1
	if got, err := r.unreadable(t.Context(), broken); err == nil || got != (worker.Verdict{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A lock that a killed git of an attempt left is removed with the attempt. The locks of other folders stay.
func TestLocksOfAKilledAttempt(t *testing.T) {
	t.Parallel()
	r := newTurn(t)
	lock := func(folder *gittest.Repo) string {
		file := filepath.Join(folder.Repo().GitDir, "index.lock")
		worktreetest.Must(t, os.WriteFile(file, nil, 0o600))
		return file
	}
	left := func(file string) bool { _, err := os.Lstat(file); return err == nil }
	a := r.ran().attempt
	tree := r.Tree(r.w)
	tree.Write("sub/x", "x")
	own, main := lock(tree), lock(r.Main)
	for name, path := range map[string]string{"none": "", "the main checkout": r.Main.Dir, "a folder of a worktree": tree.Path("sub"), "one that is gone": tree.Path("gone")} {
		a.path = path
		if tidy(t.Context(), a); !left(own) || !left(main) {
			t.Errorf("%s: a lock was removed", name)
		}
	}
	r.Exec(`UPDATE attempts SET pid = 1, mark = 'before'`)
	r.crew.o.Grace = time.Millisecond
	if err := r.crew.pickUp(t.Context()); err != nil || left(own) || !left(main) {
		t.Errorf("after it was picked up: %v, own %v, main %v", err, left(own), left(main))
	}
}

// The end of a run is that of its work, of a budget, of the client's report, or of what it left; it is in the log in words.
func TestEndsOfRuns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 1, 0, 0, 0, time.UTC)
	ended := worker.Outcome{Ending: worker.Exited, Said: worker.Said{Knows: true, Final: true}}
	failed := func(words string) worker.Outcome {
		o := ended
		o.Status, o.Said.Failed = 1, words
		return o
	}
	denied := ended
	denied.Said.Denied = []string{"make"}
	limited := failed("usage limit reached")
	limited.Said.Until = now.Add(time.Hour)
	bad := worker.Verdict{Why: "it made nothing"}
	for name, c := range map[string]struct {
		r     result
		end   ending.Kind
		until time.Time
		want  worker.Verdict
		noted string
	}{
		"good work":                    {r: result{verdict: worker.Verdict{Good: true}, outcome: failed("crash")}, end: ending.Done, want: worker.Verdict{Good: true}},
		"a lost claim":                 {r: result{lost: errTaken, verdict: bad, outcome: ended}, want: bad},
		"good work with a lost claim":  {r: result{lost: errTaken, verdict: worker.Verdict{Good: true}, end: ending.Broken}, want: worker.Verdict{Good: true}},
		"a spent budget":               {r: result{over: &spentBudget{words: "$2 of $1"}, verdict: worker.Verdict{Dirt: true, Why: "it left files"}, outcome: ended}, end: ending.Budget, want: worker.Verdict{Why: "budget spent: $2 of $1"}, noted: "budget spent: $2 of $1"},
		"a limit":                      {r: result{verdict: bad, outcome: limited}, end: ending.UsageLimit, until: now.Add(time.Hour), want: worker.Verdict{Why: "usage limit: it made nothing"}, noted: "usage limit: it made nothing"},
		"an end that was known before": {r: result{end: ending.Broken, trace: true, verdict: bad, outcome: limited}, end: ending.Broken, want: bad},
		"nothing":                      {r: result{verdict: bad, outcome: ended}, end: ending.Nothing, want: worker.Verdict{Why: "nothing done: it made nothing"}, noted: "nothing done: it made nothing"},
		"a denied tool":                {r: result{verdict: bad, outcome: denied}, end: ending.Denied, want: worker.Verdict{Why: "denied tool: it made nothing"}, noted: "denied tool: it made nothing"},
		"a denied tool, and a trace":   {r: result{trace: true, verdict: bad, outcome: denied}, end: ending.Broken, want: bad},
		"a trace":                      {r: result{trace: true, verdict: bad, outcome: ended}, end: ending.Broken, want: bad},
		"uncommitted files":            {r: result{trace: true, verdict: worker.Verdict{Dirt: true, Why: "it left files"}, outcome: ended}, end: ending.Done, want: worker.Verdict{Dirt: true, Why: "it left files"}},
		"uncommitted files of a crash": {r: result{trace: true, verdict: worker.Verdict{Dirt: true, Why: "it left files"}, outcome: failed("")}, end: ending.Crash, want: worker.Verdict{Dirt: true, Why: "it left files"}},
		"a run that was stopped":       {r: result{verdict: bad, outcome: worker.Outcome{Ending: worker.Unbegun}}, want: bad},
	} {
		log, err := runlog.Create(t.TempDir(), "w-1", runlog.Work)
		worktreetest.Must(t, err)
		(&on{}).tellEnd(&c.r, log, now)
		if c.r.end != c.end || !c.r.until.Equal(c.until) {
			t.Errorf("%s: %q until %s, want %q until %s", name, c.r.end, c.r.until, c.end, c.until)
		}
		if diff := cmp.Diff(c.want, c.r.verdict); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		worktreetest.Must(t, log.Close())
		text, err := os.ReadFile(log.Path)
		if noted := strings.TrimSuffix(strings.TrimPrefix(string(text), "agit: "), "\n"); err != nil || noted != c.noted {
			t.Errorf("%s: the log has %q, want %q, %v", name, noted, c.noted, err)
		}
	}
}

// A client's transcript is read for what it does not report itself: its tokens, its cost, or both.
func TestTranscriptsAreReadForWhatIsNotReported(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	began := time.Now().Add(-time.Hour)
	c := sessionstest.Claude{Session: "s-1", Folder: folder, Branch: "b"}
	at := began.Add(time.Minute).UTC().Format(time.RFC3339)
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/s-1.jsonl"), sessionstest.Lines(c.Says("u", at, "m", "text", 1000, 7)))
	store := &costs.Store{Kept: usage.For(filepath.Join(home, ".agit"), home, nil, nil)}
	for name, test := range map[string]struct {
		reported worker.Used
		session  string
		without  bool
		want     int64 // tokens written, by the transcript
	}{
		"nothing":                  {session: "s-1", want: 7},
		"tokens":                   {worker.Used{Input: 1, Output: 1, Cached: 1}, "s-1", false, 7},
		"a cost":                   {worker.Used{Cost: 1}, "s-1", false, 7},
		"a cost and input":         {worker.Used{Cost: 1, Input: 1}, "s-1", false, 0},
		"a cost and output":        {worker.Used{Cost: 1, Output: 1}, "s-1", false, 0},
		"a cost and cached tokens": {worker.Used{Cost: 1, Cached: 1}, "s-1", false, 0},
		"another session":          {session: "s-2"},
		"without a store":          {session: "s-1", without: true},
	} {
		turn := &on{member: &member{Store: &Store{Costs: store}}}
		if test.without {
			turn.Costs = nil
		}
		m := &meter{t: turn, a: Attempt{Client: "claude", path: filepath.Join(folder, "elsewhere")}, session: test.session, reported: test.reported}
		m.a.StartedAt.Time = began
		m.readTranscript(t.Context())
		if got := m.read.Tokens.Output; got != test.want {
			t.Errorf("%s: %d tokens, want %d", name, got, test.want)
		}
	}
}

// After a denied tool the worker goes on with the tasks that it would take otherwise: none that it is not able to do, nor one of less
// priority.
func TestTasksAfterADeniedTool(t *testing.T) {
	t.Parallel()
	r := newTranscripts(t)
	for _, n := range []task.New{{ID: "T-1", Text: "First", Priority: work.PriorityCritical}, {ID: "T-2", Text: "Second", Priority: work.PriorityHigh, Capabilities: []string{"gpu"}},
		{ID: "T-3", Text: "Third", Priority: work.PriorityLow}, {ID: "T-4", Text: "Fourth", Priority: work.PriorityHigh, Capabilities: []string{"go"}}} {
		n.Repo = "app"
		_, err := r.Tasks.Create(t.Context(), []task.New{n})
		worktreetest.Must(t, err)
	}
	var begun []string
	r.on = func(e Event) {
		if e.What == EventBegun {
			begun = append(begun, e.TaskID)
		}
	}
	r.options.MinPriority, r.options.Capabilities = work.PriorityMedium, []string{"go"}
	r.run(r.claude("claude", `echo '{"type":"result","subtype":"success","session_id":"s-1","result":"I may not.","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"make test"}}]}'`))
	if diff := cmp.Diff([]string{"T-1", "T-4"}, begun); diff != "" {
		t.Error(diff)
	}
}

// A task that cannot be begun is passed over too, and does not lead back to the one whose tool was denied.
func TestTasksInTheWayAfterADeniedTool(t *testing.T) {
	t.Parallel()
	r := newTranscripts(t, "T-1", "T-2", "T-3")
	r.Set.Dir = filepath.Join(r.scratch, "disk")
	_, err := r.Assign.Begin(t.Context(), assignment.BeginRequest{Repo: "app", Agent: "bob", Task: "T-2"})
	worktreetest.Must(t, err)
	_, err = r.Tasks.Report(t.Context(), task.Report{ID: "T-2", Status: task.Pending, Caller: task.Caller{Agent: "bob"}})
	worktreetest.Must(t, err)
	worktreetest.Must(t, os.Rename(r.Set.Dir, filepath.Join(r.scratch, "elsewhere"))) // as an unmounted disk: a person has to look
	r.Set.Dir = ".worktrees"
	var begun []string
	r.on = func(e Event) {
		if e.What == EventBegun {
			if begun = append(begun, e.TaskID); len(begun) > 4 {
				r.stop()
			}
		}
	}
	r.run(r.claude("claude", `echo '{"type":"result","subtype":"success","session_id":"s-1","result":"I may not.","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"make test"}}]}'`))
	if diff := cmp.Diff([]string{"T-1", "T-3"}, begun); diff != "" {
		t.Errorf("%s\n%s", diff, r.events.String())
	}
}
