package remove_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestRemoveAndRestore(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	if err != nil || !out.Removed || out.Worktree.Status != worktree.Trashed {
		t.Fatal(out, err)
	}
	if _, err := os.Lstat(w.Path); err == nil {
		t.Error("the folder is still there")
	}
	if got := f.Branches(); got != "main" {
		t.Error(got)
	}
	if left := time.Until(out.RestoreUntil.Time); left < 29*24*time.Hour {
		t.Error(left)
	}
	f.Sound()
	if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref}); !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	back, err := f.Removals.Restore(context.Background(), "app", w.Ref)
	if err != nil || back.Status != worktree.Active || back.Path != w.Path {
		t.Fatal(back, err)
	}
	if out := f.Tree(w).Git("status", "--porcelain=v1", "--branch"); out != "## "+w.Branch {
		t.Error(out)
	}
	if refs := f.Main.Git("for-each-ref", "refs/agit"); refs != "" {
		t.Error(refs)
	}
	f.Clean()
	f.Sound()
}

// Each of these lost someone's work elsewhere.
func TestRemoveRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree)
		want []string
	}{
		"staged": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Write("a.txt", "x")
			f.Tree(w).Git("add", "a.txt")
		}, []string{"not committed", "a.txt"}},
		"unstaged":  {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("a.txt", "x") }, []string{"not committed", "a.txt"}},
		"deleted":   {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Remove("a.txt") }, []string{"not committed", "a.txt"}},
		"untracked": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("n e w/file", "x") }, []string{"not tracked", "n e w/file"}},
		"untracked, hidden by configuration": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("config", "status.showUntrackedFiles", "no")
			f.Tree(w).Write("new", "x")
		}, []string{"not tracked", "new"}},
		"precious": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Write(".env", "MY=1")
			f.Tree(w).Write("secret/key", "k")
			f.Tree(w).Write("node_modules/x/y.js", "rebuildable")
			f.Tree(w).Write("x.log", "rebuildable")
		}, []string{"2 files are ignored by git", ".env", "secret/key"}},
		"nested repository": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			gittest.NewAt(t, filepath.Join(w.Path, "sub")).Commit("c", "f", "x")
		}, []string{"not tracked", "sub/"}},
		"unmerged": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Commit("my work", "new", "x\n")
		}, []string{"1 commit of", "not in main", "my work"}},
		"pushed but not merged": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			bare := gittest.NewBare(t)
			f.Main.Git("remote", "add", "origin", bare.Dir)
			f.Main.Git("push", "--quiet", "origin", "main")
			f.Tree(w).Commit("my work", "new", "x\n")
			f.Tree(w).Git("push", "--quiet", "--set-upstream", "origin", "HEAD")
		}, []string{"not in main", "my work"}},
		"detached commit": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Git("checkout", "--quiet", "--detach")
			f.Tree(w).Commit("lonely", "new", "x\n")
		}, []string{"HEAD", "lonely"}},
		"folder moved": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			other := f.Spawn(spawn.Request{Task: "other"})
			worktreetest.Must(t, os.Rename(w.Path, w.Path+"-away"))
			worktreetest.Must(t, os.Rename(other.Path, w.Path))
		}, []string{"belongs to another repository or worktree"}},
		"foreign repository": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			worktreetest.Must(t, os.Rename(w.Path, w.Path+"-away"))
			gittest.NewAt(t, w.Path).Commit("foreign", "f", "x")
		}, []string{"is not a worktree"}},
		"folder without .git": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			worktreetest.Must(t, os.Remove(filepath.Join(w.Path, ".git")))
		}, []string{"is not a worktree", "agit doctor"}},
		"two worktrees of one branch": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("worktree", "add", "--quiet", "--force", filepath.Join(gittest.TempDir(t), "twin"), w.Branch)
		}, []string{"checked out at", "twin"}},
		"default branch": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Checkout("--detach")
			f.Tree(w).Checkout("main")
		}, []string{"default branch main checked out"}},
		"locked": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("worktree", "lock", "--reason", "on a stick", w.Path)
		}, []string{"locked (on a stick)"}},
		"in a rebase": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Tree(w).Commit("mine", "a.txt", "mine\n")
			f.Main.Commit("theirs", "a.txt", "theirs\n")
			f.Tree(w).TryGit("rebase", "main")
		}, []string{"a rebase is in progress"}},
		"agent at work": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			f.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(time.Second))
		}, []string{"agent claude works in it"}},
		"process inside": {func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree) {
			if runtime.GOOS != "linux" {
				t.Skip("processes are looked for on Linux")
			}
			cmd := exec.Command("sleep", "600")
			cmd.Dir = filepath.Join(w.Path, "dir")
			worktreetest.Must(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		}, []string{"(sleep) is in it"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := worktreetest.New(t)
			w := f.Spawn(spawn.Request{Task: "x", Agent: "claude"})
			c.do(t, f, w)
			before := worktreetest.Listing(t, w.Path)
			_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
			worktreetest.Contains(t, err, c.want...)
			var refused *obstacle.Refusal
			if !errors.As(err, &refused) || len(refused.Obstacles) == 0 || !fault.Is(err, fault.KindConflict) {
				t.Errorf("%T %v", err, err)
			}
			if after := worktreetest.Listing(t, w.Path); after != before {
				t.Errorf("the folder changed:\n%s\n%s", before, after)
			}
			if now := f.Get(w); now.Status != worktree.Active || now.Operation() != "" {
				t.Errorf("%+v", now)
			}
		})
	}
}

