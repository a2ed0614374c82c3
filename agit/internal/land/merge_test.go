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

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	tip, old := f.Tree(w).Head(), f.Main.Head()
	out := f.Merge(w)
	if !out.Removed || out.Worktree.Status != worktree.Completed || out.Into != "main" || out.FilesChanged != 2 {
		t.Errorf("%+v", out)
	}
	if got := f.Main.Git("log", "-1", "--format=%H %P|%an|%s", "main"); got != out.Commit+" "+old+" "+tip+"|Ada Author|Merge branch '"+w.Branch+"'" {
		t.Error(got)
	}
	if f.Main.Read("new/x") != "x\n" || !strings.HasPrefix(f.Main.Read("a.txt"), "x\n") {
		t.Error("the files of main did not follow")
	}
	if got := f.Main.Git("reflog", "-1", "--format=%gs", "HEAD"); !strings.Contains(got, "agit merge") {
		t.Errorf("HEAD's reflog: %q", got)
	}
	if got := f.Branches(); got != "main" {
		t.Error(got)
	}
	f.Clean()
	f.Sound()
	if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil || f.Tree(w).Head() != tip {
		t.Error(err)
	}
	// Merged already: merging again only removes it.
	again := f.Merge(w)
	if again.Commit != "" || !again.Removed || f.Main.Head() != out.Commit {
		t.Errorf("%+v", again)
	}
	f.Sound()
}

func TestMergeKeepsLocalChanges(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.Main.Write("b.txt", "unstaged\n")
	f.Main.Write("dir/c.txt", "staged\n")
	f.Main.Git("add", "dir/c.txt")
	f.Main.Write("untracked", "u\n")
	want := f.Main.Git("status", "--porcelain")
	f.Merge(w)
	if got := f.Main.Git("status", "--porcelain"); got != want {
		t.Errorf("status was:\n%s\nand is:\n%s", want, got)
	}
	if f.Main.Read("b.txt") != "unstaged\n" || f.Main.Read("dir/c.txt") != "staged\n" || f.Main.Read("new/x") != "x\n" {
		t.Error("files are not what they should be")
	}
	f.Sound()
}

func TestMergeRefusesToTouchLocalChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(f *worktreetest.Fixture)
		want string
	}{
		"unstaged":  {func(f *worktreetest.Fixture) { f.Main.Write("a.txt", "mine\n") }, "a.txt"},
		"staged":    {func(f *worktreetest.Fixture) { f.Main.Write("a.txt", "mine\n"); f.Main.Git("add", "a.txt") }, "a.txt"},
		"deleted":   {func(f *worktreetest.Fixture) { f.Main.Remove("a.txt") }, "a.txt"},
		"untracked": {func(f *worktreetest.Fixture) { f.Main.Write("new/x", "mine\n") }, "new/x"},
		"ignored": {func(f *worktreetest.Fixture) {
			f.Main.Write(".git/info/exclude", "/new/\n/.worktrees/\n")
			f.Main.Write("new/x", "mine\n")
		}, "new/x"},
		"file in place of a folder": {func(f *worktreetest.Fixture) { f.Main.Write("new", "mine\n") }, "new"},
		"folder in place of a file": {func(f *worktreetest.Fixture) { f.Main.Write("new/x/mine", "mine\n") }, "new/x/mine"},
		"link in place of a folder": {func(f *worktreetest.Fixture) { os.Symlink("dir", f.Main.Path("new")) }, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			c.do(f)
			head, status, files := f.Main.Head(), f.Main.Git("status", "--porcelain", "--ignored"), worktreetest.Listing(t, f.Main.Dir)
			index, _ := os.ReadFile(f.Main.Path(".git/index"))
			_, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
			worktreetest.Contains(t, err, c.want, "not committed", f.Main.Dir)
			if _, blocked := errors.AsType[*land.Blocked](err); !blocked || !fault.Is(err, fault.KindConflict) {
				t.Error(err)
			}
			now, _ := os.ReadFile(f.Main.Path(".git/index"))
			if f.Main.Head() != head || f.Main.Git("status", "--porcelain", "--ignored") != status || string(now) != string(index) {
				t.Error("something was changed")
			}
			if after := worktreetest.Listing(t, f.Main.Dir); after != files {
				t.Errorf("files changed:\n%s\n%s", files, after)
			}
			if w := f.Get(w); w.Status != worktree.Active {
				t.Error(w.Status)
			}
			f.Sound()
		})
	}
}

