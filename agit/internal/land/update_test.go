package land_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func update(f *worktreetest.Fixture, w worktree.Worktree, rebase bool) (land.Updated, error) {
	return f.Landings.Update(context.Background(), land.UpdateRequest{Repo: "app", Worktree: w.Ref, Rebase: rebase})
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, rebase := range []bool{false, true} {
		t.Run(map[bool]string{false: "merge", true: "rebase"}[rebase], func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			tree := f.Tree(w)
			tree.Write("notes", "not tracked\n")
			before := tree.Head()
			tip := f.Main.Commit("theirs", "b.txt", "theirs\n")
			out, err := update(f, w, rebase)
			if err != nil || out.UpToDate || out.Before != before || out.Commit != tree.Head() || out.FilesChanged != 1 || out.From != "main" {
				t.Fatalf("%v %+v", err, out)
			}
			if tree.Read("b.txt") != "theirs\n" || tree.Read("new/x") != "x\n" || tree.Read("notes") != "not tracked\n" || tree.Git("status", "--porcelain") != "?? notes" {
				t.Error("the files did not follow")
			}
			want := before + " " + tip
			if rebase {
				want = tip
			}
			if got := tree.Git("log", "-1", "--format=%P"); got != want {
				t.Errorf("parents %s, want %s", got, want)
			}
			if again, err := update(f, w, rebase); err != nil || !again.UpToDate {
				t.Errorf("%v %+v", err, again)
			}
			f.Sound()
			tree.Git("clean", "-qf")
			if out := f.Merge(w); !out.Removed || out.FilesChanged != 2 {
				t.Errorf("%+v", out)
			}
			f.Clean()
		})
	}
}

// A worktree without commits of its own is moved forward, and still has nothing to merge.
func TestUpdateWithoutCommits(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	tip := f.Main.Commit("theirs", "b.txt", "theirs\n")
	if out, err := update(f, w, false); err != nil || out.Commit != tip || f.Tree(w).Read("b.txt") != "theirs\n" {
		t.Fatalf("%v %+v", err, out)
	}
	if _, err := landing(f, w.Ref, nil); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "no commits") {
		t.Error(err)
	}
	f.Sound()
}

// A worktree on no branch gets one only where there is something to bring.
func TestUpdateOnNoBranch(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	dir := filepath.Join(gittest.TempDir(t), "det")
	f.Main.Git("worktree", "add", "-q", "--detach", dir)
	w := worktree.Worktree{Ref: dir}
	if out, err := update(f, w, false); err != nil || !out.UpToDate || f.Branches() != "main" {
		t.Errorf("%+v %v, branches %s", out, err, f.Branches())
	}
	tip := f.Main.Commit("theirs", "b.txt", "theirs\n")
	if out, err := update(f, w, false); err != nil || out.Commit != tip || f.Main.At(dir).Git("rev-parse", "refs/heads/"+out.Worktree.Branch) != tip {
		t.Errorf("%+v %v, branches %s", out, err, f.Branches())
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(f *worktreetest.Fixture, w worktree.Worktree)
		says string
	}{
		"a changed file": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("dir/c.txt", "edited") }, "dir/c.txt"},
		"a staged file": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Write("s", "s")
			f.Tree(w).Git("add", "s")
		}, "s"},
		"a file in the way": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("theirs", "mine") }, "theirs"},
		"another branch":    {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Git("checkout", "-qb", "other") }, "other"},
		"a git at work there": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			worktreetest.Must(f.T, os.WriteFile(filepath.Join(f.Tree(w).Repo().GitDir, "index.lock"), nil, 0o644))
		}, "index.lock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			f.Main.Commit("theirs", "theirs", "theirs\n")
			test.make(f, w)
			head, status := f.Tree(w).Head(), f.Tree(w).Git("status", "--porcelain")
			_, err := update(f, w, false)
			if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "merged") {
				t.Error(err)
			}
			if f.Tree(w).Head() != head || f.Tree(w).Git("status", "--porcelain") != status || f.Get(w).Operation() != "" {
				t.Error("something changed")
			}
		})
	}
}

func TestUpdateConflict(t *testing.T) {
	t.Parallel()
	for _, rebase := range []bool{false, true} {
		f := worktreetest.New(t)
		w, other := f.Worked("mine"), f.Worked("other")
		f.Merge(other)
		head := f.Tree(w).Head()
		_, err := update(f, w, rebase)
		var conflict *land.MergeConflict
		if !errors.As(err, &conflict) || !slices.Equal(conflict.Files, []string{"a.txt"}) || len(conflict.Others) != 1 || conflict.Others[0].Worktree != other.Ref || !strings.Contains(err.Error(), other.Ref) {
			t.Fatalf("%v %+v", err, conflict)
		}
		if f.Tree(w).Head() != head || f.Tree(w).Git("status", "--porcelain") != "" || f.Get(w).Status != worktree.Active {
			t.Error("something changed")
		}
		f.Sound()
	}
}

// A folder becomes a file and a file a folder, where the work lands, in worktrees that take it over, and in one that is thrown away.
func TestFoldersAndFilesChangePlaces(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Main.Commit("before", "lib/a", "a\n", "lib/deep/b", "b\n", "doc", "one file\n")
	w, follows, thrown := f.Worked("x"), f.Spawn(spawn.Request{Task: "y"}), f.Spawn(spawn.Request{Task: "z"})
	f.Tree(follows).Commit("Mine", "mine", "mine\n")
	change := func(tree *gittest.Repo) {
		worktreetest.Must(t, os.RemoveAll(tree.Path("lib")))
		tree.Write("lib", "a file now\n")
		tree.Remove("doc")
		tree.Write("doc/index", "a folder now\n")
	}
	change(f.Tree(w))
	f.Tree(w).Git("add", "--all")
	f.Tree(w).Git("commit", "-q", "-m", "Change places")
	if out := f.Merge(w); !out.Removed || f.Main.Read("lib") != "a file now\n" || f.Main.Read("doc/index") != "a folder now\n" {
		t.Errorf("%+v", out)
	}
	if _, err := update(f, follows, false); err != nil || f.Tree(follows).Read("lib") != "a file now\n" {
		t.Errorf("updated: %v", err)
	}
	change(f.Tree(thrown))
	if _, err := f.Removals.Remove(t.Context(), remove.Request{Repo: "app", Worktree: thrown.Ref, AbandonWork: true}); err != nil {
		t.Errorf("removed: %v", err)
	}
	f.Merge(follows)
	f.Clean()
	if again, err := f.Removals.Restore(t.Context(), "app", thrown.Ref); err != nil || f.Tree(again).Read("lib") != "a file now\n" {
		t.Errorf("restored: %v", err)
	}
	f.Sound()
}
