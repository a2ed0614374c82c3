package worktree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git"
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
	ctx := context.Background()
	o, err := registrytest.OptionsOf(os.Getenv("WORKTREE_TEST_DB"))
	if err != nil {
		panic(err)
	}
	db, err := registry.Open(ctx, o)
	if err != nil {
		panic(err)
	}
	set := worktree.SettingsFrom(config.Default(), "app")
	if hook := os.Getenv("WORKTREE_TEST_HOOK"); hook != "" {
		set.PreMerge, set.PostSpawn = []string{hook}, []string{hook}
	}
	if gate := os.Getenv("WORKTREE_TEST_GATE"); gate != "" {
		set.Gate = []string{gate}
	}
	set.Remote = os.Getenv("WORKTREE_TEST_REMOTE")
	reached := func(name string) error {
		if name == die {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		return nil
	}
	var s worktreetest.Stores
	s = worktreetest.Open(db, worktree.Options{Settings: func(repo.Repo) worktree.Settings { return set }, Reached: func(name string) error {
		if crowd, _ := strconv.Atoi(os.Getenv("WORKTREE_TEST_CROWD")); name == "merge:asked" {
			for queued := 0; queued < crowd; {
				list, err := s.Landings.Queue(ctx, "app")
				if err != nil {
					return err
				}
				queued = len(list)
			}
		}
		return reached(name)
	}})
	verb, ref, _ := strings.Cut(operation, " ")
	switch verb {
	case "spawn":
		_, err = s.Spawns.Spawn(ctx, spawn.Request{Repo: "app", Task: "victim"})
	case "merge":
		_, err = s.Landings.Land(ctx, land.Request{Worktree: ref})
	case "squash":
		_, err = s.Landings.Land(ctx, land.Request{Worktree: ref, Strategy: land.Squash})
	case "rebase":
		_, err = s.Landings.Land(ctx, land.Request{Worktree: ref, Strategy: land.Rebase})
	case "update":
		_, err = s.Landings.Update(ctx, land.UpdateRequest{Worktree: ref})
	case "remove":
		_, err = s.Removals.Remove(ctx, remove.Request{Worktree: ref})
	case "commit":
		err = commit(ctx, s, ref)
	case "abandon":
		_, err = s.Removals.Remove(ctx, remove.Request{Worktree: ref, AbandonWork: true})
	case "restore":
		_, err = s.Removals.Restore(ctx, "", ref)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

// commit makes a commit of what is in a worktree.
func commit(ctx context.Context, s worktreetest.Stores, ref string) error {
	w, err := s.Worktrees.Get(ctx, "", ref)
	if err != nil {
		return err
	}
	tree, err := git.Find(w.Path)
	if err != nil {
		return err
	}
	return s.Landings.Committing(ctx, w, func() error {
		_, err := tree.Run(ctx, "commit", "--quiet", "--all", "--message=work")
		return err
	}, func(*registry.Tx) error { return nil })
}

func setUpCrash(t *testing.T) (*worktreetest.Fixture, func(operation, point string, more ...string) *exec.Cmd) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts processes and kills them")
	}
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt", "b\n", "dir/c.txt", "c\n", ".gitignore", "*.log\n")
	path := filepath.Join(t.TempDir(), "agit.db")
	f := worktreetest.Of(t, g, registrytest.OpenAt(t, path))
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

// abandoned counts the operations whose process is gone.
func abandoned(f *worktreetest.Fixture) int {
	left, err := f.Worktrees.Interrupted(context.Background(), 0)
	worktreetest.Must(f.T, err)
	return len(left)
}

func TestKilledSpawn(t *testing.T) {
	for _, point := range []string{"spawn:planned", "spawn:added", "spawn:built"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			killed(t, victim("spawn", point))
			if rows := f.Rows(); len(rows) != 1 || rows[0].Status != worktree.Creating || abandoned(f) != 1 {
				t.Fatalf("%+v", rows)
			}
			// The next spawn mends it along the way.
			w := f.Spawn(spawn.Request{Task: "next"})
			if rows := f.Rows(); len(rows) != 1 || rows[0].Ref != w.Ref {
				t.Errorf("%+v", rows)
			}
			if got := f.Branches(); got != w.Branch+" main" {
				t.Error(got)
			}
			f.Clean()
			f.Sound()
		})
	}
}