func TestMergeWhereverMainIs(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, f *worktreetest.Fixture) (check func()){
		"on another branch": func(t *testing.T, f *worktreetest.Fixture) func() {
			f.Main.Git("checkout", "--quiet", "-b", "topic")
			f.Main.Write("a.txt", "dirty, but main is not here\n")
			return func() {
				if f.Main.Read("a.txt") != "dirty, but main is not here\n" {
					t.Error("files were touched")
				}
			}
		},
		"detached": func(t *testing.T, f *worktreetest.Fixture) func() {
			head := f.Main.Head()
			f.Main.Git("checkout", "--quiet", "--detach")
			return func() {
				if f.Main.Head() != head || f.Main.Git("status", "--porcelain") != "" {
					t.Error("HEAD moved")
				}
			}
		},
		"in another worktree": func(t *testing.T, f *worktreetest.Fixture) func() {
			f.Main.Git("checkout", "--quiet", "-b", "topic")
			other := filepath.Join(gittest.TempDir(t), "other")
			f.Main.Git("worktree", "add", "--quiet", other, "main")
			return func() {
				o := f.Main.At(other)
				if o.Read("new/x") != "x\n" || o.Git("status", "--porcelain") != "" {
					t.Error("its files did not follow")
				}
			}
		},
		"in two places": func(t *testing.T, f *worktreetest.Fixture) func() {
			other := filepath.Join(gittest.TempDir(t), "other")
			f.Main.Git("worktree", "add", "--quiet", "--force", other, "main")
			return func() {
				f.Clean()
				o := f.Main.At(other)
				if o.Read("new/x") != "x\n" || o.Git("status", "--porcelain") != "" {
					t.Error("its files did not follow")
				}
			}
		},
		"unborn in main": func(t *testing.T, f *worktreetest.Fixture) func() {
			f.Main.Git("checkout", "--quiet", "--orphan", "empty")
			return func() {}
		},
		"packed refs": func(t *testing.T, f *worktreetest.Fixture) func() {
			f.Main.Git("pack-refs", "--all", "--prune")
			return f.Clean
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			check := do(t, f)
			out := f.Merge(w)
			if f.Main.Git("rev-parse", "main") != out.Commit || !out.Removed {
				t.Errorf("%+v", out)
			}
			check()
			f.Sound()
		})
	}
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		source := gittest.New(t)
		source.Commit("c", "a.txt", "1\n")
		bare := gittest.NewBare(t)
		source.Git("push", "--quiet", bare.Dir, "main")
		f := worktreetest.Of(t, bare, registrytest.Open(t))
		out := f.Merge(f.Worked("x"))
		if f.Main.Git("show", "main:new/x") != "x" || !out.Removed {
			t.Errorf("%+v", out)
		}
		f.Sound()
	})
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *worktreetest.Fixture, w worktree.Worktree)
		want []string
	}{
		"uncommitted": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("a.txt", "more\n") }, []string{"not committed", "a.txt", "commit what is to be kept"}},
		"untracked":   {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("u", "more\n") }, []string{"not tracked", "u"}},
		"precious":    {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write(".env", "k\n") }, []string{".env"}},
		"on another branch": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Git("checkout", "--quiet", "-b", "other")
		}, []string{"branch other", w0}},
		"rebase in main": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("checkout", "--quiet", "-b", "upstream")
			f.Main.Commit("up", "a.txt", "up\n")
			f.Main.Checkout("main")
			f.Main.Commit("own", "a.txt", "own\n")
			f.Main.TryGit("rebase", "upstream")
		}, []string{"rebase", "whoever began it there ends it"}},
		"merge in main": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("checkout", "--quiet", "-b", "side")
			f.Main.Commit("side", "b.txt", "side\n")
			f.Main.Checkout("main")
			f.Main.Commit("own", "b.txt", "own\n")
			f.Main.TryGit("merge", "side")
		}, []string{"a merge is in progress", "whoever began it there ends it"}},
		"locked index": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Main.Write(".git/index.lock", "") }, []string{"another git command", "try again"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			c.do(f, w)
			head := f.Main.Git("rev-parse", "main")
			_, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
			for i := range c.want {
				c.want[i] = strings.ReplaceAll(c.want[i], w0, w.Branch)
			}
			worktreetest.Contains(t, err, c.want...)
			if f.Main.Git("rev-parse", "main") != head || f.Get(w).Status != worktree.Active || f.Get(w).Operation() != "" {
				t.Error("something was changed")
			}
		})
	}
	t.Run("nothing to merge", func(t *testing.T) {
		t.Parallel()
		f := worktreetest.New(t)
		w := f.Spawn(spawn.Request{Task: "x"})
		_, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
		worktreetest.Contains(t, err, "no commits")
	})
	t.Run("no identity", func(t *testing.T) {
		f := worktreetest.New(t)
		w := f.Worked("x")
		for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
		f.Main.Git("config", "user.useConfigOnly", "true")
		_, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
		worktreetest.Contains(t, err, "user.name")
	})
}

