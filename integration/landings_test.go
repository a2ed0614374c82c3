package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// meets is the repository's own test. It fails when two changes meet that git merges without a conflict: a-N and b-N.
const meets = "for a in parts/a-*; do test -e \"$a\" || continue; n=${a#parts/a-}; if test -e \"parts/b-$n\"; then echo \"a-$n meets b-$n\"; exit 1; fi; done\n"

// newLandings is a home whose repository has that test as its gate.
func newLandings(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	must(t, os.Mkdir(filepath.Join(h.repo, "parts"), 0o755))
	must(t, os.WriteFile(filepath.Join(h.repo, "check.sh"), []byte(meets), 0o644))
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "the test")
	h.ok("agit", "add", ".", "--name", "app")
	h.ok("agit", "config", "set", "gate", "sh check.sh")
	return h
}

// part spawns a worktree with one file committed, and returns its folder.
func (h *home) part(branch, name string) string {
	h.t.Helper()
	h.ok("agit", "spawn", "app", "--branch", branch, "--quiet")
	path := treeOf(h.ok("git", "worktree", "list", "--porcelain"), branch)
	must(h.t, os.MkdirAll(filepath.Join(path, "parts"), 0o755))
	must(h.t, os.WriteFile(filepath.Join(path, "parts", name), []byte(name+"\n"), 0o644))
	h.ok("git", "-C", path, "add", ".")
	h.ok("git", "-C", path, "commit", "-qm", name)
	return path
}

// rework replaces a change that meets another one by one that does not.
func (h *home) rework(path, name string) {
	h.t.Helper()
	other := "c" + strings.TrimLeft(name, "ab")
	h.ok("git", "-C", path, "mv", "parts/"+name, "parts/"+other)
	h.ok("git", "-C", path, "commit", "-qm", other)
}

// green runs the repository's test on each commit of the default branch since a commit, and returns the commits, oldest first.
func (h *home) green(since string) []string {
	h.t.Helper()
	commits := strings.Fields(h.ok("git", "rev-list", "--first-parent", "--reverse", since+"..main"))
	at := filepath.Join(h.dir, "look")
	h.ok("git", "worktree", "add", "-q", "--detach", at, since)
	for _, c := range commits {
		h.ok("git", "-C", at, "checkout", "-q", "--detach", c)
		check := exec.Command("sh", "check.sh")
		check.Dir = at
		if out, err := check.CombinedOutput(); err != nil {
			h.t.Errorf("commit %s of main is red: %s", c, out)
		}
	}
	h.ok("git", "worktree", "remove", "--force", at)
	return commits
}

// landed is the registry's record of a landing.
type landed struct {
	Landing int64
	State   string
	Commit  string
	Branch  string
}

// inOrder asserts that the landed work is the history of the default branch, in the order of the requests.
func (h *home) inOrder(commits []string) {
	h.t.Helper()
	var past struct{ Landings []landed }
	h.json(&past, "queue", "app", "--past", "100000")
	all := slices.DeleteFunc(past.Landings, func(l landed) bool { return l.State != "landed" || l.Commit == "" })
	slices.SortFunc(all, func(a, b landed) int { return int(a.Landing - b.Landing) })
	var got []string
	for _, l := range all {
		got = append(got, l.Commit)
	}
	if !slices.Equal(got, commits) {
		h.t.Errorf("landings in the order asked:\n%s\nmain:\n%s", strings.Join(got, "\n"), strings.Join(commits, "\n"))
	}
}

