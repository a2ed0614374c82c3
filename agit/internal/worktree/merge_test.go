package worktree

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

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// worked is a worktree with one commit on a.txt's first line and a new file.
func (f *fixture) worked(task string) Worktree {
	f.t.Helper()
	w := f.spawn(Spawn{Task: task})
	f.tree(w).Commit("work on "+task, "a.txt", task+"\n2\n3\n4\n5\n6\n7\n8\n9\n", "new/"+task, task+"\n")
	return w
}

func (f *fixture) merge(w Worktree) Merged {
	f.t.Helper()
	out, err := f.Merge(context.Background(), Merge{Repo: "app", Worktree: w.Ref})
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func TestMerge(t *testing.T) {
	f := setUp(t)
	w := f.worked("x")
	tip, old := f.tree(w).Head(), f.main.Head()
	out := f.merge(w)
	if !out.Removed || out.Worktree.Status != Completed || out.Into != "main" || out.FilesChanged != 2 {
		t.Errorf("%+v", out)
	}
	if got := f.main.Git("log", "-1", "--format=%H %P|%an|%s", "main"); got != out.Commit+" "+old+" "+tip+"|Ada Author|Merge branch '"+w.Branch+"'" {
		t.Error(got)
	}
	if f.main.Read("new/x") != "x\n" || !strings.HasPrefix(f.main.Read("a.txt"), "x\n") {
		t.Error("the files of main did not follow")
	}
	if got := f.main.Git("reflog", "-1", "--format=%gs", "HEAD"); !strings.Contains(got, "agit merge") {
		t.Errorf("HEAD's reflog: %q", got)
	}
	if got := f.branches(); got != "main" {
		t.Error(got)
	}
	f.clean()
	f.sound()
	if _, err := f.Restore(context.Background(), "", w.Ref); err != nil || f.tree(w).Head() != tip {
		t.Error(err)
	}
	// Merged already: merging again only removes it.
	again := f.merge(w)
	if again.Commit != "" || !again.Removed || f.main.Head() != out.Commit {
		t.Errorf("%+v", again)
	}
	f.sound()
}

func TestMergeKeepsLocalChanges(t *testing.T) {
	f := setUp(t)
	w := f.worked("x")
	f.main.Write("b.txt", "unstaged\n")
	f.main.Write("dir/c.txt", "staged\n")
	f.main.Git("add", "dir/c.txt")
	f.main.Write("untracked", "u\n")
	want := f.main.Git("status", "--porcelain")
	f.merge(w)
	if got := f.main.Git("status", "--porcelain"); got != want {
		t.Errorf("status was:\n%s\nand is:\n%s", want, got)
	}
	if f.main.Read("b.txt") != "unstaged\n" || f.main.Read("dir/c.txt") != "staged\n" || f.main.Read("new/x") != "x\n" {
		t.Error("files are not what they should be")
	}
	f.sound()
}

func TestMergeRefusesToTouchLocalChanges(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *fixture)
		want string
	}{
		"unstaged":  {func(f *fixture) { f.main.Write("a.txt", "mine\n") }, "a.txt"},
		"staged":    {func(f *fixture) { f.main.Write("a.txt", "mine\n"); f.main.Git("add", "a.txt") }, "a.txt"},
		"deleted":   {func(f *fixture) { f.main.Remove("a.txt") }, "a.txt"},
		"untracked": {func(f *fixture) { f.main.Write("new/x", "mine\n") }, "new/x"},
		"ignored": {func(f *fixture) {
			f.main.Write(".git/info/exclude", "/new/\n/.worktrees/\n")
			f.main.Write("new/x", "mine\n")
		}, "new/x"},
		"file in place of a folder": {func(f *fixture) { f.main.Write("new", "mine\n") }, "new"},
		"folder in place of a file": {func(f *fixture) { f.main.Write("new/x/mine", "mine\n") }, "new/x/mine"},
		"link in place of a folder": {func(f *fixture) { os.Symlink("dir", f.main.Path("new")) }, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.worked("x")
			c.do(f)
			head, status, files := f.main.Head(), f.main.Git("status", "--porcelain", "--ignored"), tree(t, f.main.Dir)
			index, _ := os.ReadFile(f.main.Path(".git/index"))
			_, err := f.Merge(context.Background(), Merge{Worktree: w.Ref})
			contains(t, err, c.want, "not committed", f.main.Dir)
			if !fault.Is(err, fault.KindConflict) {
				t.Error(err)
			}
			now, _ := os.ReadFile(f.main.Path(".git/index"))
			if f.main.Head() != head || f.main.Git("status", "--porcelain", "--ignored") != status || string(now) != string(index) {
				t.Error("something was changed")
			}
			if after := tree(t, f.main.Dir); after != files {
				t.Errorf("files changed:\n%s\n%s", files, after)
			}
			if w := f.get(w); w.Status != Active {
				t.Error(w.Status)
			}
			f.sound()
		})
	}
}

