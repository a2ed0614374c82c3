package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A worktree that `git worktree move` moved is itself at its new place, by each of its names, and no list has it twice.
func TestMovedByGit(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	to := filepath.Join(gittest.TempDir(t), "far")
	for range 2 {
		f.Main.Git("worktree", "move", w.Path, to)
		for _, name := range []string{w.Ref, w.Branch, to} {
			if got, err := f.Worktrees.Get(t.Context(), "app", name); err != nil || got.Ref != w.Ref || got.Path != to {
				t.Errorf("%s: %s at %s, %v", name, got.Ref, got.Path, err)
			}
		}
		all, err := f.Worktrees.WithOthers(t.Context(), "app")
		if err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		if joined, err := worktree.Join(t.Context(), f.Main.Repo(), f.Repo, f.Rows()); err != nil || joined[0].Path != to {
			t.Errorf("%+v, %v", joined, err)
		}
		if rows := f.Rows(); rows[0].Path != w.Path {
			t.Errorf("a read stored %s", rows[0].Path)
		}
		if _, opened, _, err := f.Worktrees.Open(t.Context(), "app", w.Ref); err != nil || opened.Path != to {
			t.Errorf("%s, %v", opened.Path, err)
		}
		if rows := f.Rows(); rows[0].Path != to || rows[0].Status != worktree.Active {
			t.Errorf("after an operation: %+v", rows[0])
		}
		f.Sound()
		w.Path, to = to, to+"-again"
	}
}

// A worktree that was restored beside another one of its name is followed, too.
func TestMovedAfterItWasRestored(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	_, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref})
	worktreetest.Must(t, err)
	f.Main.Git("worktree", "add", "-q", "--detach", filepath.Join(gittest.TempDir(t), filepath.Base(w.Path)))
	_, err = f.Removals.Restore(t.Context(), "", w.Ref)
	worktreetest.Must(t, err)
	to := filepath.Join(gittest.TempDir(t), "far")
	f.Main.Git("worktree", "move", w.Path, to)
	if got, err := f.Worktrees.Get(t.Context(), "app", w.Ref); err != nil || got.Path != to {
		t.Errorf("%s, %v", got.Path, err)
	}
}

// A worktree that someone made of the branch, after the folder was deleted, is not agit's: nothing may land or remove it in its place.
func TestNotMovedButMadeAnew(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	worktreetest.Must(t, os.RemoveAll(w.Path))
	f.Main.Git("worktree", "prune")
	theirs := filepath.Join(gittest.TempDir(t), "review")
	f.Main.Git("worktree", "add", "-q", theirs, w.Branch)
	f.Worktrees.Options.Dir = theirs
	if got, err := f.Worktrees.Get(t.Context(), "app", w.Ref); err != nil || got.Path != w.Path {
		t.Errorf("%s, %v", got.Path, err)
	}
	if all, err := f.Worktrees.WithOthers(t.Context(), "app"); err != nil || all[0].Path != w.Path {
		t.Errorf("%+v, %v", all, err)
	}
	if _, opened, _, err := f.Worktrees.Open(t.Context(), "app", w.Ref); err != nil || opened.Path != w.Path {
		t.Errorf("%s, %v", opened.Path, err)
	}
}

// Who stands in a worktree that was moved by hand means that worktree, wherever it is now; an operation connects it again.
func TestMovedByHand(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	to := filepath.Join(gittest.TempDir(t), "far")
	worktreetest.Must(t, os.Rename(w.Path, to))
	if got, err := f.Worktrees.Get(t.Context(), "app", w.Ref); err != nil || got.Path != w.Path {
		t.Errorf("from elsewhere: %s, %v", got.Path, err)
	}
	other := gittest.New(t) // with a worktree whose entry has the same name
	other.Commit("first", "x", "x")
	theirs := filepath.Join(gittest.TempDir(t), filepath.Base(w.Path))
	other.Git("worktree", "add", "-q", "-b", w.Branch, theirs)
	f.Worktrees.Options.Dir = theirs
	if got, err := f.Worktrees.Get(t.Context(), "app", w.Ref); err != nil || got.Path != w.Path {
		t.Errorf("from a worktree of another repository: %s, %v", got.Path, err)
	}
	f.Worktrees.Options.Dir = to
	for _, name := range []string{w.Ref, ".", to} {
		if got, err := f.Worktrees.Get(t.Context(), "app", name); err != nil || got.Ref != w.Ref || got.Path != to {
			t.Errorf("%s: %s at %s, %v", name, got.Ref, got.Path, err)
		}
	}
	if _, opened, _, err := f.Worktrees.Open(t.Context(), "app", w.Ref); err != nil || opened.Path != to {
		t.Errorf("%s, %v", opened.Path, err)
	}
	f.Sound()
}
