package command

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// TestPullRequestsListed lists the pull requests of worktrees as they were seen last, where the forge cannot be asked.
func TestPullRequestsListed(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	for _, branch := range []string{"first", "second"} {
		if err := runSpawn(t.Context(), &spawnOptions{env: run.Env, Request: spawn.Request{Branch: branch, Agent: "ann"}}); err != nil {
			t.Fatal(err)
		}
	}
	seen := registry.FormatTime(time.Now().Add(-2 * time.Hour))
	if err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO pull_requests (uid, worktree_id, forge, number, url, target, state, checks, review, opened_at, seen_at)
			SELECT branch, id, 'github', id + 6, 'https://forge.example/ann/app-with-a-long-name/pull/' || branch, 'main', CASE branch WHEN 'first' THEN 'open' ELSE 'merged' END, 'failed', 'changes requested', ?, ? FROM worktrees`, seen, seen)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		t.Helper()
		run.Out.Reset()
		run.Errs.Reset()
		if err := changing(run.Env, runPR)(t.Context(), &prOptions{env: run.Env}); err != nil {
			t.Fatal(err)
		}
		return run.Out.String()
	}
	got := strings.Split(list(), "\n")
	for i, want := range []string{"\t#7\topen\tchecks failed, changes requested\thttps://forge.example/ann/app-with-a-long-name/pull/first", "\t#8\tmerged\t\thttps://forge.example/ann/app-with-a-long-name/pull/second", ""} {
		if len(got) != 3 || !strings.HasSuffix(got[i], want) {
			t.Errorf("line %d is not %q:\n%s", i+1, want, strings.Join(got, "\n"))
		}
	}
	if said := run.Errs.String(); !strings.HasPrefix(said, "warning: first-") || !strings.Contains(said, " #7 is shown as it was 2h ago: the repository has no remote") || strings.Count(said, "\n") != 1 {
		t.Errorf("%s", said)
	}
	run.Streams.LayOut(64)
	narrow := list()
	for _, line := range strings.Split(narrow, "\n") {
		if len(line) > 64 {
			t.Errorf("a line is too long: %q", line)
		}
	}
	if strings.Contains(narrow, "\t") || !strings.HasPrefix(narrow, "WORKTREE") || !strings.Contains(narrow, "https://") {
		t.Errorf("%s", narrow)
	}
	tells(t, "pull-event", printed{"event", inEnv(t, func(env *cli.Env) error {
		e := pull.Event{What: "handed back", Why: "make test failed", Pull: forge.PullRequest{Name: "login", Number: 7, State: forge.Open, Checks: forge.ChecksFailed}}
		return printPull(t.Context(), &prOptions{env: env}, e)
	})})
}

// TestWorkIsStopped ends a run that is stopped with the reason, and leaves worktree and claim.
func TestWorkIsStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the client is a shell")
	}
	t.Parallel()
	run := taskRun(t)
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it", ID: "T-1"}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var errs ending
	errs.when("  begun  T-1", end)
	run.Streams.Err = &errs
	run.Readers = 2
	work := &workOptions{env: run.Env, Workers: 1, Agent: "ann", Tasks: 1, Land: "never", Command: []string{"/bin/sh", "-c", "exec sleep 600"}}
	if err := runWork(ctx, work); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; %s", err, errs.String())
	}
	if out := run.Out.String(); !strings.Contains(out, "app\t1 stopped\t") && !strings.Contains(out, "app\tnothing was begun\t") {
		t.Errorf("%s", out)
	}
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Tasks.Get(t.Context(), "T-1"); err != nil || d.Agent != "ann" || d.Status == task.Pending || d.Worktree == "" {
		t.Errorf("%+v, %v", d, err)
	}
}