// TestLandings: many workers land tasks, and some pairs break the repository's test together. The default branch is green after each
// landing, everything lands once, and the order of the requests is kept.
func TestLandings(t *testing.T) {
	t.Parallel()
	workers, tasks := 4, 14
	switch {
	case os.Getenv("AGIT_SOAK") != "":
		workers, tasks = 8, 200
	case testing.Short():
		workers, tasks = 3, 6
	}
	h := newLandings(t)
	since := h.ok("git", "rev-parse", "main")
	todo := make(chan int)
	var all sync.WaitGroup
	var spawning sync.Mutex // treeOf reads a list that others change
	red := make([]bool, tasks)
	for range workers {
		all.Go(func() {
			for i := range todo {
				name := fmt.Sprintf("%s-%d", []string{"a", "b"}[i%2], i/2)
				branch := fmt.Sprintf("t-%d", i)
				spawning.Lock()
				path := h.part(branch, name)
				spawning.Unlock()
				_, said, code := h.run("agit", "merge", "app", branch)
				if code == 1 && strings.Contains(said, "the gate") {
					red[i] = true
					if up, errs, code := h.run("agit", "update", path); code != 0 { // as an agent would
						t.Errorf("%s: update: %s%s", branch, up, errs)
					}
					h.rework(path, name)
					_, said, code = h.run("agit", "merge", "app", branch)
				}
				if code != 0 {
					t.Errorf("%s: status %d: %s", branch, code, said)
				}
			}
		})
	}
	for i := range tasks {
		todo <- i
	}
	close(todo)
	all.Wait()

	commits := h.green(since)
	if len(commits) != tasks {
		t.Errorf("main moved %d times for %d tasks", len(commits), tasks)
	}
	h.inOrder(commits)
	for i := range tasks {
		kind := []string{"a", "b"}[i%2]
		if red[i] {
			kind = "c"
		}
		h.ok("git", "cat-file", "-e", fmt.Sprintf("main:parts/%s-%d", kind, i/2))
		if i%2 == 1 && red[i] == red[i-1] {
			t.Errorf("of the pair %d, which do not go together, red were: %v and %v", i/2, red[i-1], red[i])
		}
	}
	var queue struct{ Landings []landed }
	h.json(&queue, "queue", "app")
	if len(queue.Landings) > 0 {
		t.Errorf("%+v are left in the queue", queue.Landings)
	}
	h.ok("agit", "doctor")
	h.ok("git", "fsck", "--strict")
	h.sound()
}

// TestKilledLandings kills landing processes and their child processes at random points. The remaining work still lands: the default
// branch is always green, everything lands once, and the queue is empty at the end.
func TestKilledLandings(t *testing.T) {
	t.Parallel()
	rounds, width := 4, 3
	switch {
	case os.Getenv("AGIT_SOAK") != "":
		rounds, width = 30, 8
	case testing.Short():
		rounds = 1
	}
	h := newLandings(t)
	since := h.ok("git", "rev-parse", "main")
	chance := rand.New(rand.NewPCG(16, 17))
	for round := range rounds {
		branch := func(i int) string { return fmt.Sprintf("r%d-%d", round, i) }
		paths := make([]string, width)
		for i := range width {
			paths[i] = h.part(branch(i), fmt.Sprintf("a-%d-%d", round, i))
		}
		var all sync.WaitGroup
		for i := range width {
			after := time.Duration(20+chance.IntN(120*width)) * time.Millisecond
			both := chance.IntN(2) == 0
			all.Go(func() {
				cmd := h.command(t.Context(), "agit", "merge", "app", branch(i), []string{"--quiet", "--squash", "--rebase"}[i%3])
				must(t, cmd.Start())
				timer := time.AfterFunc(after, func() {
					children := childrenOf(cmd.Process.Pid)
					_ = cmd.Process.Kill()
					for _, child := range children {
						if p, err := os.FindProcess(child); err == nil && both {
							_ = p.Kill()
						}
					}
				})
				_ = cmd.Wait() // killed or done: both are what is tested
				timer.Stop()
			})
		}
		all.Wait()
		if round%2 == 0 { // every other time the next landing puts it in order by itself
			h.run("agit", "doctor", "--fix")
			if out, _, code := h.run("agit", "doctor"); code != 0 {
				t.Fatalf("round %d: doctor is not content after its fix:\n%s", round, out)
			}
		}
		for i := range width {
			if _, err := os.Stat(paths[i]); err != nil {
				continue // it landed
			}
			if _, said, code := h.run("agit", "merge", "app", branch(i)); code != 0 && !strings.Contains(said, "completed already") && !strings.Contains(said, "no worktree") {
				lock, _ := os.ReadFile(filepath.Join(h.repo, ".git", "index.lock"))
				out, _, _ := h.run("agit", "doctor")
				t.Fatalf("round %d, %s: status %d: %s\nlock: %s\n%s", round, branch(i), code, said, lock, out)
			}
		}
		if dirty := h.ok("git", "status", "--porcelain"); dirty != "" {
			t.Fatalf("round %d: the main worktree is left dirty:\n%s", round, dirty)
		}
		for i := range width {
			h.ok("git", "cat-file", "-e", fmt.Sprintf("main:parts/a-%d-%d", round, i))
		}
	}
	commits := h.green(since)
	if len(commits) != rounds*width {
		t.Errorf("main moved %d times for %d tasks", len(commits), rounds*width)
	}
	h.inOrder(commits)
	var queue struct{ Landings []landed }
	h.json(&queue, "queue", "app")
	if len(queue.Landings) > 0 {
		t.Errorf("%+v are left in the queue", queue.Landings)
	}
	h.run("agit", "doctor", "--fix")
	h.ok("agit", "doctor")
	h.ok("git", "fsck", "--strict")
	h.sound()
}

// childrenOf lists the child processes of one, where the system supports that.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(content)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