func TestRemoveListsEverything(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("work", "new", "x\n")
	f.Tree(w).Write("a.txt", "changed")
	f.Tree(w).Write("untracked", "u")
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Branch, DryRun: true})
	if err != nil || len(out.Obstacles) != 3 {
		t.Fatal(out, err)
	}
	_, err = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "a.txt", "untracked", "not in main")
}

func TestOwnerMayRemove(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x", Agent: "Claude"})
	f.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(time.Second))
	if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, By: "claude"}); err != nil {
		t.Error(err)
	}
}

func TestMergedByOtherMeans(t *testing.T) {
	for name, merge := range map[string]func(f *worktreetest.Fixture, w worktree.Worktree){
		"merged": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("merge", "--quiet", "--no-ff", "-m", "m", w.Branch)
		},
		"fast-forward": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("merge", "--quiet", "--ff-only", w.Branch)
		},
		"squashed": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("merge", "--quiet", "--squash", w.Branch)
			f.Main.Git("commit", "--quiet", "-m", "squashed")
		},
		"squashed, main moved on over it": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("merge", "--quiet", "--squash", w.Branch)
			f.Main.Git("commit", "--quiet", "-m", "squashed")
			f.Main.Commit("over it", "a.txt", "completely\nother\n", "new", "also other\n")
		},
		"rebased": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Commit("before", "b.txt", "moved\n")
			f.Main.Git("cherry-pick", "main.."+w.Branch)
		},
		"rebased, main moved on over it": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Commit("before", "b.txt", "moved\n")
			f.Main.Git("cherry-pick", "main.."+w.Branch)
			f.Main.Commit("over it", "a.txt", "completely\nother\n", "new", "also other\n")
		},
		"merged at the remote": func(f *worktreetest.Fixture, w worktree.Worktree) {
			bare := gittest.NewBare(f.T)
			f.Main.Git("remote", "add", "origin", bare.Dir)
			f.Main.Git("push", "--quiet", "origin", w.Branch+":main")
			f.Main.Git("fetch", "--quiet", "origin")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := worktreetest.New(t)
			w := f.Spawn(spawn.Request{Task: "x"})
			f.Tree(w).Commit("one", "a.txt", "1\n2\n3\n4\nX\n6\n7\n8\n9\n")
			f.Tree(w).Commit("two", "new", "x\ny\nz\n")
			tip := f.Tree(w).Head()
			merge(f, w)
			list, err := f.Removals.Cleanup(context.Background(), remove.Cleanup{DryRun: true})
			if err != nil || len(list) != 1 || list[0].Why != "its branch is merged" || len(list[0].Obstacles) > 0 || list[0].Removed {
				t.Fatalf("%+v, %v", list, err)
			}
			list, err = f.Removals.Cleanup(context.Background(), remove.Cleanup{Repo: "app"})
			if err != nil || len(list) != 1 || !list[0].Removed || list[0].Worktree.Status != worktree.Completed {
				t.Fatalf("%+v, %v", list, err)
			}
			f.Sound()
			if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
				t.Fatal(err)
			}
			if f.Tree(w).Head() != tip {
				t.Error("another commit was restored")
			}
		})
	}
}

