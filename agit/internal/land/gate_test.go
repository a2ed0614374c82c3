package land_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

func landing(f *worktreetest.Fixture, ref string, change func(*land.Request)) (land.Merged, error) {
	o := land.Request{Repo: "app", Worktree: ref}
	if change != nil {
		change(&o)
	}
	return f.Landings.Land(context.Background(), o)
}

func lastOf(f *worktreetest.Fixture, ref string) land.Landing {
	f.T.Helper()
	l, err := f.LastOf(context.Background(), "app", ref)
	if err != nil || l == nil {
		f.T.Fatalf("%v %v", l, err)
	}
	return *l
}

// The gate runs on the merged state, with variables that name what it judges.
func TestGateIsGreen(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.Main.Commit("meanwhile", "b.txt", "moved\n")
	f.Set.Gate = []string{`test -e new/x && grep -q moved b.txt`, `test "$AGIT_WORKTREE $AGIT_TARGET" = "` + w.Ref + ` main" && test "$AGIT_COMMIT" = "$(git rev-parse HEAD)" && echo "judged $AGIT_COMMIT"`}
	out := f.Merge(w)
	if f.Main.Head() != out.Commit || !out.Removed {
		t.Errorf("%+v", out)
	}
	l := lastOf(f, w.Ref)
	if l.State != land.Landed || l.GateResult != land.GatePassed || l.Commit != out.Commit || l.TestedTree != f.Main.Git("rev-parse", "HEAD^{tree}") || l.TargetCommit != f.Main.Git("rev-parse", "HEAD^") || l.Rounds != 1 {
		t.Errorf("%+v", l)
	}
	log, err := os.ReadFile(l.Log)
	if err != nil || !strings.Contains(string(log), "judged "+out.Commit) || !strings.Contains(string(log), "green") {
		t.Errorf("%v\n%s", err, log)
	}
	f.Sound()
}

func TestGateIsRed(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.Set.Gate = []string{`echo begins; exit 0`, `echo password=hunter2secret; echo last; exit 7`}
	head := f.Main.Head()
	_, err := landing(f, w.Ref, nil)
	var red *land.GateFailure
	if !errors.As(err, &red) || !fault.Is(err, fault.KindOperation) {
		t.Fatal(err)
	}
	if red.Exit != 7 || red.Worktree != w.Ref || !slices.Contains(red.Lines, "last") || strings.Contains(strings.Join(red.Lines, "\n"), "hunter2secret") || strings.Contains(err.Error(), "hunter2secret") {
		t.Errorf("%+v", red)
	}
	log, readErr := os.ReadFile(red.Log)
	if readErr != nil || !strings.Contains(string(log), "begins") || strings.Contains(string(log), "hunter2secret") {
		t.Errorf("%v\n%s", readErr, log)
	}
	if f.Main.Head() != head || f.Get(w).Status != worktree.Active {
		t.Error("something changed")
	}
	l := lastOf(f, w.Ref)
	if l.State != land.Returned || l.GateResult != land.GateFailed || l.Commit != "" || l.TestedTree != "" || !strings.Contains(l.Reason, "exit status 7") {
		t.Errorf("%+v", l)
	}
	queue, err := f.Landings.Queue(context.Background(), "app")
	if err != nil || len(queue) != 1 || queue[0].Worktree != w.Ref || queue[0].Position != 0 {
		t.Errorf("%v %+v", err, queue)
	}
	f.Sound()

	// Asked again with another gate it lands, and is off the list.
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Gate = []string{"true"} }); err != nil {
		t.Fatal(err)
	}
	if queue, err = f.Landings.Queue(context.Background(), "app"); err != nil || len(queue) != 0 {
		t.Errorf("%v %+v", err, queue)
	}
}

func TestGateTakesTooLong(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	mark := filepath.Join(t.TempDir(), "sleep")
	if err := os.Symlink("/bin/sleep", mark); err != nil {
		t.Skip(err)
	}
	// The second is in a session of its own, which no group kill reaches.
	f.Set.Gate, f.Set.GateTimeout = []string{mark + " 600 & setsid " + mark + " 600 & " + mark + " 600"}, 300*time.Millisecond
	_, err := landing(f, w.Ref, nil)
	var red *land.GateFailure
	if !errors.As(err, &red) || red.Exit != -1 || !strings.Contains(err.Error(), "after its limit") {
		t.Fatal(err)
	}
	if left := running(mark); len(left) > 0 {
		t.Errorf("%q still run", left)
	}
	f.Sound()
}