func TestMergeWhereverMainIs(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, f *fixture) (check func()){
		"on another branch": func(t *testing.T, f *fixture) func() {
			f.main.Git("checkout", "--quiet", "-b", "topic")
			f.main.Write("a.txt", "dirty, but main is not here\n")
			return func() {
				if f.main.Read("a.txt") != "dirty, but main is not here\n" {
					t.Error("files were touched")
				}
			}
		},
		"detached": func(t *testing.T, f *fixture) func() {
			head := f.main.Head()
			f.main.Git("checkout", "--quiet", "--detach")
			return func() {
				if f.main.Head() != head || f.main.Git("status", "--porcelain") != "" {
					t.Error("HEAD moved")
				}
			}
		},
		"in another worktree": func(t *testing.T, f *fixture) func() {
			f.main.Git("checkout", "--quiet", "-b", "topic")
			other := filepath.Join(gittest.TempDir(t), "other")
			f.main.Git("worktree", "add", "--quiet", other, "main")
			return func() {
				o := f.main.At(other)
				if o.Read("new/x") != "x\n" || o.Git("status", "--porcelain") != "" {
					t.Error("its files did not follow")
				}
			}
		},
		"in two places": func(t *testing.T, f *fixture) func() {
			other := filepath.Join(gittest.TempDir(t), "other")
			f.main.Git("worktree", "add", "--quiet", "--force", other, "main")
			return func() {
				f.clean()
				o := f.main.At(other)
				if o.Read("new/x") != "x\n" || o.Git("status", "--porcelain") != "" {
					t.Error("its files did not follow")
				}
			}
		},
		"unborn in main": func(t *testing.T, f *fixture) func() {
			f.main.Git("checkout", "--quiet", "--orphan", "empty")
			return func() {}
		},
		"packed refs": func(t *testing.T, f *fixture) func() {
			f.main.Git("pack-refs", "--all", "--prune")
			return f.clean
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.worked("x")
			check := do(t, f)
			out := f.merge(w)
			if f.main.Git("rev-parse", "main") != out.Commit || !out.Removed {
				t.Errorf("%+v", out)
			}
			check()
			f.sound()
		})
	}
	t.Run("bare", func(t *testing.T) {
		source := gittest.New(t)
		source.Commit("c", "a.txt", "1\n")
		bare := gittest.NewBare(t)
		source.Git("push", "--quiet", bare.Dir, "main")
		f := setUpWith(t, bare)
		out := f.merge(f.worked("x"))
		if f.main.Git("show", "main:new/x") != "x" || !out.Removed {
			t.Errorf("%+v", out)
		}
		f.sound()
	})
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *fixture, w Worktree)
		want []string
	}{
		"uncommitted": {func(f *fixture, w Worktree) { f.tree(w).Write("a.txt", "more\n") }, []string{"not committed", "a.txt", "commit what is to be kept"}},
		"untracked":   {func(f *fixture, w Worktree) { f.tree(w).Write("u", "more\n") }, []string{"not tracked", "u"}},
		"precious":    {func(f *fixture, w Worktree) { f.tree(w).Write(".env", "k\n") }, []string{".env"}},
		"on another branch": {func(f *fixture, w Worktree) {
			f.tree(w).Git("checkout", "--quiet", "-b", "other")
		}, []string{"branch other", w0}},
		"rebase in main": {func(f *fixture, w Worktree) {
			f.main.Git("checkout", "--quiet", "-b", "upstream")
			f.main.Commit("up", "a.txt", "up\n")
			f.main.Checkout("main")
			f.main.Commit("own", "a.txt", "own\n")
			f.main.TryGit("rebase", "upstream")
		}, []string{"rebase", "finish it there"}},
		"merge in main": {func(f *fixture, w Worktree) {
			f.main.Git("checkout", "--quiet", "-b", "side")
			f.main.Commit("side", "b.txt", "side\n")
			f.main.Checkout("main")
			f.main.Commit("own", "b.txt", "own\n")
			f.main.TryGit("merge", "side")
		}, []string{"a merge is in progress", "finish it there"}},
		"locked index": {func(f *fixture, w Worktree) { f.main.Write(".git/index.lock", "") }, []string{"another git command", "try again"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.worked("x")
			c.do(f, w)
			head := f.main.Git("rev-parse", "main")
			_, err := f.Merge(context.Background(), Merge{Worktree: w.Ref})
			for i := range c.want {
				c.want[i] = strings.ReplaceAll(c.want[i], w0, w.Branch)
			}
			contains(t, err, c.want...)
			if f.main.Git("rev-parse", "main") != head || f.get(w).Status != Active || f.get(w).intent.kind != "" {
				t.Error("something was changed")
			}
		})
	}
	t.Run("nothing to merge", func(t *testing.T) {
		f := setUp(t)
		w := f.spawn(Spawn{Task: "x"})
		_, err := f.Merge(context.Background(), Merge{Worktree: w.Ref})
		contains(t, err, "no commits")
	})
	t.Run("no identity", func(t *testing.T) {
		f := setUp(t)
		w := f.worked("x")
		for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
		f.main.Git("config", "user.useConfigOnly", "true")
		_, err := f.Merge(context.Background(), Merge{Worktree: w.Ref})
		contains(t, err, "user.name")
	})
}