func TestSubmodules(t *testing.T) {
	sub := gittest.New(t)
	sub.Commit("sub", "s", "s\n")
	bare := gittest.NewBare(t)
	sub.Git("push", "--quiet", bare.Dir, "main")
	f := worktreetest.New(t)
	f.Main.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", bare.Dir, "mod")
	f.Main.Commit("module")
	w := f.Spawn(spawn.Request{Task: "x"})
	if out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, DryRun: true}); err != nil || len(out.Obstacles) > 0 {
		t.Fatal(out, err)
	}
	f.Tree(w).Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	if out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, DryRun: true}); err != nil || len(out.Obstacles) > 0 {
		t.Fatal(out, err)
	}
	inside := f.Main.At(filepath.Join(w.Path, "mod"))
	inside.Write("s", "dirty\n")
	_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "submodule has changes", "mod")
	inside.Commit("only here")
	_, err = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "commits that were not pushed", "mod")
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	if err != nil || !out.Removed {
		t.Fatal(err)
	}
	if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if inside.Git("log", "-1", "--format=%s") != "only here" {
		t.Error("the submodule's commit is lost")
	}
}

func TestAbandonedWorkComesBack(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	tree := f.Tree(w)
	tree.Commit("work", "new", "x\n")
	tree.Write("a.txt", "staged\n")
	tree.Git("add", "a.txt")
	tree.Write("a.txt", "unstaged\n")
	tree.Write("untracked", "u\n")
	tree.Write(".env", "precious\n")
	tree.Git("mv", "b.txt", "moved.txt")
	want := tree.Git("status", "--porcelain=v2", "--branch", "--ignored")
	head := tree.Head()
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	if err != nil {
		t.Fatal(err)
	}
	f.Sound()
	if got := f.Branches(); got != "main" {
		t.Error(got)
	}
	trash, err := f.Removals.Trash(context.Background(), "app")
	if err != nil || len(trash) != 1 || trash[0].Path != out.Trash {
		t.Fatal(trash, err)
	}
	if got := f.Main.Git("show", trash[0].Ref+"/work:a.txt"); got != "unstaged" {
		t.Error(got)
	}
	if got := f.Main.Git("show", trash[0].Ref+"/work^2:a.txt"); got != "staged" {
		t.Error(got)
	}
	if got := f.Main.Git("show", trash[0].Ref+"/work:untracked"); got != "u" {
		t.Error(got)
	}
	if f.Main.Git("rev-parse", trash[0].Ref+"/branch") != head {
		t.Error("the branch's commit is not kept")
	}
	f.Main.Git("reflog", "expire", "--expire=now", "--all")
	f.Main.Git("gc", "--quiet", "--prune=now")
	if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if got := tree.Git("status", "--porcelain=v2", "--branch", "--ignored"); got != want {
		t.Errorf("restored:\n%s\nbefore:\n%s", got, want)
	}
	if tree.Read(".env") != "precious\n" || tree.Git("show", ":a.txt") != "staged" {
		t.Error("not everything came back")
	}
	f.Sound()
}

func TestRestoreRefuses(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("work", "new", "x\n")
	if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true}); err != nil {
		t.Fatal(err)
	}
	worktreetest.Must(t, os.Mkdir(w.Path, 0o755))
	_, err := f.Removals.Restore(context.Background(), "", w.Ref)
	worktreetest.Contains(t, err, "exists", "elsewhere")
	worktreetest.Must(t, os.Remove(w.Path))
	f.Exec(`UPDATE trash SET path = path || '.moved'`)
	_, err = f.Removals.Restore(context.Background(), "", w.Ref)
	worktreetest.Contains(t, err, "is no longer at")
	_, listed, _ := strings.Cut(err.Error(), "`git ")
	listed, _, _ = strings.Cut(listed, "`")
	if refs := f.Main.Git(strings.Fields(listed)...); !strings.Contains(refs, "/branch") {
		t.Errorf("git %s lists %q", listed, refs)
	}
	f.Exec(`UPDATE trash SET path = REPLACE(path, '.moved', '')`)
	f.Main.Git("branch", w.Branch, "main")
	_, err = f.Removals.Restore(context.Background(), "", w.Ref)
	worktreetest.Contains(t, err, w.Branch, "another commit")
	f.Main.Git("branch", "-m", w.Branch, "renamed")
	if _, err = f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	_, err = f.Removals.Restore(context.Background(), "", w.Ref)
	worktreetest.Contains(t, err, "not in the trash")
	f.Sound()
}

