package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestRunIgnoresRedirection(t *testing.T) {
	r, other := gittest.New(t), gittest.New(t)
	oid := r.Commit("c", "f", "x\n")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"} {
		t.Setenv(name, filepath.Join(other.Dir, ".git"))
	}
	if got, err := r.Repo().Run(context.Background(), "rev-parse", "HEAD"); err != nil || got != oid {
		t.Errorf("%q, %v", got, err)
	}
}

func TestErrorKeepsCauseWithoutAdvice(t *testing.T) {
	r := gittest.New(t)
	r.Commit("c")
	w := r.Worktree("w")
	w.Write("untracked", "precious")
	_, err := r.Repo().Run(context.Background(), "worktree", "remove", "--", w.Dir)
	if git.ExitCode(err) != 128 {
		t.Fatalf("exit %d: %v", git.ExitCode(err), err)
	}
	text := git.Fault(err, "remove %q", "w").Error()
	if !strings.Contains(text, "modified or untracked") || strings.Contains(text, "--force") {
		t.Error(text)
	}
}

func TestFaults(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.Commit("c", "f", "1\n")
	r.Write(".git/index.lock", "")
	r.Write("f", "2\n")
	_, err := r.Repo().Run(ctx, "add", "f")
	if f := git.Fault(err, "stage"); !f.Retryable || strings.Contains(f.Error(), "remove the file") {
		t.Errorf("locked: %v", f)
	} else if lock := r.Dir + "/.git/index.lock"; !strings.Contains(f.Hint, lock) || !strings.Contains(f.Hint, "`agit doctor` reports") {
		t.Errorf("the hint does not name the lock and who finds it: %s", f.Hint)
	}
	r.Write(".git/packed-refs.lock", "")
	_, err = r.Repo().Run(ctx, "pack-refs", "--all")
	if f := git.Fault(err, "pack"); !f.Retryable || !strings.Contains(f.Hint, r.Dir+"/.git/packed-refs.lock") || !strings.Contains(f.Hint, "`agit doctor --fix` removes") {
		t.Errorf("locked refs: %v", f)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = r.Repo().Run(ctx, "status")
	if f := git.Fault(err, "look"); f.Kind != fault.KindOperation || !strings.Contains(f.Error(), "install git") {
		t.Errorf("missing: %v", f)
	}
}

func TestDubiousOwnership(t *testing.T) {
	r := gittest.New(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := r.Repo().Run(context.Background(), "status")
	if err == nil {
		t.Skip("this git has no test switch for ownership")
	}
	if f := git.Fault(err, "look"); !strings.Contains(f.Error(), "safe.directory") {
		t.Error(f)
	}
}

func TestCancelReachesWhatGitStarted(t *testing.T) {
	r := gittest.New(t)
	r.Commit("c")
	fifo := filepath.Join(t.TempDir(), "started")
	r.Git("config", "alias.hang", "!touch '"+fifo+"'; sleep 600")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	start := time.Now()
	go func() { _, err := r.Repo().Run(ctx, "hang"); done <- err }()
	for _, err := os.Stat(fifo); err != nil; _, err = os.Stat(fifo) {
		runtime.Gosched()
	}
	cancel()
	err := <-done
	if !errors.Is(err, context.Canceled) || time.Since(start) > 9*time.Minute {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if f := fault.From(git.Fault(err, "hang")); !f.Retryable {
		t.Error(f)
	}
}

func TestOutputOptions(t *testing.T) {
	r := gittest.New(t)
	r.Commit("c")
	var b strings.Builder
	_, err := r.Repo().Output(context.Background(), git.Options{Stdin: strings.NewReader("text"), Stdout: &b}, "hash-object", "--stdin")
	if err != nil || !git.IsOID(strings.TrimSpace(b.String())) {
		t.Errorf("%q, %v", b.String(), err)
	}
	index := filepath.Join(t.TempDir(), "index")
	if _, err := r.Repo().Output(context.Background(), git.Options{Env: []string{"GIT_INDEX_FILE=" + index}}, "read-tree", "HEAD"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(index); err != nil {
		t.Error(err)
	}
}