const w0 = "THE BRANCH"

func TestMergeConflict(t *testing.T) {
	for name, old := range map[string]bool{"merge-tree": false, "git before 2.38": true} {
		t.Run(name, func(t *testing.T) {
			withoutMergeTree = old
			t.Cleanup(func() { withoutMergeTree = false })
			f := setUp(t)
			one, two, three := f.worked("one"), f.worked("two"), f.spawn(Spawn{Task: "three", Agent: "bob"})
			f.tree(three).Write("a.txt", "three\n2\n")
			f.merge(one)
			head := f.main.Head()
			_, err := f.Merge(context.Background(), Merge{Worktree: two.Ref})
			contains(t, err, "a.txt", one.Ref, three.Ref, "bob")
			var conflict *MergeConflict
			if !errors.As(err, &conflict) || len(conflict.Files) != 1 || conflict.Files[0] != "a.txt" || len(conflict.Others) != 2 {
				t.Fatalf("%+v", conflict)
			}
			if f.main.Head() != head || f.get(two).Status != Conflict || f.tree(two).Git("status", "--porcelain") != "" {
				t.Error("something was changed")
			}
			f.clean()
			f.sound()
			// Resolved as the hint says, it merges.
			f.tree(two).TryGit("merge", "main")
			f.tree(two).Commit("resolved", "a.txt", "one and two\n2\n3\n4\n5\n6\n7\n8\n9\n")
			if out := f.merge(two); !out.Removed {
				t.Errorf("%+v", out)
			}
			if !strings.HasPrefix(f.main.Read("a.txt"), "one and two\n") {
				t.Error("not merged")
			}
			f.clean()
			f.sound()
		})
	}
}

func TestPreMergeHook(t *testing.T) {
	f := setUp(t)
	f.main.Commit("include", ".worktreeinclude", ".env\n")
	f.main.Write(".env", "KEY\n")
	one, two := f.worked("one"), f.spawn(Spawn{Task: "two"})
	f.tree(two).Commit("two", "b.txt", "two\n")
	f.set.PreMerge = []string{`test -f new/one && test -f .env && test "$(cat b.txt)" = b && pwd > "` + filepath.Join(gittest.TempDir(t), "where") + `"`}
	f.merge(one)
	head := f.main.Head()
	_, err := f.Merge(context.Background(), Merge{Worktree: two.Ref})
	contains(t, err, "pre_merge", "exit status 1")
	if f.main.Head() != head || f.get(two).Status != Active {
		t.Error("merged in spite of the hook")
	}
	f.clean()
	f.sound()
	f.set.PreMerge = []string{"touch litter; exit 0"}
	f.merge(two)
	f.clean()
	f.sound()
}

func TestMergeWhenMainMoves(t *testing.T) {
	f := setUp(t)
	w := f.worked("x")
	moves := 0
	failpoint = func(name string) error {
		if name == "merge:prepared" && moves < 3 {
			moves++
			tip := f.main.Git("commit-tree", "main^{tree}", "-p", "main", "-m", "meanwhile")
			f.main.Git("update-ref", "refs/heads/main", tip)
		}
		return nil
	}
	t.Cleanup(func() { failpoint = nil })
	out := f.merge(w)
	if f.main.Git("log", "--format=%s", "--first-parent", "main") != "Merge branch '"+w.Branch+"'\nmeanwhile\nmeanwhile\nmeanwhile\nfirst" || !out.Removed {
		t.Error(f.main.Git("log", "--format=%s", "--first-parent", "main"))
	}
	f.clean()
	f.sound()
}