// A removed worktree had another branch than its own checked out.
func TestRestoreOnAnotherBranch(t *testing.T) {
	removed := func(t *testing.T) (f *worktreetest.Fixture, w worktree.Worktree, head string) {
		f = worktreetest.New(t)
		w = f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Git("switch", "--quiet", "-c", "other")
		f.Tree(w).Commit("work", "new", "x\n")
		head = f.Tree(w).Head()
		_, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref, AbandonWork: true})
		worktreetest.Must(t, err)
		return f, w, head
	}
	restored := func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree, head string) {
		t.Helper()
		_, err := f.Removals.Restore(t.Context(), "", w.Ref)
		worktreetest.Must(t, err)
		if got := f.Tree(w).Git("status", "--porcelain", "--branch"); got != "## other" || f.Main.Git("rev-parse", "other") != head {
			t.Errorf("status %q, other is at %s, not %s", got, f.Main.Git("rev-parse", "other"), head)
		}
		if refs := f.Main.Git("for-each-ref", "refs/agit"); refs != "" {
			t.Error(refs)
		}
	}
	refused := func(t *testing.T, f *worktreetest.Fixture, w worktree.Worktree, head, why string) {
		t.Helper()
		_, err := f.Removals.Restore(t.Context(), "", w.Ref)
		worktreetest.Contains(t, err, `"other"`, why)
		if kept := f.Main.Git("for-each-ref", "--points-at", head, "refs/agit"); kept == "" {
			t.Error("its commit was let go")
		}
	}
	t.Run("that stayed", func(t *testing.T) {
		f, w, head := removed(t)
		restored(t, f, w, head)
	})
	t.Run("that was deleted", func(t *testing.T) {
		f, w, head := removed(t)
		f.Main.Git("branch", "--quiet", "-D", "other")
		f.FailAt("restore:moved")
		if _, err := f.Removals.Restore(t.Context(), "", w.Ref); err == nil {
			t.Fatal("not cut off")
		}
		f.Step = nil
		f.Main.Git("branch", "--quiet", "-d", w.Branch)
		if _, _, err := f.Worktrees.Prepared(t.Context(), "app"); err != nil { // mends it
			t.Fatal(err)
		}
		if got := f.Tree(w).Git("status", "--porcelain", "--branch"); got != "## other" || f.Main.Git("rev-parse", "other") != head {
			t.Error(got)
		}
	})
	t.Run("that moved", func(t *testing.T) {
		f, w, head := removed(t)
		f.Main.Git("switch", "--quiet", "other")
		f.Main.Commit("more", "more", "x\n")
		f.Main.Git("switch", "--quiet", "main")
		refused(t, f, w, head, "another commit")
		f.Main.Git("branch", "-m", "other", "renamed")
		restored(t, f, w, head)
	})
	t.Run("that is checked out elsewhere", func(t *testing.T) {
		f, w, head := removed(t)
		f.Main.Git("switch", "--quiet", "other")
		refused(t, f, w, head, f.Main.Dir)
		f.Main.Git("switch", "--quiet", "main")
		restored(t, f, w, head)
	})
}

func TestPurge(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	worktreetest.Must(t, err)
	if purged, err := f.Removals.Purge(context.Background()); err != nil || len(purged) > 0 {
		t.Fatal(purged, err)
	}
	f.Exec(`UPDATE trash SET expires_at = ?`, worktreetest.Stamp(-time.Second))
	purged, err := f.Removals.Purge(context.Background())
	if err != nil || len(purged) != 1 {
		t.Fatal(purged, err)
	}
	if _, err := os.Lstat(out.Trash); err == nil || f.Main.Git("for-each-ref", "refs/agit") != "" || len(f.Rows()) != 0 {
		t.Error("something is left")
	}
	_, err = f.Removals.Restore(context.Background(), "", w.Ref)
	if !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	f.Sound()
}

// A removal that was cut off ends where a program that still ran made the folder anew meanwhile, and leaves that.
func TestFolderMadeAnewDuringARemoval(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.KilledAt("remove:entry", func() {
		_, _ = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	})
	cache := filepath.Join(w.Path, "cache")
	worktreetest.Must(t, os.MkdirAll(cache, 0o755))
	found, err := f.Audits.Check(t.Context(), "")
	if err != nil || len(found) == 0 || found[0].Kind != worktreecheck.Interrupted {
		t.Fatalf("%+v, %v", found, err)
	}
	worktreetest.Must(t, found[0].Fix(t.Context()))
	list, err := f.Removals.Trash(t.Context(), "")
	if err != nil || len(list) != 1 || f.Get(w).Status != worktree.Trashed {
		t.Errorf("%+v, %v, %s", list, err, f.Get(w).Status)
	}
	if _, err := os.Stat(cache); err != nil {
		t.Error(err)
	}
}