// git, killed with its agit, leaves a worktree whose HEAD is still the object
// that does not exist, or is empty: there is no work in it to keep.
func TestKilledSpawnAndGit(t *testing.T) {
	for _, left := range []string{git.ZeroOID("") + "\n", ""} {
		f, victim := setUpCrash(t)
		killed(t, victim("spawn", "spawn:added"))
		entries := checkout.Entries(f.Main.Repo(), f.Rows()[0].Path)
		if len(entries) != 1 {
			t.Fatal(entries)
		}
		worktreetest.Must(t, os.WriteFile(filepath.Join(entries[0], "HEAD"), []byte(left), 0o644))
		worktreetest.Must(t, os.WriteFile(filepath.Join(entries[0], "locked"), []byte("initializing"), 0o644))
		worktreetest.Must(t, os.Remove(filepath.Join(entries[0], "index")))
		f.FixAll()
		if rows := f.Rows(); len(rows) != 0 || f.Branches() != "main" {
			t.Errorf("%+v, branches %s", rows, f.Branches())
		}
		f.Clean()
		f.Sound()
	}
}

// git, killed with its agit while it makes the checkout of a gate, leaves an entry that stops every other git in the repository.
func TestKilledGateAndGit(t *testing.T) {
	for _, way := range []string{"doctor", "next command", "next landing"} {
		f, victim := setUpCrash(t)
		w := f.Worked("x")
		killed(t, victim("merge "+w.Ref, "merge:scratch", "WORKTREE_TEST_HOOK=true", "WORKTREE_TEST_GATE=true"))
		entries := checkout.Entries(f.Main.Repo(), filepath.Join(f.Main.Dir, ".worktrees", ".gate"))
		if len(entries) != 1 {
			t.Fatal(entries)
		}
		copies, err := filepath.Glob(filepath.Join(entries[0], "agit-kept-*.index"))
		if err != nil || len(copies) != 1 {
			t.Fatal(copies, err)
		}
		worktreetest.Must(t, os.Remove(copies[0]))
		worktreetest.Must(t, os.WriteFile(filepath.Join(entries[0], "commondir"), nil, 0o644))
		worktreetest.Must(t, os.WriteFile(filepath.Join(entries[0], "HEAD"), nil, 0o644))
		if out, err := f.Main.TryGit("worktree", "list"); err == nil {
			t.Fatalf("git did not fail: %s", out)
		}
		switch way {
		case "doctor":
			f.FixAll()
		case "next command":
			f.Spawn(spawn.Request{Task: "next"})
		default:
			f.Set.Gate = []string{"true"}
			f.Merge(w)
		}
		f.Clean()
		f.Sound()
		if _, err := os.Lstat(entries[0]); way != "next landing" && err == nil {
			t.Errorf("%s: %s is left", way, entries[0])
		}
	}
}

