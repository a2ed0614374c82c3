package review_test

import (
	"slices"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
)

// landing writes the row of a landing of the worktree that ended d ago.
func (f *fixture) landing(w worktree.Worktree, state string, gate, log string, d time.Duration) {
	f.t.Helper()
	f.Exec(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, commit_oid, gate_result, log, reason, asked_at, finished_at)
		VALUES (?, ?, ?, ?, ?, 1, 'v-1', ?, 'merge', 'main', '', 'abc', ?, ?, 'it is behind', ?, ?)`,
		registry.NewUID(), f.Repo.ProjectID, f.Repo.ID, w.ID, registry.Host(), state, gate, log, worktreetest.Stamp(-d), worktreetest.Stamp(-d))
}

func (f *fixture) outcome() review.Outcome {
	f.t.Helper()
	o, err := f.store.Outcome(f.t.Context(), "app", time.Hour)
	worktreetest.Must(f.t, err)
	return o
}

// Work that landed or was returned is shown since the time that was asked for, and nothing older.
func TestOutcomeIsSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state string
		ago   time.Duration
		want  [2]int // landed, stopped
	}{
		"landed lately":      {"landed", 59 * time.Minute, [2]int{1, 0}},
		"landed before":      {"landed", 61 * time.Minute, [2]int{0, 0}},
		"returned lately":    {"returned", 59 * time.Minute, [2]int{0, 1}},
		"returned before":    {"returned", 61 * time.Minute, [2]int{0, 0}},
		"it is not over yet": {"queued", 0, [2]int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.landing(f.w, c.state, "", "", c.ago)
			o := f.outcome()
			if got := [2]int{len(o.Landed), len(o.Stopped)}; got != c.want {
				t.Fatalf("%+v", o)
			}
			if len(o.Landed) == 1 {
				if l := o.Landed[0]; l.Commit != "abc" || l.TaskID != "T-1" || l.Agent != "ann" || l.Into != "main" || l.Repo != "app" {
					t.Errorf("%+v", l)
				}
			}
			if len(o.Stopped) == 1 {
				if s := o.Stopped[0]; s.What != review.StoppedReturned || s.Why != "it is behind" || s.Worktree != f.w.Ref {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// A waiting review shows a gate that failed when it was to be accepted; a landing that was returned before the work was shown is history.
func TestOutcomeOfAReview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gate string
		ago  time.Duration // of the landing; the work is shown a minute ago
		want string
	}{
		"the gate failed since":  {"failed", 0, "failed"},
		"the gate failed before": {"failed", 2 * time.Minute, "passed"},
		"it conflicted":          {"", 0, "passed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.show("Done.")
			f.Exec(`UPDATE reviews SET asked_at = ?`, worktreetest.Stamp(-time.Minute))
			f.landing(f.w, "returned", c.gate, "/logs/1", c.ago)
			o := f.outcome()
			if len(o.Waiting) != 1 || len(o.Stopped) != 0 || o.Waiting[0].Gate != c.want || (o.Waiting[0].GateLog == "/logs/1") != (c.want == "failed") {
				t.Errorf("%+v", o)
			}
		})
	}
}

// Work that waits on other machines comes last, with its machine.
func TestOutcomeElsewhere(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	now := worktreetest.Stamp(0)
	f.Exec(`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at) VALUES (9, 'r9', ?, 'app', 'app', 'laptop', '/app', '/app/.git', 'main', ?, ?)`, f.Repo.ProjectID, now, now)
	f.Exec(`INSERT INTO worktrees (id, uid, ref, repo_id, host, path, branch, status, created_at, updated_at) VALUES (9, 'w9', 'w-9', 9, 'laptop', '/w', 'b', 'active', ?, ?)`, now, now)
	f.Exec(`INSERT INTO reviews (uid, project_id, worktree_id, state, tip_oid, onto_oid, summary, gate, gate_log, files, insertions, deletions, asked_at) VALUES ('v9', ?, 9, 'waiting', 'abc', '', 'There.', '', '', 1, 1, 1, ?)`, f.Repo.ProjectID, worktreetest.Stamp(-time.Hour))
	o := f.outcome()
	if len(o.Waiting) != 2 || o.Waiting[0].Machine != "" || o.Waiting[1].Machine != "laptop" || o.Waiting[1].Worktree != "w-9" {
		t.Errorf("%+v", o.Waiting)
	}
}

// Tasks that failed and those that were given back are shown once, with the log of the landing that was refused before.
func TestOutcomeOfTasks(t *testing.T) {
	t.Parallel()
	ann := task.Caller{Agent: "ann"}
	for name, c := range map[string]struct {
		report []task.Report
		want   []string // the result, and why
	}{
		"failed":             {[]task.Report{{Status: task.Failed, Result: "no access"}}, []string{"failed: no access"}},
		"canceled":           {[]task.Report{{Status: task.Failed, Result: task.Canceled}}, []string{"not landed: it is behind"}},
		"given back":         {[]task.Report{{Status: task.Pending, Why: "too large"}}, []string{"given back: too large"}},
		"given back, taken":  {[]task.Report{{Status: task.Pending, Why: "too large"}, {Status: task.Claimed}}, []string{"not landed: it is behind"}},
		"under way, refused": {nil, []string{"not landed: it is behind"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.landing(f.w, "returned", "failed", "/logs/1", time.Minute)
			for _, r := range c.report {
				r.Caller, r.ID = ann, "T-1"
				var err error
				if r.Status == task.Claimed {
					_, err = f.tasks.Claim(t.Context(), "T-1", "ann")
				} else {
					_, err = f.tasks.Report(t.Context(), r)
				}
				worktreetest.Must(t, err)
			}
			var got []string
			for _, s := range f.outcome().Stopped {
				got = append(got, s.What+": "+s.Why)
				if s.Log != "/logs/1" || s.Worktree != f.w.Ref {
					t.Errorf("%+v", s)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