func TestMergesAtOnce(t *testing.T) {
	f := setUp(t)
	var trees []Worktree
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		w := f.spawn(Spawn{Task: name})
		f.tree(w).Commit(name, "new/"+name, name)
		trees = append(trees, w)
	}
	f.main.Write("b.txt", "local\n")
	var group sync.WaitGroup
	for _, w := range trees {
		group.Go(func() {
			for {
				_, err := f.Merge(context.Background(), Merge{Worktree: w.Ref})
				if err == nil {
					return
				}
				if !fault.From(err).Retryable {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if n := f.main.Git("rev-list", "--count", "--merges", "main"); n != "6" {
		t.Errorf("%s merges", n)
	}
	if got := f.main.Git("status", "--porcelain"); got != "M b.txt" {
		t.Error(got)
	}
	f.sound()
}

// Several worktrees change different lines of one file and are merged at the same
// moment: all of them go in, whether the default branch is checked out, dirty, or
// neither. Two that change one line: one goes in, the other is refused as conflicts
// always are.
func TestMergesOfOneFileAtOnce(t *testing.T) {
	for _, state := range []string{"clean", "dirty", "elsewhere"} {
		t.Run(state, func(t *testing.T) {
			f := setUp(t)
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = fmt.Sprint(i)
			}
			f.main.Commit("long", "a.txt", strings.Join(lines, "\n")+"\n")
			var trees []Worktree
			for i := range 6 {
				line := []int{0, 5, 10, 15, 20, 20}[i]
				w := f.spawn(Spawn{Task: fmt.Sprint("t", i)})
				changed := slices.Clone(lines)
				changed[line] = fmt.Sprint("changed by ", i)
				f.tree(w).Commit("work", "a.txt", strings.Join(changed, "\n")+"\n")
				trees = append(trees, w)
			}
			switch state {
			case "dirty":
				f.main.Write("b.txt", "local\n")
			case "elsewhere":
				f.main.Git("switch", "--quiet", "--create", "other")
			}
			errs := make([]error, len(trees))
			var group sync.WaitGroup
			for i, w := range trees {
				group.Go(func() { _, errs[i] = f.Merge(context.Background(), Merge{Worktree: w.Ref}) })
			}
			group.Wait()
			for i := range 4 {
				if errs[i] != nil {
					t.Errorf("clean merge %d: %v", i, errs[i])
				}
			}
			one, other := errs[4], errs[5]
			if one == nil {
				one, other = other, one
			}
			if other != nil || !isMergeConflict(one) {
				t.Errorf("of two that conflict: %v, and %v", one, other)
			}
			if n := f.main.Git("rev-list", "--count", "--merges", "main"); n != "5" {
				t.Errorf("%s merges", n)
			}
			if got := f.main.Git("status", "--porcelain"); got != map[string]string{"dirty": "M b.txt"}[state] {
				t.Errorf("status %q", got)
			}
			f.sound()
		})
	}
}

// The worktree is worked on while its merge runs: merged, and kept.
func TestMergeKeepsWhatWasAddedMeanwhile(t *testing.T) {
	f := setUp(t)
	w := f.worked("x")
	failpoint = func(name string) error {
		if name == "merge:swapped" {
			f.tree(w).Write("late", "work\n")
		}
		return nil
	}
	t.Cleanup(func() { failpoint = nil })
	out := f.merge(w)
	if out.Removed || len(out.Kept) != 1 || f.get(w).Status != Active || f.tree(w).Read("late") != "work\n" {
		t.Errorf("%+v", out)
	}
	f.clean()
	f.sound()
}

type fakeTasks struct {
	item            int64 // what T-1 is
	mu              sync.Mutex
	merged, spawned []string
}

func (k *fakeTasks) Resolve(tx *registry.Tx, _ repo.Repo, task, _ string) (int64, error) {
	if task == "T-1" {
		return k.item, nil
	}
	return 0, nil
}

func (k *fakeTasks) Namesake(*registry.Tx, repo.Repo, string) (string, error) { return "", nil }

func (k *fakeTasks) Spawned(_ *registry.Tx, w Worktree) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spawned = append(k.spawned, w.Ref)
	if w.Task == "taken" {
		return fault.Conflict("task", "t", "task is claimed by another")
	}
	return nil
}
func (k *fakeTasks) Merged(_ *registry.Tx, w Worktree, _ string) (string, error) {
	k.merged = append(k.merged, w.Ref)
	return "", nil
}

func TestTasksFollow(t *testing.T) {
	f := setUp(t)
	tasks := &fakeTasks{}
	f.Store.o.Tasks = tasks
	_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "taken"})
	contains(t, err, "claimed by another")
	f.leftNothing("main")
	one, two := f.worked("one"), f.spawn(Spawn{Task: "two"})
	f.tree(two).Commit("two", "b.txt", "two\n")
	f.main.Write("a.txt", "in the way\n")
	if _, err := f.Merge(context.Background(), Merge{Worktree: one.Ref}); err == nil || len(tasks.merged) > 0 {
		t.Error("a merge that did not happen completed its task")
	}
	f.main.Git("checkout", "--quiet", "--", "a.txt")
	f.merge(one)
	if len(tasks.merged) != 1 || tasks.merged[0] != one.Ref {
		t.Error(tasks.merged)
	}
	if _, err := f.Merge(context.Background(), Merge{Worktree: two.Ref, KeepTask: true}); err != nil || len(tasks.merged) != 1 {
		t.Error(err, tasks.merged)
	}
}
