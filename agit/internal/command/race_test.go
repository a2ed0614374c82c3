package command

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

func TestRaceOptions(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	o, err := clitest.Options(env, newRace, "T-1", "--tries", "3", "--agent", "ann", "--", "./a.sh", "x")
	if err != nil || o.Task != "T-1" || o.Tries != 3 || o.Agent != "ann" || o.Workers != 1 || strings.Join(o.Command, " ") != "./a.sh x" || o.ACP {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{}, {"T-1", "T-2"}, {"T-1", "--tries", "some"}} {
		if o, err := clitest.Options(env, newRace, args...); err == nil {
			t.Errorf("%q is not refused: %+v", args, o)
		}
	}
}

// A race is run, its tries are compared, and one is accepted: the other goes to the trash.
func TestRaceToItsEnd(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	t.Parallel()
	run := taskRun(t)
	create := &taskCreateOptions{env: run.Env, Text: "fix it", ID: "T-1"}
	if _, err := do(t, run, changing(run.Env, runTaskCreate), create); err != nil {
		t.Fatal(err)
	}
	race := func(tries int, script string) error {
		return runRace(t.Context(), &raceOptions{Task: "T-1", workOptions: workOptions{env: run.Env, Workers: 1, Agent: "ann", Tries: tries, Command: []string{"/bin/sh", "-c", script}}})
	}
	for _, tries := range []int{0, 1, -1} {
		if err := race(tries, "true"); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%d tries: %v", tries, err)
		}
	}
	if err := race(2, `case "$PWD" in *try2*) echo second > b.txt;; *) echo first > a.txt;; esac`); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	stands, err := s.Reviews.Outcome(t.Context(), "app", time.Hour)
	if err != nil || len(stands.Waiting) != 2 || len(stands.Tries) != 1 || len(stands.Tries[0].Tries) != 2 {
		t.Fatalf("%+v, %v", stands, err)
	}
	rows := stands.Tries[0].Tries
	first, second := rows[0].Worktree, rows[1].Worktree

	run.Out.Reset()
	if err := runReview(t.Context(), &reviewOptions{env: run.Env, Since: "24h"}); err != nil {
		t.Fatal(err)
	}
	if shown := run.Out.String(); strings.Count(shown, "T-1") < 1 || !strings.Contains(shown, "Tries of T-1") {
		t.Errorf("review shows\n%s", shown)
	}
	for named, want := range map[string][2]bool{first + ".." + second: {true, true}, first: {true, false}, second: {false, true}} {
		run.Out.Reset()
		if err := looking(run.Env, runDiff)(t.Context(), &diffOptions{env: run.Env, Worktree: named}); err != nil {
			t.Fatal(err)
		}
		for i, file := range []string{"a.txt", "b.txt"} {
			if strings.Contains(run.Out.String(), file) != want[i] {
				t.Errorf("diff of %s:\n%s", named, run.Out)
			}
		}
	}
	for _, named := range []string{first + "..", ".." + second} {
		if err := looking(run.Env, runDiff)(t.Context(), &diffOptions{env: run.Env, Worktree: named}); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("diff of %s: %v", named, err)
		}
	}

	run.Out.Reset()
	run.Errs.Reset()
	if err := runReview(t.Context(), &reviewOptions{env: run.Env, Worktree: second, Accept: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(run.Errs.String(), "the other try "+first+" is in the trash: `agit undo "+first+"` brings it back") {
		t.Errorf("%s", run.Errs)
	}
	d, err := s.Tasks.Get(t.Context(), "T-1")
	if err != nil || d.Status != task.Completed {
		t.Errorf("%+v, %v", d, err)
	}
	if stands, err = s.Reviews.Outcome(t.Context(), "app", time.Hour); err != nil || len(stands.Waiting)+len(stands.Tries) != 0 || len(stands.Landed) != 1 {
		t.Errorf("%+v, %v", stands, err)
	}
	if _, err := s.Reviews.Diff(t.Context(), "app", first, review.Whole); err == nil {
		t.Error("the other try is still there")
	}
}

// A session is opened where its client knows how, no run goes on, and there is one.
func TestResumeSession(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it", ID: "T-1"}); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	work := &workOptions{env: run.Env, Workers: 1, Agent: "ann", Tasks: 1, Empty: true, Land: "never", Command: []string{"/bin/sh", "-c", "echo a > a.txt"}}
	if err := runWork(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	trees, err := s.Worktrees.List(t.Context(), "app", false)
	if err != nil || len(trees) != 1 {
		t.Fatalf("%+v, %v", trees, err)
	}
	set := func(client, session, state string, pid int) {
		t.Helper()
		if err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE attempts SET client = ?, session = ?, state = ?, pid = CASE WHEN ? = 0 THEN pid ELSE ? END`, client, session, state, pid, pid)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	resume := func() (string, error) {
		run.Out.Reset()
		err := looking(run.Env, runResume)(t.Context(), &resumeOptions{env: run.Env, Worktree: trees[0].Ref})
		return run.Out.String(), err
	}
	if _, err := resume(); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("without a session: %v", err)
	}
	set("codex", "s-1", "done", 0)
	if out, err := resume(); err != nil || !strings.HasSuffix(strings.TrimSpace(out), "&& codex resume s-1") || !strings.HasPrefix(out, "cd ") {
		t.Errorf("%q, %v", out, err)
	}
	at := trees[0].Path
	run.Out.Reset()
	if err := looking(run.Env, runResume)(t.Context(), &resumeOptions{env: run.Env, Worktree: ".", unnamed: true}); err != nil || run.Out.String() != "cd "+at+" && codex resume s-1\n" {
		t.Errorf("the only one: %q, %v", run.Out, err)
	}
	set("no such client", "s-1", "done", 0)
	if _, err := resume(); err == nil {
		t.Error("a client that is not known is opened")
	}
	set("codex", "s-1", "running", 0) // by this process, which lives
	if _, err := resume(); !fault.Is(err, fault.KindConflict) {
		t.Errorf("while a run goes on: %v", err)
	}
	run.Out.Reset()
	run.Errs.Reset()
	for _, who := range []string{"ann", trees[0].Ref} {
		run.Out.Reset()
		run.Errs.Reset()
		if err := looking(run.Env, runAttach)(t.Context(), &attachOptions{env: run.Env, Who: who, Once: true, Tail: 1}); err != nil || strings.Count(run.Out.String(), "\n") != 1 || !strings.HasPrefix(run.Errs.String(), "ann at T-1 with codex, since ") {
			t.Errorf("attached to %s: %v, %q, %q", who, err, run.Out, run.Errs)
		}
	}
	if err := looking(run.Env, runAttach)(t.Context(), &attachOptions{env: run.Env, Who: "bob", Once: true}); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), "no run of `agit work` goes on at \"bob\"; `agit logs bob` shows the last one") {
		t.Errorf("attached to bob: %v", err)
	}
	set("codex", "s-1", "running", 1<<30)
	if _, err := resume(); err != nil {
		t.Errorf("a run whose process is gone: %v", err)
	}
}