// When the branch moves while the gate runs, the merge is built and tested again: exactly the tested commit lands.
func TestGateRunsAgainWhenTheBranchMoves(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	log := filepath.Join(t.TempDir(), "rounds")
	f.Set.Gate = []string{`git rev-parse HEAD^ >>` + log}
	moves := 0
	f.At("merge:gate", func() {
		if moves++; moves <= 5 { // a person may also commit when no other merge is under way
			f.Main.Commit(fmt.Sprint("moved ", moves), "b.txt", fmt.Sprint(moves))
		}
	})
	out := f.Merge(w)
	rounds, err := os.ReadFile(log)
	if err != nil || strings.Count(string(rounds), "\n") != 6 || !strings.HasSuffix(strings.TrimSpace(string(rounds)), f.Main.Git("rev-parse", "HEAD^")) {
		t.Errorf("%v\n%s", err, rounds)
	}
	if l := lastOf(f, w.Ref); l.Rounds != 6 || l.State != land.Landed || l.TestedTree != f.Main.Git("rev-parse", out.Commit+"^{tree}") {
		t.Errorf("%+v", l)
	}
	f.Sound()
}

// Landings with a gate go one after another, in the order they asked.
func TestLandingsTakeTurns(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	busy := filepath.Join(t.TempDir(), "busy")
	f.Set.Gate = []string{`mkdir ` + busy + ` && git rev-parse HEAD >/dev/null && rmdir ` + busy}
	const n = 5
	var trees []worktree.Worktree
	for i := range n {
		w := f.Spawn(spawn.Request{Task: fmt.Sprint("t", i)})
		f.Tree(w).Commit(fmt.Sprint("t", i), fmt.Sprint("f", i), "x")
		trees = append(trees, w)
	}
	hold, asked := make(chan struct{}), make(chan struct{}, n)
	var wait sync.WaitGroup
	begin := func(i int) {
		wait.Go(func() {
			var once sync.Once
			_, err := landing(f, trees[i].Ref, func(o *land.Request) {
				o.Waiting = func([]land.Landing) { once.Do(func() { asked <- struct{}{} }) }
				if i == 0 {
					o.Running = func(string) { once.Do(func() { asked <- struct{}{} }); <-hold }
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-asked
	}
	for i := range n {
		begin(i)
	}
	queue, err := f.Landings.Queue(context.Background(), "app")
	if err != nil || len(queue) != n {
		t.Fatalf("%v %+v", err, queue)
	}
	for i, l := range queue {
		if l.Worktree != trees[i].Ref || l.Position != i+1 || (l.State == land.Running) != (i == 0) {
			t.Errorf("%d: %+v", i, l)
		}
	}
	if _, err := landing(f, trees[1].Ref, nil); !fault.Is(err, fault.KindConflict) {
		t.Errorf("asked twice: %v", err)
	}
	// One without a gate does not wait.
	quick := f.Spawn(spawn.Request{Task: "quick"})
	f.Tree(quick).Commit("quick", "quick", "x")
	if _, err := landing(f, quick.Ref, func(o *land.Request) { o.Gate = []string{} }); err != nil {
		t.Error(err)
	}
	close(hold)
	wait.Wait()
	got := strings.Split(f.Main.Git("log", "--first-parent", "--reverse", "--format=%s", "HEAD~6.."), "\n")
	for i, subject := range got[1:] {
		if !strings.Contains(subject, trees[i].Branch) {
			t.Errorf("%d: %s", i, subject)
		}
	}
	f.Sound()
}

// A landing that stops waiting is off the queue.
func TestCancelledInTheQueue(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	first, second := f.Worked("first"), f.Spawn(spawn.Request{Task: "second"})
	f.Tree(second).Commit("second", "s", "s")
	f.Set.Gate = []string{"true"}
	hold := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	running := make(chan struct{})
	go func() {
		_, err := landing(f, first.Ref, func(o *land.Request) { o.Running = func(string) { close(running); <-hold } })
		done <- err
	}()
	<-running
	_, err := f.Landings.Land(ctx, land.Request{Repo: "app", Worktree: second.Ref, Waiting: func([]land.Landing) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if l := lastOf(f, second.Ref); l.State != land.Cancelled || l.Reason == "" {
		t.Errorf("%+v", l)
	}
	close(hold)
	if err := <-done; err != nil {
		t.Error(err)
	}
	f.Sound()
}

// The requested commit lands: later commits stay in the worktree, and a branch that lost the commit is returned.
func TestPinnedTip(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*worktreetest.Fixture, worktree.Worktree)
		returned  bool
	}{
		"more commits": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Commit("more", "more", "m") }, false},
		"new edits":    {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("a.txt", "edited") }, false},
		"amended": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Git("commit", "--quiet", "--amend", "-m", "other")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			first, second := f.Spawn(spawn.Request{Task: "first"}), f.Worked("second")
			f.Tree(first).Commit("first", "f", "f")
			f.Set.Gate = []string{"true"}
			tip := f.Tree(second).Head()
			hold, running, done := make(chan struct{}), make(chan struct{}), make(chan error)
			go func() {
				_, err := landing(f, first.Ref, func(o *land.Request) { o.Running = func(string) { close(running); <-hold } })
				done <- err
			}()
			<-running
			var once sync.Once
			out, err := landing(f, second.Ref, func(o *land.Request) {
				o.Waiting = func([]land.Landing) { once.Do(func() { test.meanwhile(f, second); close(hold) }) }
			})
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if test.returned {
				if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), tip[:12]) || lastOf(f, second.Ref).State != land.Returned || f.Get(second).Status != worktree.Active {
					t.Errorf("%v %+v", err, lastOf(f, second.Ref))
				}
			} else if err != nil || out.Removed || len(out.Kept) == 0 || f.Main.Git("rev-parse", "HEAD^2") != tip || lastOf(f, second.Ref).State != land.Landed {
				t.Errorf("%v %+v", err, out)
			}
			f.Sound()
		})
	}
}

