package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestMain runs as a process of its own what a crash test kills.
func TestMain(m *testing.M) {
	if operation := os.Getenv("WORKTREE_TEST_RUN"); operation != "" {
		os.Exit(victim(operation))
	}
	gittest.Isolate()
	os.Exit(m.Run())
}

// victim carries out an operation and kills itself with SIGKILL at the point
// named in the environment.
func victim(operation string) int {
	die := os.Getenv("WORKTREE_TEST_DIE")
	failpoint = func(name string) error {
		if name == die {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		return nil
	}
	ctx := context.Background()
	db, err := registry.Open(ctx, registry.Options{Path: os.Getenv("WORKTREE_TEST_DB")})
	if err != nil {
		panic(err)
	}
	set := SettingsFrom(config.Default(), "app")
	if hook := os.Getenv("WORKTREE_TEST_HOOK"); hook != "" {
		set.PreMerge, set.PostSpawn = []string{hook}, []string{hook}
	}
	s := New(db, Options{Settings: func(repo.Repo) Settings { return set }})
	verb, ref, _ := strings.Cut(operation, " ")
	switch verb {
	case "spawn":
		_, err = s.Spawn(ctx, Spawn{Repo: "app", Task: "victim"})
	case "merge":
		_, err = s.Merge(ctx, Merge{Worktree: ref})
	case "remove":
		_, err = s.Remove(ctx, Remove{Worktree: ref})
	case "abandon":
		_, err = s.Remove(ctx, Remove{Worktree: ref, AbandonWork: true})
	case "restore":
		_, err = s.Restore(ctx, "", ref)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

func setUpCrash(t *testing.T) (*fixture, func(operation, point string, more ...string) *exec.Cmd) {
	t.Helper()
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt", "b\n", "dir/c.txt", "c\n", ".gitignore", "*.log\n")
	path := filepath.Join(t.TempDir(), "agit.db")
	f := setUpAt(t, g, registrytest.OpenAt(t, path))
	return f, func(operation, point string, more ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), "WORKTREE_TEST_RUN="+operation, "WORKTREE_TEST_DIE="+point, "WORKTREE_TEST_DB="+path), more...)
		cmd.Stderr = os.Stderr
		return cmd
	}
}

func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Run(); err == nil || cmd.ProcessState.Success() || cmd.ProcessState.Exited() {
		t.Fatalf("the victim was not killed: %v", cmd.ProcessState)
	}
}

// fixAll does what `agit doctor --fix` does.
func (f *fixture) fixAll() {
	f.t.Helper()
	for range 2 { // mending one thing may show another
		found, err := f.Check(context.Background(), "")
		if err != nil {
			f.t.Fatal(err)
		}
		for _, finding := range found {
			if err := finding.Fix(context.Background()); err != nil {
				f.t.Errorf("fix %s: %v", finding.Text, err)
			}
		}
	}
}

func TestKilledSpawn(t *testing.T) {
	for _, point := range []string{"spawn:planned", "spawn:added", "spawn:built"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			killed(t, victim("spawn", point))
			if rows := f.rows(); len(rows) != 1 || rows[0].Status != Creating || !rows[0].abandoned() {
				t.Fatalf("%+v", rows)
			}
			// The next spawn mends it by the way.
			w := f.spawn(Spawn{Task: "next"})
			if rows := f.rows(); len(rows) != 1 || rows[0].Ref != w.Ref {
				t.Errorf("%+v", rows)
			}
			if got := f.branches(); got != w.Branch+" main" {
				t.Error(got)
			}
			f.clean()
			f.sound()
		})
	}
}

func TestKilledMerge(t *testing.T) {
	for _, point := range []string{"merge:scratch", "merge:prepared", "merge:swapped", "merge:files", "remove:planned", "remove:moved", "remove:entry", "remove:refs"} {
		for _, way := range []string{"doctor", "next command"} {
			t.Run(point+", "+way, func(t *testing.T) {
				f, victim := setUpCrash(t)
				w := f.worked("x")
				f.main.Write("b.txt", "local\n")
				f.main.Write("dir/c.txt", "staged\n")
				f.main.Git("add", "dir/c.txt")
				head := f.main.Head()
				killed(t, victim("merge "+w.Ref, point, "WORKTREE_TEST_HOOK=true"))
				if way == "doctor" {
					f.fixAll()
				} else {
					f.spawn(Spawn{Task: "next"})
				}
				now, moved := f.get(w), f.main.Head() != head
				switch point {
				case "merge:scratch", "merge:prepared":
					if moved || now.Status != Active {
						t.Errorf("moved %v, %s", moved, now.Status)
					}
				default:
					if !moved || now.Status != Completed || f.main.Read("new/x") != "x\n" {
						t.Errorf("moved %v, %s", moved, now.Status)
					}
				}
				if got := f.main.Git("status", "--porcelain"); got != "M b.txt\nM  dir/c.txt" {
					t.Errorf("status:\n%s", got)
				}
				if f.main.Read("b.txt") != "local\n" || f.main.Read("dir/c.txt") != "staged\n" {
					t.Error("local changes are lost")
				}
				f.sound()
				if now.Status == Active {
					f.merge(w)
					f.sound()
				}
			})
		}
	}
}