// A worktree whose commits are gone from the repository stays in the trash.
func TestRestoreWithoutItsCommits(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	_, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	worktreetest.Must(t, err)
	for _, ref := range strings.Fields(f.Main.Git("for-each-ref", "--format=%(refname)", "refs/agit")) {
		f.Main.Git("update-ref", "-d", ref)
	}
	f.Main.Git("gc", "--quiet", "--prune=now")
	for range 2 {
		_, err = f.Removals.Restore(t.Context(), "", w.Ref)
		worktreetest.Contains(t, err, "may have been cloned anew")
	}
	list, err := f.Removals.Trash(t.Context(), "")
	if worktreetest.Must(t, err); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

// removed removes a worktree, and returns its id.
func removed(f *worktreetest.Fixture) string {
	f.T.Helper()
	w := f.Spawn(spawn.Request{Task: "x"})
	_, err := f.Removals.Remove(f.T.Context(), remove.Request{Worktree: w.Ref})
	worktreetest.Must(f.T, err)
	return w.Ref
}

// kept are the worktrees in the trash, the newest first.
func kept(f *worktreetest.Fixture) (refs []string) {
	f.T.Helper()
	list, err := f.Removals.Trash(f.T.Context(), "")
	worktreetest.Must(f.T, err)
	for _, one := range list {
		refs = append(refs, one.Worktree.Ref)
	}
	return refs
}

// A removal empties two trashes whose time is over, the oldest first; what is on a disk that is away stays noted.
func TestRemovalEmptiesExpiredTrash(t *testing.T) {
	f := worktreetest.New(t)
	for range 2 {
		removed(f)
	}
	third, last := removed(f), removed(f)
	f.Exec(`UPDATE trash SET expires_at = ? WHERE id <> (SELECT MAX(id) FROM trash)`, worktreetest.Stamp(-time.Second))
	away := f.Main.Dir + "-away"
	worktreetest.Must(t, os.Rename(f.Main.Dir, away))
	if purged, err := f.Removals.Purge(t.Context()); err != nil || len(purged) > 0 || len(kept(f)) != 4 {
		t.Errorf("with the disk away: %v, %v", purged, err)
	}
	worktreetest.Must(t, os.Rename(away, f.Main.Dir))
	if now, got := removed(f), kept(f); !slices.Equal(got, []string{now, last, third}) {
		t.Errorf("after a removal: %v", got)
	}
	if now, got := removed(f), kept(f); len(got) != 3 || got[0] != now || slices.Contains(got, third) {
		t.Errorf("after another one: %v", got)
	}
}

// Trash that cannot be emptied, such as files of another user, does not keep a removal from emptying what comes after it.
func TestRemovalPassesTrashThatStays(t *testing.T) {
	f := worktreetest.New(t)
	stays := []string{removed(f), removed(f)}
	f.Exec(`UPDATE trash SET path = ? || id`, filepath.Join(t.TempDir(), strings.Repeat("x", 300)))
	removed(f)
	f.Exec(`UPDATE trash SET expires_at = ?`, worktreetest.Stamp(-time.Second))
	last := removed(f)
	if got := kept(f); !slices.Equal(got, []string{last, stays[1], stays[0]}) {
		t.Errorf("left: %v", got)
	}
}

// A worktree whose time is over and that is being restored is not emptied meanwhile; one that is being emptied is not restored.
func TestPurgeBesideRestore(t *testing.T) {
	f := worktreetest.New(t)
	ctx := t.Context()
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Write("unsaved", "x\n")
	_, err := f.Removals.Remove(ctx, remove.Request{Worktree: w.Ref, AbandonWork: true})
	worktreetest.Must(t, err)
	f.Exec(`UPDATE trash SET expires_at = ?`, worktreetest.Stamp(-time.Second))
	over, err := f.Removals.Expired(ctx)
	if err != nil || len(over) != 1 {
		t.Fatal(over, err)
	}
	f.Step = func(step string) error {
		if step == "restore:planned" {
			if purged, err := f.Removals.Purge(ctx); err != nil || len(purged) > 0 {
				t.Errorf("during a restore: %v, %v", purged, err)
			}
			if err := f.Removals.PurgeOne(ctx, over[0]); !fault.Is(err, fault.KindConflict) {
				t.Errorf("that one, during a restore: %v", err)
			}
		}
		return nil
	}
	f.Exec(`UPDATE trash SET status = 'moving'`) // a call that empties it began
	if _, err := f.Removals.Restore(ctx, "", w.Ref); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("while it is emptied: %v", err)
	}
	f.Exec(`UPDATE trash SET status = 'kept'`)
	_, err = f.Removals.Restore(ctx, "", w.Ref)
	worktreetest.Must(t, err)
	if text, err := os.ReadFile(filepath.Join(w.Path, "unsaved")); err != nil || string(text) != "x\n" {
		t.Errorf("restored: %q, %v", text, err)
	}
	f.Sound()
}