const w0 = "THE BRANCH"

func TestMergeConflict(t *testing.T) {
	for name, old := range map[string]bool{"merge-tree": false, "git before 2.38": true} {
		t.Run(name, func(t *testing.T) {
			*land.WithoutMergeTree = old
			t.Cleanup(func() { *land.WithoutMergeTree = false })
			f := worktreetest.New(t)
			one, two, three := f.Worked("one"), f.Worked("two"), f.Spawn(spawn.Request{Task: "three", Agent: "bob"})
			f.Tree(three).Write("a.txt", "three\n2\n")
			f.Merge(one)
			head := f.Main.Head()
			_, err := f.Landings.Land(context.Background(), land.Request{Worktree: two.Ref})
			worktreetest.Contains(t, err, "a.txt", one.Ref, three.Ref, "bob")
			var conflict *land.MergeConflict
			if !errors.As(err, &conflict) || len(conflict.Files) != 1 || conflict.Files[0] != "a.txt" || len(conflict.Others) != 2 {
				t.Fatalf("%+v", conflict)
			}
			if f.Main.Head() != head || f.Get(two).Status != worktree.Conflict || f.Tree(two).Git("status", "--porcelain") != "" {
				t.Error("something was changed")
			}
			f.Clean()
			f.Sound()
			// Resolved as the hint says, it merges.
			f.Tree(two).TryGit("merge", "main")
			f.Tree(two).Commit("resolved", "a.txt", "one and two\n2\n3\n4\n5\n6\n7\n8\n9\n")
			if out := f.Merge(two); !out.Removed {
				t.Errorf("%+v", out)
			}
			if !strings.HasPrefix(f.Main.Read("a.txt"), "one and two\n") {
				t.Error("not merged")
			}
			f.Clean()
			f.Sound()
		})
	}
}

// A branch that has nothing in common with the target is refused with both named, and not as a conflict.
func TestMergeOfUnrelatedHistories(t *testing.T) {
	for name, old := range map[string]bool{"merge-tree": false, "git before 2.38": true} {
		t.Run(name, func(t *testing.T) {
			*land.WithoutMergeTree = old
			t.Cleanup(func() { *land.WithoutMergeTree = false })
			f := worktreetest.New(t)
			w := f.Worked("one")
			tree := f.Tree(w)
			tree.Git("reset", "--quiet", "--hard", tree.Git("commit-tree", "-m", "alone", "HEAD^{tree}"))
			head := f.Main.Head()
			_, err := f.Landings.Land(t.Context(), land.Request{Worktree: w.Ref})
			worktreetest.Contains(t, err, w.Branch+" and main have no commit in common", "made from main")
			var conflict *land.MergeConflict
			if errors.As(err, &conflict) || f.Main.Head() != head || f.Get(w).Status != worktree.Active {
				t.Errorf("%v, the worktree is %s", err, f.Get(w).Status)
			}
			f.Clean()
			f.Sound()
		})
	}
}

func TestPreMergeHook(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Main.Commit("include", ".worktreeinclude", ".env\n")
	f.Main.Write(".env", "KEY\n")
	one, two := f.Worked("one"), f.Spawn(spawn.Request{Task: "two"})
	f.Tree(two).Commit("two", "b.txt", "two\n")
	f.Set.PreMerge = []string{`test "$AGIT_TARGET" = main && test -f new/one && test -f .env && test "$(cat b.txt)" = b && pwd > "` + filepath.Join(gittest.TempDir(t), "where") + `"`}
	f.Merge(one)
	head := f.Main.Head()
	_, err := f.Landings.Land(context.Background(), land.Request{Worktree: two.Ref})
	worktreetest.Contains(t, err, "pre_merge", "exit status 1")
	if f.Main.Head() != head || f.Get(two).Status != worktree.Active {
		t.Error("merged in spite of the hook")
	}
	f.Clean()
	f.Sound()
	f.Set.PreMerge = []string{"touch litter; exit 0"}
	f.Merge(two)
	f.Clean()
	f.Sound()
}