// A commit that is named is what lands.
func TestTipIsNamed(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	tip := f.Tree(w).Head()
	f.Tree(w).Commit("more", "more", "m")
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Tip = f.Main.Commit("elsewhere", "e", "e") }); !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Tip = "nothing" }); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Tip = w.Base }); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "is where its branch") {
		t.Errorf("landing what was there before its first commit: %v", err)
	}
	out, err := landing(f, w.Ref, func(o *land.Request) { o.Tip = tip })
	if err != nil || out.Removed || f.Main.Git("rev-parse", "HEAD^2") != tip {
		t.Errorf("%v %+v", err, out)
	}
}

// A trial shows what would land and what the gate says of it, and moves nothing.
func TestTry(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	head := f.Main.Head()
	f.Set.Gate = []string{"test -e new/x"}
	out, err := f.Landings.Try(context.Background(), land.Request{Repo: "app", Worktree: w.Ref}, nil)
	if err != nil || out.GateResult != land.GatePassed || out.FilesChanged != 2 || out.IntoCommit != head || f.Main.Git("rev-parse", out.Commit+"^{tree}") != out.Tree {
		t.Errorf("%v %+v", err, out)
	}
	f.Main.Git("bisect", "start") // a person is at something in the main checkout, where nothing is to move
	if _, err := f.Landings.Try(context.Background(), land.Request{Repo: "app", Worktree: w.Ref}, nil); err != nil {
		t.Error(err)
	}
	f.Main.Git("bisect", "reset")
	var red *land.GateFailure
	if _, err := f.Landings.Try(context.Background(), land.Request{Repo: "app", Worktree: w.Ref, Gate: []string{"false"}}, nil); !errors.As(err, &red) {
		t.Error(err)
	}
	kept := ""
	keep := func(fails error) func(*registry.Tx, land.Trial) error {
		return func(tx *registry.Tx, trial land.Trial) error {
			kept = trial.GateResult
			return fails
		}
	}
	if _, err := f.Landings.Try(context.Background(), land.Request{Repo: "app", Worktree: w.Ref}, keep(nil)); err != nil || kept != land.GatePassed {
		t.Errorf("kept %q, %v", kept, err)
	}
	broken := errors.New("cannot be kept")
	if _, err := f.Landings.Try(context.Background(), land.Request{Repo: "app", Worktree: w.Ref}, keep(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if f.Main.Head() != head || f.Get(w).Status != worktree.Active || f.Get(w).Operation() != "" {
		t.Error("something changed")
	}
	then := 0
	for _, fails := range []error{nil, broken} {
		err := f.Landings.Committing(context.Background(), f.Get(w), func() error { return fails }, func(tx *registry.Tx) error {
			then++
			now, err := worktree.ByRef(tx, w.Ref)
			if now.Operation() != "" {
				t.Errorf("read in the middle of %s", now.Operation())
			}
			return err
		})
		if !errors.Is(err, fails) || f.Get(w).Operation() != "" {
			t.Errorf("%v: %v", fails, err)
		}
	}
	if then != 1 {
		t.Errorf("read %d times, and not once", then)
	}
	f.Sound()
}

// running returns the command lines of processes that hold a word, where the system lists them.
func running(word string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), word) {
			found = append(found, string(line))
		}
	}
	return found
}