// The trash of a repository that was removed is emptied too.
func TestPurgeOfARemovedRepository(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	_, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref})
	worktreetest.Must(t, err)
	f.Exec(`UPDATE trash SET expires_at = ?`, worktreetest.Stamp(-time.Second))
	f.Exec(`UPDATE repos SET removed_at = ?`, worktreetest.Stamp(0))
	if purged, err := f.Removals.Purge(t.Context()); err != nil || len(purged) != 1 {
		t.Error(purged, err)
	}
}

// Trash whose emptying was cut off is emptied by the next call.
func TestPurgeCutOff(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	out, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref})
	worktreetest.Must(t, err)
	f.Exec(`UPDATE trash SET expires_at = ?, status = 'moving'`, worktreetest.Stamp(-time.Second))
	if purged, err := f.Removals.Purge(t.Context()); err != nil || len(purged) != 1 {
		t.Error(purged, err)
	}
	if _, err := os.Lstat(out.Trash); err == nil {
		t.Error("it is left")
	}
}

func TestFolderDeletedByHand(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("work", "new", "x\n")
	f.Tree(w).Write("staged", "s\n")
	f.Tree(w).Git("add", "staged")
	worktreetest.Must(t, os.RemoveAll(w.Path))
	found, err := f.Audits.Check(context.Background(), "app")
	if err != nil || len(found) != 1 || found[0].Kind != worktreecheck.FolderMissing {
		t.Fatal(found, err)
	}
	worktreetest.Must(t, found[0].Fix(context.Background()))
	f.Sound()
	if got := f.Branches(); !strings.Contains(got, w.Branch) {
		t.Errorf("the branch with work is gone: %s", got)
	}
	f.Main.Git("reflog", "expire", "--expire=now", "--all")
	f.Main.Git("gc", "--quiet", "--prune=now")
	if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if got := f.Tree(w).Git("status", "--porcelain"); f.Tree(w).Read("new") != "x\n" || f.Tree(w).Read("staged") != "s\n" || got != "A  staged" {
		t.Errorf("not as it was: %q", got)
	}
	f.Sound()
}

// A restore that was killed before it moved anything is taken back where the branch is another one by now.
func TestKilledRestore(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *worktreetest.Fixture, w worktree.Worktree)
		want worktree.Status
	}{
		"as it was": {func(*worktreetest.Fixture, worktree.Worktree) {}, worktree.Active},
		"another":   {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Main.Git("branch", w.Branch, "main") }, worktree.Trashed},
	} {
		f := worktreetest.New(t)
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Commit("work", "new", "x\n")
		head := f.Tree(w).Head()
		_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
		worktreetest.Must(t, err)
		f.KilledAt("restore:planned", func() { _, _ = f.Removals.Restore(context.Background(), "", w.Ref) })
		c.do(f, w)
		f.FixAll()
		if now := f.Get(w); now.Status != c.want || f.Main.Git("for-each-ref", "--contains", head) == "" {
			t.Errorf("%s: %s", name, now.Status)
		}
		f.Sound()
	}
}

// A branch that is checked out by now stays when agit takes a worktree off the lists that git removed, and when it ends a removal that was
// killed.
func TestBranchInUseStays(t *testing.T) {
	for name, take := range map[string]func(f *worktreetest.Fixture, w worktree.Worktree){
		"removed with git": func(f *worktreetest.Fixture, w worktree.Worktree) { f.Main.Git("worktree", "remove", w.Path) },
		"killed": func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.KilledAt("remove:entry", func() { _, _ = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref}) })
		},
	} {
		for _, moves := range []bool{false, true} {
			f := worktreetest.New(t)
			w := f.Spawn(spawn.Request{Task: "x"})
			take(f, w)
			f.Main.Git("switch", "-q", w.Branch)
			if moves {
				f.Main.Commit("mine", "mine", "x\n")
			}
			head := f.Main.Head()
			f.FixAll()
			if on := f.Main.Git("rev-parse", "HEAD"); on != head || f.Main.Git("symbolic-ref", "--short", "HEAD") != w.Branch || f.Get(w).Status != worktree.Trashed {
				t.Errorf("%s, moves %t: at %s, was at %s; the worktree is %s", name, moves, on, head, f.Get(w).Status)
			}
			_, err := f.Removals.Restore(context.Background(), "", w.Ref)
			if !fault.Is(err, fault.KindConflict) || f.Get(w).Status != worktree.Trashed {
				t.Errorf("%s, moves %t: %v, %s", name, moves, err, f.Get(w).Status)
			}
		}
	}
}