// Files are cut off half way, and somebody edits one of them before the merge
// is finished: the edit stays.
func TestKilledMergeFinishesAroundEdits(t *testing.T) {
	f, victim := setUpCrash(t)
	w := f.worked("x")
	killed(t, victim("merge "+w.Ref, "merge:swapped"))
	if out, err := f.main.TryGit("commit", "--quiet", "--allow-empty", "-m", "would undo the merge"); err == nil {
		t.Errorf("git committed in between: %s", out)
	}
	f.main.Write("new/x", "x\n") // as if git had written one file
	f.main.Write("a.txt", "somebody's edit\n")
	f.fixAll()
	if got := f.main.Git("status", "--porcelain"); got != "M a.txt" || f.main.Read("a.txt") != "somebody's edit\n" {
		t.Errorf("%q %q", got, f.main.Read("a.txt"))
	}
	if f.get(w).Status != Completed {
		t.Error(f.get(w).Status)
	}
	f.sound()
}

func TestKilledRemove(t *testing.T) {
	for _, point := range []string{"remove:planned", "remove:moved", "remove:entry", "remove:refs"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			w := f.worked("x")
			f.tree(w).Write("dirty", "d\n")
			tip := f.tree(w).Head()
			killed(t, victim("abandon "+w.Ref, point))
			f.fixAll()
			f.sound()
			now := f.get(w)
			if point == "remove:planned" {
				if now.Status != Active {
					t.Error(now.Status)
				}
			} else {
				if now.Status != Trashed {
					t.Error(now.Status)
				}
				if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
					t.Fatal(err)
				}
			}
			if f.tree(w).Head() != tip || f.tree(w).Read("dirty") != "d\n" || f.tree(w).Git("branch", "--show-current") != w.Branch {
				t.Error("not as it was")
			}
			f.sound()
		})
	}
}

func TestKilledRestore(t *testing.T) {
	for _, point := range []string{"restore:planned", "restore:moved"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			w := f.worked("x")
			f.tree(w).Write("dirty", "d\n")
			if _, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true}); err != nil {
				t.Fatal(err)
			}
			killed(t, victim("restore "+w.Ref, point))
			f.fixAll()
			if now := f.get(w); now.Status != Active || f.tree(w).Read("dirty") != "d\n" {
				t.Errorf("%+v", now)
			}
			f.sound()
		})
	}
}

// Killed at any time, in the middle of git too.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f, victim := setUpCrash(t)
	f.main.Write("b.txt", "local\n")
	merged := 0
	for round := range 30 {
		name := fmt.Sprintf("r%d", round)
		w := f.spawn(Spawn{Task: name})
		f.tree(w).Commit(name, "new/"+name, name)
		operation := []string{"spawn", "merge " + w.Ref, "abandon " + w.Ref}[round%3]
		cmd := victim(operation, "", "WORKTREE_TEST_HOOK=true")
		must(t, cmd.Start())
		timer := time.AfterFunc(time.Duration(rand.IntN(120))*time.Millisecond, func() {
			children := childrenOf(cmd.Process.Pid)
			cmd.Process.Kill()
			if round%2 == 1 { // git has no time to take back its locks
				for _, pid := range children {
					if child, err := os.FindProcess(pid); err == nil {
						child.Kill()
					}
				}
			}
		})
		cmd.Wait()
		timer.Stop()
		f.fixAll()
		f.sound()
		if got := f.main.Git("status", "--porcelain"); got != "M b.txt" {
			t.Fatalf("round %d, %s: status:\n%s", round, operation, got)
		}
		now := f.get(w)
		switch now.Status {
		case Completed:
			merged++
		case Trashed:
			if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
				t.Fatal(err)
			}
			fallthrough
		case Active, Conflict:
			if f.tree(w).Git("status", "--porcelain") != "" || f.tree(w).Git("rev-list", "--count", w.Base+"..HEAD") != "1" {
				t.Fatalf("round %d, %s: work is lost", round, operation)
			}
		default:
			t.Fatalf("round %d, %s: %s", round, operation, now.Status)
		}
		if t.Failed() {
			t.Fatalf("round %d, %s", round, operation)
		}
	}
	t.Logf("%d of 10 merges were done", merged)
}

// childrenOf lists the processes started by one, where the system tells.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(content)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
