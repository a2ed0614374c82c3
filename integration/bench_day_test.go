//go:build unix

package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	dayTasks  = 60
	dayAgents = 5
	dayGate   = "go vet ./shared/text"
)

// dayKinds are the tasks in turn: of ten, five touch files of their own, two add to the end of one file, two call a function, and one
// renames that function.
var dayKinds = []string{"file", "append", "use", "file", "rename", "file", "append", "file", "use", "file"}

// A workDay is a clone of this repository with the counts of a day in it.
type workDay struct {
	*home
	script, played string
	known          int // tasks whose conflict was known before they finished
	late           int // conflicts and breaks that were first seen at the merge or later
	redone         int // tasks that were done again, and breaks by other tasks that were mended
}

// BenchmarkDay: sixty tasks of five scripted agents in a clone of this repository, with the suite, beside plain worktrees that are
// merged as they are done. Some tasks add to one file, and some call a function that others rename. Agents are the same script, which
// takes three seconds for a task. broken-states counts commits of the default branch on which `go vet` of the package fails.
func BenchmarkDay(b *testing.B) {
	b.Run("plain worktrees", func(b *testing.B) { oneDay(b, (*workDay).plain) })
	b.Run("the suite", func(b *testing.B) { oneDay(b, (*workDay).suite) })
}

func oneDay(b *testing.B, work func(*workDay, testing.TB)) {
	for b.Loop() {
		d := newWorkDay(b)
		base, begun := d.ok("git", "rev-parse", "HEAD"), time.Now()
		work(d, b)
		took := time.Since(begun)
		for name, n := range map[string]int{"broken-states": d.broken(base), "known-before": d.known, "known-at-merge": d.late, "redone": d.redone, "landed": d.landed()} {
			b.ReportMetric(float64(n), name)
		}
		b.ReportMetric(took.Minutes(), "minutes")
	}
}

func newWorkDay(t testing.TB) *workDay {
	t.Helper()
	dir := ownFolder(t)
	d := &workDay{home: &home{t: t, dir: dir, repo: filepath.Join(dir, "app"), env: environment(filepath.Join(dir, "home"))}, played: filepath.Join(dir, "played")}
	must(t, os.MkdirAll(filepath.Join(dir, "home"), 0o755))
	must(t, os.MkdirAll(d.played, 0o755))
	script, err := filepath.Abs(filepath.Join("testdata", "day", "agent.sh"))
	must(t, err)
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	must(t, err)
	folders := strings.Fields(string(caches))
	d.script, d.env = script, append(d.env, "GOCACHE="+folders[0], "GOMODCACHE="+folders[1], "GOFLAGS=-buildvcs=false", "DAY_WORK=1.5")
	root, err := filepath.Abs("..")
	must(t, err)
	if out, err := exec.Command("git", "clone", "-q", "--no-hardlinks", root, d.repo).CombinedOutput(); err != nil {
		t.Skipf("the day is worked in a clone of this repository, which is not there: %v\n%s", err, out)
	}
	d.ok("git", "checkout", "-q", "-B", "main")
	return d
}

// TestDayAgent: the agents of BenchmarkDay, which only a person runs, change what stands in the package that they work in.
func TestDayAgent(t *testing.T) {
	t.Parallel()
	dir := ownFolder(t)
	d := &workDay{home: &home{t: t, dir: dir, repo: dir, env: append(environment(filepath.Join(dir, "home")), "DAY_WORK=0")}}
	script, err := filepath.Abs(filepath.Join("testdata", "day", "agent.sh"))
	must(t, err)
	must(t, os.CopyFS(filepath.Join(dir, "shared", "text"), os.DirFS(filepath.Join("..", "shared", "text"))))
	d.ok("git", "init", "-q")
	d.ok("git", "add", ".")
	d.ok("git", "commit", "-q", "-m", "Begin")
	for n, kind := range []string{"file", "append", "use", "rename"} {
		if out, err := d.in(dir, script, kind, strconv.Itoa(n+1)); err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
		if out, err := d.in(dir, "gofmt", "-l", "shared"); err != nil || len(out) > 0 {
			t.Errorf("%s leaves files that Go does not read: %s, %v", kind, out, err)
		}
		if got, want := d.ok("git", "log", "-1", "--format=%s"), fmt.Sprintf("Do task %d: %s", n+1, kind); got != want {
			t.Errorf("the last commit is %q, want %q", got, want)
		}
	}
}

// task returns the kind of task n; the first is 0.
func task(n int) string { return dayKinds[n%len(dayKinds)] }

// in runs a program in a folder, without AGIT_PLAYED.
func (d *workDay) in(folder, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(d.t.Context(), name, args...)
	cmd.Dir, cmd.Env = folder, d.env
	return cmd.CombinedOutput()
}