// A worktree with work that was removed with git comes back with its branch, also when that was deleted or went on since.
func TestRestoreOfWhatGitRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f *worktreetest.Fixture, w worktree.Worktree)
		want string
	}{
		"as it was": {func(*worktreetest.Fixture, worktree.Worktree) {}, "work"},
		"deleted":   {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Main.Git("branch", "-D", w.Branch) }, "work"},
		"went on": {func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("switch", "-q", w.Branch)
			f.Main.Commit("on", "on", "x\n")
			f.Main.Git("switch", "-q", "main")
		}, "on"},
		"reset": {func(f *worktreetest.Fixture, w worktree.Worktree) { f.Main.Git("branch", "-f", w.Branch, "main") }, ""},
	} {
		f := worktreetest.New(t)
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Commit("work", "new", "x\n")
		head := f.Tree(w).Head()
		f.Main.Git("worktree", "remove", w.Path)
		f.FixAll()
		c.do(f, w)
		_, err := f.Removals.Restore(context.Background(), "", w.Ref)
		if c.want == "" {
			if !fault.Is(err, fault.KindConflict) || f.Main.Git("for-each-ref", "--points-at", head, "refs/agit") == "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		worktreetest.Must(t, err)
		if got := f.Tree(w).Git("log", "-1", "--format=%s"); got != c.want || f.Tree(w).Git("status", "--porcelain") != "" {
			t.Errorf("%s: at %q", name, got)
		}
		f.Sound()
	}
}

func TestFolderMovedByHand(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Write("a.txt", "uncommitted\n")
	moved := filepath.Join(f.Main.Dir, ".worktrees", "renamed")
	worktreetest.Must(t, os.Rename(w.Path, moved))
	found, err := f.Audits.Check(context.Background(), "app")
	if err != nil || len(found) != 1 || found[0].Kind != worktreecheck.FolderMoved {
		t.Fatalf("%+v %v", found, err)
	}
	worktreetest.Must(t, found[0].Fix(context.Background()))
	if now := f.Get(w); now.Path != moved || f.Tree(now).Read("a.txt") != "uncommitted\n" || f.Tree(now).Git("status", "--porcelain") != "M a.txt" {
		t.Errorf("%+v %q", now, f.Tree(now).Git("status", "--porcelain"))
	}
	f.Sound()
	elsewhere := filepath.Join(gittest.TempDir(t), "far")
	worktreetest.Must(t, os.RemoveAll(moved))
	f.Main.Git("worktree", "prune")
	f.Main.Git("worktree", "add", "-q", elsewhere, w.Branch) // and not `git worktree move`, which is followed
	f.Main.At(elsewhere).Write("a.txt", "uncommitted\n")
	for _, abandon := range []bool{false, true} { // registry and folder must agree before anything is taken
		_, err = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: abandon})
		worktreetest.Contains(t, err, "was moved from", elsewhere, "agit doctor")
	}
	if list, err := f.Removals.Cleanup(context.Background(), remove.Cleanup{Repo: "app"}); err != nil || len(list) != 1 || list[0].Removed || len(list[0].Obstacles) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	f.FixAll()
	_, err = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "a.txt")
	if now := f.Get(w); now.Path != elsewhere {
		t.Errorf("%+v", now)
	}
	f.Sound()
}

// Someone commits after the proof and before the folder goes: the removal proves
// again, and refuses. A git at work in the worktree keeps it from being taken.
func TestRemoveBesideCommits(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	commits := 0
	f.At("remove:planned", func() {
		commits++
		f.Tree(w).Commit("beside", fmt.Sprint("new", commits), "x")
	})
	_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref})
	f.Step = nil
	worktreetest.Contains(t, err, "1 commit", "not in main")
	f.Sound()

	lock := filepath.Join(f.Tree(w).Git("rev-parse", "--absolute-git-dir"), "index.lock")
	worktreetest.Must(t, os.WriteFile(lock, nil, 0o644))
	_, err = f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	worktreetest.Contains(t, err, "another git command is at work", "index.lock")
	if _, err = f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref}); !fault.From(err).Retryable {
		t.Error("a merge that only has to wait says so")
	}
	worktreetest.Contains(t, err, "a git command is at work in it", "index.lock")
	if _, err := os.Lstat(lock); err != nil {
		t.Error("the lock of another git is gone")
	}
	worktreetest.Must(t, os.Remove(lock))
	f.Sound()
	f.Merge(w)
	f.Sound()
}