func TestKilledMerge(t *testing.T) {
	for _, point := range []string{"merge:asked", "merge:scratch", "merge:gate", "merge:prepared", "merge:swapped", "merge:files", "remove:planned", "remove:moved", "remove:entry", "remove:refs"} {
		for i, way := range []string{"doctor", "next command", "next landing"} {
			t.Run(point+", "+way, func(t *testing.T) {
				f, victim := setUpCrash(t)
				w := f.Worked("x")
				f.Main.Write("b.txt", "local\n")
				f.Main.Write("dir/c.txt", "staged\n")
				f.Main.Git("add", "dir/c.txt")
				head := f.Main.Head()
				how := []string{"merge ", "squash ", "rebase "}[i%3]
				killed(t, victim(how+w.Ref, point, "WORKTREE_TEST_HOOK=true", "WORKTREE_TEST_GATE=true"))
				var next worktree.Worktree
				switch way {
				case "doctor":
					f.FixAll()
				case "next command":
					f.Spawn(spawn.Request{Task: "next"})
				default:
					next = f.Spawn(spawn.Request{Task: "next"})
					f.Tree(next).Commit("next", "next", "n")
					f.Set.Gate = []string{"true"}
					f.Merge(next)
				}
				now, moved := f.Get(w), f.Main.Head() != head
				l, err := f.LastOf(context.Background(), "app", w.Ref)
				worktreetest.Must(t, err)
				if next.Ref != "" {
					moved = f.Main.Git("log", "--format=%H", head+"..HEAD", "--", "new/x") != ""
				}
				switch point {
				case "merge:asked", "merge:scratch", "merge:gate", "merge:prepared":
					if l == nil || l.State != land.Returned || l.Commit != "" {
						t.Errorf("%+v", l)
					}
					if moved || now.Status != worktree.Active {
						t.Errorf("moved %v, %s", moved, now.Status)
					}
				default:
					if l == nil || l.State != land.Landed || l.Commit == "" || l.GateResult != land.GatePassed {
						t.Errorf("%+v", l)
					}
					if !moved || now.Status != worktree.Completed || f.Main.Read("new/x") != "x\n" {
						t.Errorf("moved %v, %s", moved, now.Status)
					}
				}
				if got := f.Main.Git("status", "--porcelain"); got != "M b.txt\nM  dir/c.txt" {
					t.Errorf("status:\n%s", got)
				}
				if f.Main.Read("b.txt") != "local\n" || f.Main.Read("dir/c.txt") != "staged\n" {
					t.Error("local changes are lost")
				}
				f.Sound()
				if queue, err := f.Landings.Queue(context.Background(), "app"); err != nil || len(queue) > 1 || len(queue) == 1 && queue[0].State != land.Returned {
					t.Errorf("%v %+v", err, queue)
				}
				if now.Status == worktree.Active {
					f.Merge(w)
					f.Sound()
				}
			})
		}
	}
}

// A batch whose process is killed leaves nothing half: the commits that the branch has are landed, the others land in their own processes,
// and nothing lands twice.
func TestKilledBatch(t *testing.T) {
	for _, point := range []string{"merge:scratch", "merge:gate", "merge:prepared", "merge:swapped", "merge:files", "remove:planned", "remove:moved", "remove:refs"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			var trees []worktree.Worktree
			for i := range 4 {
				w := f.Spawn(spawn.Request{Task: fmt.Sprint("task ", i)})
				f.Tree(w).Commit(fmt.Sprint("work ", i), fmt.Sprint("file", i), fmt.Sprintln(i))
				trees = append(trees, w)
			}
			f.Main.Write("b.txt", "local\n")
			f.Set.Gate = []string{"true"}
			head := f.Main.Head()
			cmd := victim("merge "+trees[0].Ref, point, "WORKTREE_TEST_GATE=true", "WORKTREE_TEST_CROWD=4")
			worktreetest.Must(t, cmd.Start())
			for queued := 0; queued < 1; {
				list, err := f.Landings.Queue(t.Context(), "app")
				worktreetest.Must(t, err)
				queued = len(list)
			}
			errs := make([]error, len(trees))
			var guests sync.WaitGroup
			for i := 1; i < len(trees); i++ {
				guests.Add(1)
				go func() {
					defer guests.Done()
					_, errs[i] = f.Landings.Land(context.Background(), land.Request{Worktree: trees[i].Ref})
				}()
			}
			_ = cmd.Wait()
			guests.Wait()
			f.FixAll()
			moved := !slices.Contains([]string{"merge:scratch", "merge:gate", "merge:prepared"}, point)
			for i, w := range trees {
				l, err := f.LastOf(t.Context(), "app", w.Ref)
				worktreetest.Must(t, err)
				want := land.Landed
				if i == 0 && !moved {
					want = land.Returned
				}
				if errs[i] != nil || l.State != want || (want == land.Landed) != (f.Get(w).Status == worktree.Completed) {
					t.Errorf("%d: %v, %s %q, %s", i, errs[i], l.State, l.Reason, f.Get(w).Status)
				}
				if n := strings.Count(f.Main.Git("log", "--format=%s", head+".."), fmt.Sprint("work ", i)); (n == 1) != (want == land.Landed) || n > 1 {
					t.Errorf("%d: it is in the branch %d times", i, n)
				}
			}
			if got := f.Main.Git("status", "--porcelain"); got != "M b.txt" {
				t.Errorf("status:\n%s", got)
			}
			f.Sound()
			if queue, err := f.Landings.Queue(t.Context(), "app"); err != nil || len(queue) > 1 || len(queue) == 1 && queue[0].State != land.Returned {
				t.Errorf("%v %+v", err, queue)
			}
		})
	}
}