func TestMergeWhenMainMoves(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	moves := 0
	f.Step = func(name string) error {
		if name == "merge:prepared" && moves < 3 {
			moves++
			tip := f.Main.Git("commit-tree", "main^{tree}", "-p", "main", "-m", "meanwhile")
			f.Main.Git("update-ref", "refs/heads/main", tip)
		}
		return nil
	}
	out := f.Merge(w)
	if f.Main.Git("log", "--format=%s", "--first-parent", "main") != "Merge branch '"+w.Branch+"'\nmeanwhile\nmeanwhile\nmeanwhile\nfirst" || !out.Removed {
		t.Error(f.Main.Git("log", "--format=%s", "--first-parent", "main"))
	}
	f.Clean()
	f.Sound()
}

func TestMergesAtOnce(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	var trees []worktree.Worktree
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		w := f.Spawn(spawn.Request{Task: name})
		f.Tree(w).Commit(name, "new/"+name, name)
		trees = append(trees, w)
	}
	f.Main.Write("b.txt", "local\n")
	var group sync.WaitGroup
	for _, w := range trees {
		group.Go(func() {
			for {
				_, err := f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
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
	if n := f.Main.Git("rev-list", "--count", "--merges", "main"); n != "6" {
		t.Errorf("%s merges", n)
	}
	if got := f.Main.Git("status", "--porcelain"); got != "M b.txt" {
		t.Error(got)
	}
	f.Sound()
}

// Several worktrees change different lines of one file and are merged at the same
// moment: all of them go in, whether the default branch is checked out, dirty, or
// neither. Two that change one line: one goes in, the other is refused as conflicts
// always are.
func TestMergesOfOneFileAtOnce(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"clean", "dirty", "elsewhere"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = fmt.Sprint(i)
			}
			f.Main.Commit("long", "a.txt", strings.Join(lines, "\n")+"\n")
			var trees []worktree.Worktree
			for i := range 6 {
				line := []int{0, 5, 10, 15, 20, 20}[i]
				w := f.Spawn(spawn.Request{Task: fmt.Sprint("t", i)})
				changed := slices.Clone(lines)
				changed[line] = fmt.Sprint("changed by ", i)
				f.Tree(w).Commit("work", "a.txt", strings.Join(changed, "\n")+"\n")
				trees = append(trees, w)
			}
			switch state {
			case "dirty":
				f.Main.Write("b.txt", "local\n")
			case "elsewhere":
				f.Main.Git("switch", "--quiet", "--create", "other")
			}
			errs := make([]error, len(trees))
			var group sync.WaitGroup
			for i, w := range trees {
				group.Go(func() { _, errs[i] = f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref}) })
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
			if other != nil || !errors.As(one, new(*land.MergeConflict)) {
				t.Errorf("of two that conflict: %v, and %v", one, other)
			}
			if n := f.Main.Git("rev-list", "--count", "--merges", "main"); n != "5" {
				t.Errorf("%s merges", n)
			}
			if got := f.Main.Git("status", "--porcelain"); got != map[string]string{"dirty": "M b.txt"}[state] {
				t.Errorf("status %q", got)
			}
			f.Sound()
		})
	}
}

// The worktree is worked on while its merge runs: merged, and kept.
func TestMergeKeepsWhatWasAddedMeanwhile(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.At("merge:swapped", func() {
		f.Tree(w).Write("late", "work\n")
	})
	out := f.Merge(w)
	if out.Removed || len(out.Kept) != 1 || f.Get(w).Status != worktree.Active || f.Tree(w).Read("late") != "work\n" {
		t.Errorf("%+v", out)
	}
	f.Clean()
	f.Sound()
}

func TestTasksFollow(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	tasks := &worktreetest.Tasks{}
	f.Reopen(tasks)
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "taken"})
	worktreetest.Contains(t, err, "claimed by another")
	f.LeftNothing("main")
	one, two := f.Worked("one"), f.Spawn(spawn.Request{Task: "two"})
	f.Tree(two).Commit("two", "b.txt", "two\n")
	f.Main.Write("a.txt", "in the way\n")
	if _, err := f.Landings.Land(context.Background(), land.Request{Worktree: one.Ref}); err == nil || len(tasks.Merges) > 0 {
		t.Error("a merge that did not happen completed its task")
	}
	f.Main.Git("checkout", "--quiet", "--", "a.txt")
	f.Merge(one)
	if len(tasks.Merges) != 1 || tasks.Merges[0] != one.Ref {
		t.Error(tasks.Merges)
	}
	if _, err := f.Landings.Land(context.Background(), land.Request{Worktree: two.Ref, KeepTask: true}); err != nil || len(tasks.Merges) != 1 {
		t.Error(err, tasks.Merges)
	}
}