func TestStale(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x", Agent: "claude"})
	old := time.Now().Add(-8 * 24 * time.Hour)
	age := func() {
		worktreetest.Must(t, filepath.WalkDir(w.Path, func(path string, _ os.DirEntry, err error) error {
			os.Chtimes(path, old, old)
			return err
		}))
		worktreetest.Must(t, filepath.WalkDir(filepath.Join(f.Repo.CommonDir, "worktrees"), func(path string, _ os.DirEntry, err error) error {
			os.Chtimes(path, old, old)
			return err
		}))
	}
	age()
	f.Exec(`UPDATE worktrees SET created_at = ?`, worktreetest.Stamp(-8*24*time.Hour))
	mark := func(want worktree.Status) {
		t.Helper()
		if _, err := f.Removals.MarkStale(context.Background(), f.Repo); err != nil || f.Get(w).Status != want {
			t.Errorf("%s, want %s (%v)", f.Get(w).Status, want, err)
		}
	}
	mark(worktree.Active) // its agent was heard of just now
	f.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-time.Hour))
	mark(worktree.Stale)
	f.Tree(w).Write("dir/c.txt", "edited\n")
	os.Chtimes(f.Tree(w).Path("dir"), old, old)
	mark(worktree.Active)
	f.Tree(w).Git("checkout", "--quiet", "--", "dir/c.txt")
	age()
	list, err := f.Removals.Cleanup(context.Background(), remove.Cleanup{Repo: "app"})
	if err != nil || len(list) != 1 || !list[0].Removed || !strings.Contains(list[0].Why, "nothing changed") {
		t.Errorf("%+v, %v", list, err)
	}
	f.Sound()
}

func TestMovedRepository(t *testing.T) {
	f := worktreetest.New(t)
	w, gone := f.Spawn(spawn.Request{Task: "x"}), f.Spawn(spawn.Request{Task: "trashed"})
	f.Tree(w).Write("a.txt", "uncommitted\n")
	f.Tree(gone).Write("keep", "k\n")
	if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: gone.Ref, AbandonWork: true}); err != nil {
		t.Fatal(err)
	}
	moved := f.Main.Dir + "-moved"
	worktreetest.Must(t, os.Rename(f.Main.Dir, moved))
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "y"})
	worktreetest.Contains(t, err, "no longer at", "agit add NEWPATH")
	added, err := (&repo.Store{DB: f.DB}).Add(context.Background(), repo.New{Path: moved})
	if err != nil || added.Outcome != repo.Relinked {
		t.Fatal(added, err)
	}
	f.Main, f.Repo = f.Main.At(moved), added.Repo
	list, err := f.Worktrees.Relocate(context.Background(), added.Repo)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	worktreetest.Must(t, f.Removals.Relocate(context.Background(), added.Repo))
	f.Sound()
	now := f.Get(w)
	if !strings.HasPrefix(now.Path, moved) || f.Tree(now).Git("status", "--porcelain") != "M a.txt" {
		t.Errorf("%+v", now)
	}
	back, err := f.Removals.Restore(context.Background(), "", gone.Ref)
	if err != nil || !strings.HasPrefix(back.Path, moved) || f.Tree(back).Read("keep") != "k\n" || f.Tree(back).Git("status", "--porcelain") != "?? keep" {
		t.Error(back, err)
	}
	f.Clean()
	f.Sound()
}

// Work that the remote's branch has, where work lands, has landed: its worktree is removed, cleaned up and forgotten as merged.
func TestLandedAtARemote(t *testing.T) {
	f := worktreetest.New(t)
	// Another remote stands for the repository.
	f.Main.Git("remote", "add", "origin", filepath.Join(t.TempDir(), "fork"))
	f.Main.Git("remote", "add", "upstream", filepath.Join(t.TempDir(), "gone"))
	removed, swept, forgotten := f.Worked("a"), f.Worked("b"), f.Worked("c")
	f.Main.Git("checkout", "--quiet", "--detach")
	for _, w := range []worktree.Worktree{removed, swept, forgotten} {
		f.Main.Git("merge", "--quiet", "--no-edit", "--strategy-option=ours", w.Branch)
	}
	f.Main.Git("update-ref", "refs/remotes/upstream/main", "HEAD")
	f.Main.Git("checkout", "--quiet", "main")
	if _, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: removed.Ref}); err == nil {
		t.Fatal("work that landed nowhere is removed")
	}
	f.Set.Remote = "upstream"
	if _, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: removed.Ref}); err != nil {
		t.Error(err)
	}
	worktreetest.Must(t, os.RemoveAll(forgotten.Path))
	list, err := f.Removals.Cleanup(t.Context(), remove.Cleanup{Repo: "app"})
	worktreetest.Must(t, err)
	for _, c := range list {
		if !c.Removed {
			t.Errorf("%s stays: %v", c.Worktree.Branch, c.Obstacles)
		}
	}
	if len(list) != 2 || f.Branches() != "main" {
		t.Errorf("%d are swept, and the branches are %s", len(list), f.Branches())
	}
}