func TestKilledUpdate(t *testing.T) {
	for _, point := range []string{"merge:prepared", "merge:swapped", "merge:files", "synced"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			w := f.Worked("x")
			head := f.Tree(w).Head()
			f.Main.Commit("theirs", "b.txt", "theirs\n")
			killed(t, victim("update "+w.Ref, point))
			f.FixAll()
			now, updated := f.Get(w), f.Tree(w).Head() != head
			if now.Status != worktree.Active || now.Operation() != "" || updated != (point == "merge:swapped" || point == "merge:files") {
				t.Errorf("%v %+v", updated, now)
			}
			if got := f.Tree(w).Git("status", "--porcelain"); got != "" || (f.Tree(w).Read("b.txt") == "theirs\n") != updated {
				t.Errorf("%q", got)
			}
			f.Sound()
			if _, err := f.Landings.Update(context.Background(), land.UpdateRequest{Worktree: w.Ref}); err != nil || f.Tree(w).Read("b.txt") != "theirs\n" {
				t.Error(err)
			}
			f.Merge(w)
			f.Sound()
		})
	}
}

// A gate whose agit is killed ends before the next one runs.
func TestKilledGateIsEnded(t *testing.T) {
	f, victim := setUpCrash(t)
	w := f.Worked("x")
	began := filepath.Join(t.TempDir(), "began")
	cmd := victim("merge "+w.Ref, "", "WORKTREE_TEST_GATE=trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >"+began+"; mv "+began+" "+began+".pid; while :; do sleep 1; done' & wait")
	worktreetest.Must(t, cmd.Start())
	for {
		if _, err := os.Stat(began + ".pid"); err == nil {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	next := f.Spawn(spawn.Request{Task: "next"})
	f.Tree(next).Commit("next", "next", "n")
	pid, err := os.ReadFile(began + ".pid")
	worktreetest.Must(t, err)
	ended := strings.TrimSpace(string(pid))
	// A process that has ended keeps its number until init has read its exit status, which may take long on a busy machine.
	f.Set.Gate = []string{"! kill -0 " + ended + " || grep -q '^State:.Z' /proc/" + ended + "/status"}
	f.Merge(next)
	f.Sound()
}

// git ends with its agit, and may leave its locks: the next process clears them, and no person has to.
func TestKilledCommit(t *testing.T) {
	for _, way := range []string{"doctor", "next command"} {
		f, victim := setUpCrash(t)
		w := f.Worked("x")
		f.Tree(w).Write("new/x", "changed\n")
		head := f.Tree(w).Head()
		killed(t, victim("commit "+w.Ref, "commit:planned"))
		locks := []string{filepath.Join(f.Repo.CommonDir, "refs", "heads", filepath.FromSlash(w.Branch)) + ".lock"}
		for _, name := range []string{"index.lock", "HEAD.lock"} {
			locks = append(locks, filepath.Join(checkout.Entries(f.Main.Repo(), w.Path)[0], name))
		}
		for _, lock := range locks {
			worktreetest.Must(t, os.WriteFile(lock, nil, 0o644))
		}
		if way == "doctor" {
			f.FixAll()
		} else {
			f.Spawn(spawn.Request{Task: "next"})
		}
		for _, lock := range locks {
			if _, err := os.Lstat(lock); err == nil {
				t.Errorf("%s is left", lock)
			}
		}
		if now := f.Get(w); now.Status != worktree.Active || now.Operation() != "" || f.Tree(w).Head() != head || f.Tree(w).Read("new/x") != "changed\n" {
			t.Errorf("%+v", now)
		}
		cmd := victim("commit "+w.Ref, "")
		if out := cmd.Run(); out != nil || f.Tree(w).Head() == head || f.Get(w).Operation() != "" {
			t.Errorf("%v, %+v", out, f.Get(w))
		}
		f.Merge(w)
		f.Sound()
	}
}

// Files are cut off half way, and someone edits one of them before the merge
// is finished: the edit stays.
func TestKilledMergeFinishesAroundEdits(t *testing.T) {
	f, victim := setUpCrash(t)
	w := f.Worked("x")
	killed(t, victim("merge "+w.Ref, "merge:swapped"))
	if out, err := f.Main.TryGit("commit", "--quiet", "--allow-empty", "-m", "would undo the merge"); err == nil {
		t.Errorf("git committed in between: %s", out)
	}
	f.Main.Write("new/x", "x\n") // as if git had written one file
	f.Main.Write("a.txt", "somebody's edit\n")
	f.FixAll()
	if got := f.Main.Git("status", "--porcelain"); got != "M a.txt" || f.Main.Read("a.txt") != "somebody's edit\n" {
		t.Errorf("%q %q", got, f.Main.Read("a.txt"))
	}
	if f.Get(w).Status != worktree.Completed {
		t.Error(f.Get(w).Status)
	}
	f.Sound()
}

func TestKilledRemove(t *testing.T) {
	for _, point := range []string{"remove:planned", "remove:moved", "remove:entry", "remove:refs"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			w := f.Worked("x")
			f.Tree(w).Write("dirty", "d\n")
			tip := f.Tree(w).Head()
			killed(t, victim("abandon "+w.Ref, point))
			f.FixAll()
			f.Sound()
			now := f.Get(w)
			if point == "remove:planned" {
				if now.Status != worktree.Active {
					t.Error(now.Status)
				}
			} else {
				if now.Status != worktree.Trashed {
					t.Error(now.Status)
				}
				if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
					t.Fatal(err)
				}
			}
			if f.Tree(w).Head() != tip || f.Tree(w).Read("dirty") != "d\n" || f.Tree(w).Git("branch", "--show-current") != w.Branch {
				t.Error("not as it was")
			}
			f.Sound()
		})
	}
}