// plain lets the agents take the tasks in turn, each in a worktree, test their work there, and merge it at once. An agent whose merge
// conflicts does its task again on the default branch; one whose tests fail because of another task mends that first.
func (d *workDay) plain(t testing.TB) {
	var turn, merging, counts sync.Mutex
	next := 0
	take := func() (int, bool) {
		turn.Lock()
		defer turn.Unlock()
		next++
		return next - 1, next <= dayTasks
	}
	again := func(late int) {
		counts.Lock()
		defer counts.Unlock()
		d.late, d.redone = d.late+late, d.redone+1
	}
	var agents sync.WaitGroup
	for range dayAgents {
		agents.Go(func() {
			for n, more := take(); more; n, more = take() {
				branch := fmt.Sprint("task-", n+1)
				tree := filepath.Join(d.dir, branch)
				do := func(folder, name string, args ...string) {
					if out, err := d.in(folder, name, args...); err != nil {
						t.Errorf("%s: %s %s: %v\n%s", branch, name, strings.Join(args, " "), err, out)
					}
				}
				merging.Lock()
				do(d.repo, "git", "worktree", "add", "-q", "-b", branch, tree)
				merging.Unlock()
				do(tree, d.script, task(n), strconv.Itoa(n+1))
				for tries := 1; ; tries++ {
					if _, err := d.in(tree, "sh", "-c", dayGate); err != nil {
						again(1)
						do(tree, d.script, "mend", strconv.Itoa(n+1))
					}
					merging.Lock()
					_, err := d.in(d.repo, "git", "merge", "-q", "--no-edit", branch)
					if err == nil || tries == 20 {
						do(d.repo, "git", "worktree", "remove", "--force", tree)
						merging.Unlock()
						break
					}
					do(d.repo, "git", "merge", "--abort")
					merging.Unlock()
					again(1)
					do(tree, "git", "reset", "-q", "--hard", "main")
					do(tree, d.script, task(n), strconv.Itoa(n+1))
				}
			}
		})
	}
	agents.Wait()
}

// suite lets `agit work` run the same agents on the same tasks, with the tests as the gate.
func (d *workDay) suite(t testing.TB) {
	d.env = append(d.env, "AGIT_PLAYED="+d.played)
	d.ok("agit", "add", ".", "--name", "app")
	d.ok("agit", "config", "set", "gate", dayGate)
	d.ok("agit", "config", "set", "land", "gate")
	for n := range dayTasks {
		d.ok("agit", "tasks", "app", "--create", fmt.Sprintf("%s: %d", task(n), n+1), "--id", fmt.Sprint("T-", n+1))
	}
	out, errs, code := d.run("agit", "work", "app", "--agent", "agent", "--workers", strconv.Itoa(dayAgents), "--until-empty", "--attempts", "9", "--pause", "1s", "--json",
		"--env", "DAY_WORK", "--env", "GOCACHE", "--", d.script)
	if code != 0 {
		t.Errorf("agit work ends with %d\n%s\n%s", code, out, errs)
	}
	if !strings.Contains(out, fmt.Sprintf(`"landed":%d,`, dayTasks)) { // some wait for a person, or were released
		t.Logf("not all landed:\n%s\n%s", out, errs)
	}
	runs, known := d.counts("runs"), d.counts("known")
	d.known = len(known)
	for one, n := range runs {
		d.redone += n - 1
		if known[one] == 0 {
			d.late += n - 1
		}
	}
}

// counts returns how often each task appears in a file of the agents.
func (d *workDay) counts(name string) map[string]int {
	counts := map[string]int{}
	text, _ := os.ReadFile(filepath.Join(d.played, name)) // it is missing when there was no conflict
	for line := range strings.Lines(string(text)) {
		counts[line]++
	}
	return counts
}

// broken counts the commits of the default branch since a commit at which the tests fail.
func (d *workDay) broken(since string) (n int) {
	d.t.Helper()
	tree := filepath.Join(d.dir, "states")
	d.ok("git", "worktree", "add", "-q", "--detach", tree)
	for _, commit := range strings.Fields(d.ok("git", "rev-list", "--first-parent", since+"..main")) {
		if out, err := d.in(tree, "git", "checkout", "-q", "--detach", commit); err != nil {
			d.t.Fatalf("%v\n%s", err, out)
		}
		if _, err := d.in(tree, "sh", "-c", dayGate); err != nil {
			n++
		}
	}
	return n
}

// landed counts the tasks whose work is on the default branch.
func (d *workDay) landed() (n int) {
	d.t.Helper()
	log := d.ok("git", "log", "--format=%s%n%b", "main")
	for i := range dayTasks {
		if strings.Contains(log, fmt.Sprintf("Do task %d: %s\n", i+1, task(i))) {
			n++
		}
	}
	return n
}
