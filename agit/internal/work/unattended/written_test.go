package unattended

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Each step of an attempt writes its columns, and announces the task.
func TestRowsThatAnAttemptWrites(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	w := registrytest.NewWatch(t, r.DB, []string{"attempts", "changes"}, "attempts.pid", "attempts.mark", "attempts.host", "changes.at", "changes.seq", "changes.project_id")
	turn := &on{member: &member{Store: r.Store, agent: "ann", crew: &Crew{o: Options{Budgets: budgets(t, "2usd/task")}}}, b: brief.Brief{Task: &brief.Task{ID: "T-1"}},
		w: worktree.Worktree{ID: r.place("w-1"), Ref: "w-1", ItemID: r.item, AgentID: r.ann.ID, ProjectID: r.repo.ProjectID}}
	done := result{attempt: Attempt{Run: "run-1", ItemID: r.item, TaskID: "T-1", Cause: Begun, Client: "claude", Session: "s-1", Log: "/log", projectID: r.repo.ProjectID}}
	used := Used{Input: 1, Output: 2, Cached: 3, Micros: 4, Currency: "USD", Model: "m", Turns: 5}
	until := timestamp.Of(time.Now().Add(3 * time.Hour))
	changes := func(step, want string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if diff := cmp.Diff(want, w.Changes()); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	changes("begun", "\t+ attempts 1: id=1 run='run-1' item_id=1 agent_id=1 worktree_id=1 cause='begun' client='claude' session='s-1' child_pid=0 state='running' log='/log' started_at='now' tokens_in=0 tokens_out=0 tokens_cached=0 cost=0 computed=0 turns=0\n"+
		"\t+ changes 5: topic='tasks' subject='T-1'\n", func() error { return turn.begin(t.Context(), &done) })
	if a := done.attempt; a.ID != 1 || time.Since(a.StartedAt.Time) > time.Minute {
		t.Errorf("%+v", a)
	}
	changes("its client runs", "\t~ attempts 1: child_pid=7 child_mark='mark'\n", func() error { return r.started(t.Context(), done.attempt, 7, "mark") })
	changes("it used something", "\t~ attempts 1: session='s-2' tokens_in=1 tokens_out=2 tokens_cached=3 cost=4 currency='USD' model='m' turns=5\n", func() error {
		over, err := turn.keepUsed(t.Context(), done.attempt, "s-2", used)
		if over != nil {
			t.Error(over)
		}
		return err
	})
	changes("it used too much", "\t~ attempts 1: cost=2000000 computed=1\n", func() error {
		used.Micros, used.Computed = 2_000_000, true
		over, err := turn.keepUsed(t.Context(), done.attempt, "s-2", used)
		if over == nil {
			t.Error("within the budget")
		}
		return err
	})
	done.attempt.Summary, done.attempt.Session = "half of it", "s-3"
	changes("it is finished", "\t~ attempts 1: session='s-3' why='its work is being finished' summary='half of it'\n", func() error { return r.note(t.Context(), done.attempt, finishing) })
	done.attempt.State, done.attempt.Why, done.attempt.Ending, done.attempt.Until, done.attempt.Used = Done, "landed", ending.Done, &until, Used{Turns: 6}
	changes("it ended", "\t~ attempts 1: state='done' why='landed' ended_at='now' ending='done' until='now+3h0m0s' tokens_in=0 tokens_out=0 tokens_cached=0 cost=0 currency='' computed=0 model='' turns=6\n\t+ changes 6: topic='tasks' subject='T-1'\n",
		func() error { return r.ended(t.Context(), done.attempt) })
	done.attempt.State, done.attempt.Summary = Failed, "none of it"
	changes("it ended already", "\t+ changes 7: topic='tasks' subject='T-1'\n", func() error { return r.ended(t.Context(), done.attempt) })
	changes("it is noted late", "", func() error { return r.note(t.Context(), done.attempt, "late") })
	changes("it used more", "", func() error { _, err := turn.keepUsed(t.Context(), done.attempt, "s-9", used); return err })
}