func TestKilledRestore(t *testing.T) {
	for _, point := range []string{"restore:planned", "restore:moved"} {
		t.Run(point, func(t *testing.T) {
			f, victim := setUpCrash(t)
			w := f.Worked("x")
			f.Tree(w).Write("dirty", "d\n")
			if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true}); err != nil {
				t.Fatal(err)
			}
			killed(t, victim("restore "+w.Ref, point))
			f.FixAll()
			if now := f.Get(w); now.Status != worktree.Active || f.Tree(w).Read("dirty") != "d\n" {
				t.Errorf("%+v", now)
			}
			f.Sound()
		})
	}
}

// Killed at any time, in the middle of git too.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f, victim := setUpCrash(t)
	f.Main.Write("b.txt", "local\n")
	merged := 0
	for round := range 30 {
		name := fmt.Sprintf("r%d", round)
		w := f.Spawn(spawn.Request{Task: name})
		f.Tree(w).Commit(name, "new/"+name, name)
		operation := []string{"spawn", "merge " + w.Ref, "abandon " + w.Ref}[round%3]
		cmd := victim(operation, "", "WORKTREE_TEST_HOOK=true")
		worktreetest.Must(t, cmd.Start())
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
		f.FixAll()
		f.Sound()
		if got := f.Main.Git("status", "--porcelain"); got != "M b.txt" {
			t.Fatalf("round %d, %s: status:\n%s", round, operation, got)
		}
		now := f.Get(w)
		switch now.Status {
		case worktree.Completed:
			merged++
		case worktree.Trashed:
			if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
				t.Fatal(err)
			}
			fallthrough
		case worktree.Active, worktree.Conflict:
			if f.Tree(w).Git("status", "--porcelain") != "" || f.Tree(w).Git("rev-list", "--count", w.Base+"..HEAD") != "1" {
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

// childrenOf lists the processes that a process started, where the system has such a list.
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
