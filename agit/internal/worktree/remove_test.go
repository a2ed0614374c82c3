package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestRemoveAndRestore(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref})
	if err != nil || !out.Removed || out.Worktree.Status != Trashed {
		t.Fatal(out, err)
	}
	if _, err := os.Lstat(w.Path); err == nil {
		t.Error("the folder is still there")
	}
	if got := f.branches(); got != "main" {
		t.Error(got)
	}
	if left := time.Until(*out.RestoreUntil); left < 29*24*time.Hour {
		t.Error(left)
	}
	f.sound()
	if _, err := f.Remove(context.Background(), Remove{Worktree: w.Ref}); !fault.Is(err, fault.KindConflict) {
		t.Error(err)
	}
	back, err := f.Restore(context.Background(), "app", w.Ref)
	if err != nil || back.Status != Active || back.Path != w.Path {
		t.Fatal(back, err)
	}
	if out := f.tree(w).Git("status", "--porcelain=v1", "--branch"); out != "## "+w.Branch {
		t.Error(out)
	}
	if refs := f.main.Git("for-each-ref", "refs/agit"); refs != "" {
		t.Error(refs)
	}
	f.clean()
	f.sound()
}

// Each of these lost somebody's work elsewhere.
func TestRemoveRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, f *fixture, w Worktree)
		want []string
	}{
		"staged": {func(t *testing.T, f *fixture, w Worktree) {
			f.tree(w).Write("a.txt", "x")
			f.tree(w).Git("add", "a.txt")
		}, []string{"not committed", "a.txt"}},
		"unstaged":  {func(t *testing.T, f *fixture, w Worktree) { f.tree(w).Write("a.txt", "x") }, []string{"not committed", "a.txt"}},
		"deleted":   {func(t *testing.T, f *fixture, w Worktree) { f.tree(w).Remove("a.txt") }, []string{"not committed", "a.txt"}},
		"untracked": {func(t *testing.T, f *fixture, w Worktree) { f.tree(w).Write("n e w/file", "x") }, []string{"not tracked", "n e w/file"}},
		"untracked, hidden by configuration": {func(t *testing.T, f *fixture, w Worktree) {
			f.main.Git("config", "status.showUntrackedFiles", "no")
			f.tree(w).Write("new", "x")
		}, []string{"not tracked", "new"}},
		"precious": {func(t *testing.T, f *fixture, w Worktree) {
			f.tree(w).Write(".env", "MY=1")
			f.tree(w).Write("secret/key", "k")
			f.tree(w).Write("node_modules/x/y.js", "rebuildable")
			f.tree(w).Write("x.log", "rebuildable")
		}, []string{"2 files are ignored by git", ".env", "secret/key"}},
		"nested repository": {func(t *testing.T, f *fixture, w Worktree) {
			gittest.NewAt(t, filepath.Join(w.Path, "sub")).Commit("c", "f", "x")
		}, []string{"not tracked", "sub/"}},
		"unmerged": {func(t *testing.T, f *fixture, w Worktree) { f.tree(w).Commit("my work", "new", "x\n") }, []string{"1 commit of", "not in main", "my work"}},
		"pushed but not merged": {func(t *testing.T, f *fixture, w Worktree) {
			bare := gittest.NewBare(t)
			f.main.Git("remote", "add", "origin", bare.Dir)
			f.main.Git("push", "--quiet", "origin", "main")
			f.tree(w).Commit("my work", "new", "x\n")
			f.tree(w).Git("push", "--quiet", "--set-upstream", "origin", "HEAD")
		}, []string{"not in main", "my work"}},
		"detached commit": {func(t *testing.T, f *fixture, w Worktree) {
			f.tree(w).Git("checkout", "--quiet", "--detach")
			f.tree(w).Commit("lonely", "new", "x\n")
		}, []string{"HEAD", "lonely"}},
		"folder moved": {func(t *testing.T, f *fixture, w Worktree) {
			other := f.spawn(Spawn{Task: "other"})
			must(t, os.Rename(w.Path, w.Path+"-away"))
			must(t, os.Rename(other.Path, w.Path))
		}, []string{"belongs to another repository or worktree"}},
		"foreign repository": {func(t *testing.T, f *fixture, w Worktree) {
			must(t, os.Rename(w.Path, w.Path+"-away"))
			gittest.NewAt(t, w.Path).Commit("foreign", "f", "x")
		}, []string{"is not a worktree"}},
		"folder without .git": {func(t *testing.T, f *fixture, w Worktree) {
			must(t, os.Remove(filepath.Join(w.Path, ".git")))
		}, []string{"is not a worktree", "agit doctor"}},
		"two worktrees of one branch": {func(t *testing.T, f *fixture, w Worktree) {
			f.main.Git("worktree", "add", "--quiet", "--force", filepath.Join(gittest.TempDir(t), "twin"), w.Branch)
		}, []string{"checked out at", "twin"}},
		"default branch": {func(t *testing.T, f *fixture, w Worktree) {
			f.main.Checkout("--detach")
			f.tree(w).Checkout("main")
		}, []string{"default branch main checked out"}},
		"locked": {func(t *testing.T, f *fixture, w Worktree) {
			f.main.Git("worktree", "lock", "--reason", "on a stick", w.Path)
		}, []string{"locked (on a stick)"}},
		"in a rebase": {func(t *testing.T, f *fixture, w Worktree) {
			f.tree(w).Commit("mine", "a.txt", "mine\n")
			f.main.Commit("theirs", "a.txt", "theirs\n")
			f.tree(w).TryGit("rebase", "main")
		}, []string{"a rebase is in progress"}},
		"agent at work": {func(t *testing.T, f *fixture, w Worktree) {
			f.exec(`UPDATE agents SET last_seen_at = ?`, stamp(time.Second))
		}, []string{"agent claude works in it"}},
		"process inside": {func(t *testing.T, f *fixture, w Worktree) {
			if runtime.GOOS != "linux" {
				t.Skip("processes are looked for on Linux")
			}
			cmd := exec.Command("sleep", "600")
			cmd.Dir = filepath.Join(w.Path, "dir")
			must(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		}, []string{"(sleep) is in it"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.spawn(Spawn{Task: "x", Agent: "claude"})
			c.do(t, f, w)
			before := tree(t, w.Path)
			_, err := f.Remove(context.Background(), Remove{Worktree: w.Ref})
			contains(t, err, c.want...)
			var refused *Refusal
			if !errors.As(err, &refused) || len(refused.Obstacles) == 0 || !fault.Is(err, fault.KindConflict) {
				t.Errorf("%T %v", err, err)
			}
			if after := tree(t, w.Path); after != before {
				t.Errorf("the folder changed:\n%s\n%s", before, after)
			}
			if now := f.get(w); now.Status != Active || now.intent.kind != "" {
				t.Errorf("%+v", now)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree lists a folder with the contents of its files.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		text, _ := os.ReadFile(path)
		b.WriteString(path + "=" + string(text) + "\n")
		return nil
	}))
	return b.String()
}

func TestRemoveListsEverything(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Commit("work", "new", "x\n")
	f.tree(w).Write("a.txt", "changed")
	f.tree(w).Write("untracked", "u")
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Branch, DryRun: true})
	if err != nil || len(out.Obstacles) != 3 {
		t.Fatal(out, err)
	}
	_, err = f.Remove(context.Background(), Remove{Worktree: w.Ref})
	contains(t, err, "a.txt", "untracked", "not in main")
}

func TestOwnerMayRemove(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x", Agent: "Claude"})
	f.exec(`UPDATE agents SET last_seen_at = ?`, stamp(time.Second))
	if _, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, By: "claude"}); err != nil {
		t.Error(err)
	}
}

func TestMergedByOtherMeans(t *testing.T) {
	for name, merge := range map[string]func(f *fixture, w Worktree){
		"merged": func(f *fixture, w Worktree) { f.main.Git("merge", "--quiet", "--no-ff", "-m", "m", w.Branch) },
		"fast-forward": func(f *fixture, w Worktree) {
			f.main.Git("merge", "--quiet", "--ff-only", w.Branch)
		},
		"squashed": func(f *fixture, w Worktree) {
			f.main.Git("merge", "--quiet", "--squash", w.Branch)
			f.main.Git("commit", "--quiet", "-m", "squashed")
		},
		"squashed, main moved on over it": func(f *fixture, w Worktree) {
			f.main.Git("merge", "--quiet", "--squash", w.Branch)
			f.main.Git("commit", "--quiet", "-m", "squashed")
			f.main.Commit("over it", "a.txt", "completely\nother\n", "new", "also other\n")
		},
		"rebased": func(f *fixture, w Worktree) {
			f.main.Commit("before", "b.txt", "moved\n")
			f.main.Git("cherry-pick", "main.."+w.Branch)
		},
		"rebased, main moved on over it": func(f *fixture, w Worktree) {
			f.main.Commit("before", "b.txt", "moved\n")
			f.main.Git("cherry-pick", "main.."+w.Branch)
			f.main.Commit("over it", "a.txt", "completely\nother\n", "new", "also other\n")
		},
		"merged at the remote": func(f *fixture, w Worktree) {
			bare := gittest.NewBare(f.t)
			f.main.Git("remote", "add", "origin", bare.Dir)
			f.main.Git("push", "--quiet", "origin", w.Branch+":main")
			f.main.Git("fetch", "--quiet", "origin")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.spawn(Spawn{Task: "x"})
			f.tree(w).Commit("one", "a.txt", "1\n2\n3\n4\nX\n6\n7\n8\n9\n")
			f.tree(w).Commit("two", "new", "x\ny\nz\n")
			tip := f.tree(w).Head()
			merge(f, w)
			list, err := f.Cleanup(context.Background(), Cleanup{DryRun: true})
			if err != nil || len(list) != 1 || list[0].Why != "its branch is merged" || len(list[0].Obstacles) > 0 || list[0].Removed {
				t.Fatalf("%+v, %v", list, err)
			}
			list, err = f.Cleanup(context.Background(), Cleanup{Repo: "app"})
			if err != nil || len(list) != 1 || !list[0].Removed || list[0].Worktree.Status != Completed {
				t.Fatalf("%+v, %v", list, err)
			}
			f.sound()
			if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
				t.Fatal(err)
			}
			if f.tree(w).Head() != tip {
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
	f := setUp(t)
	f.main.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", bare.Dir, "mod")
	f.main.Commit("module")
	w := f.spawn(Spawn{Task: "x"})
	if out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, DryRun: true}); err != nil || len(out.Obstacles) > 0 {
		t.Fatal(out, err)
	}
	f.tree(w).Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	if out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, DryRun: true}); err != nil || len(out.Obstacles) > 0 {
		t.Fatal(out, err)
	}
	inside := f.main.At(filepath.Join(w.Path, "mod"))
	inside.Write("s", "dirty\n")
	_, err := f.Remove(context.Background(), Remove{Worktree: w.Ref})
	contains(t, err, "submodule has changes", "mod")
	inside.Commit("only here")
	_, err = f.Remove(context.Background(), Remove{Worktree: w.Ref})
	contains(t, err, "commits that were not pushed", "mod")
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true})
	if err != nil || !out.Removed {
		t.Fatal(err)
	}
	if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if inside.Git("log", "-1", "--format=%s") != "only here" {
		t.Error("the submodule's commit is lost")
	}
}

func TestAbandonedWorkComesBack(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	tree := f.tree(w)
	tree.Commit("work", "new", "x\n")
	tree.Write("a.txt", "staged\n")
	tree.Git("add", "a.txt")
	tree.Write("a.txt", "unstaged\n")
	tree.Write("untracked", "u\n")
	tree.Write(".env", "precious\n")
	tree.Git("mv", "b.txt", "moved.txt")
	want := tree.Git("status", "--porcelain=v2", "--branch", "--ignored")
	head := tree.Head()
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true})
	if err != nil {
		t.Fatal(err)
	}
	f.sound()
	if got := f.branches(); got != "main" {
		t.Error(got)
	}
	trash, err := f.Trash(context.Background(), "app")
	if err != nil || len(trash) != 1 || trash[0].Path != out.Trash {
		t.Fatal(trash, err)
	}
	if got := f.main.Git("show", trash[0].Ref+"/work:a.txt"); got != "unstaged" {
		t.Error(got)
	}
	if got := f.main.Git("show", trash[0].Ref+"/work^2:a.txt"); got != "staged" {
		t.Error(got)
	}
	if got := f.main.Git("show", trash[0].Ref+"/work:untracked"); got != "u" {
		t.Error(got)
	}
	if f.main.Git("rev-parse", trash[0].Ref+"/branch") != head {
		t.Error("the branch's commit is not kept")
	}
	f.main.Git("reflog", "expire", "--expire=now", "--all")
	f.main.Git("gc", "--quiet", "--prune=now")
	if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if got := tree.Git("status", "--porcelain=v2", "--branch", "--ignored"); got != want {
		t.Errorf("restored:\n%s\nbefore:\n%s", got, want)
	}
	if tree.Read(".env") != "precious\n" || tree.Git("show", ":a.txt") != "staged" {
		t.Error("not everything came back")
	}
	f.sound()
}

func TestRestoreRefuses(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Commit("work", "new", "x\n")
	if _, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true}); err != nil {
		t.Fatal(err)
	}
	must(t, os.Mkdir(w.Path, 0o755))
	_, err := f.Restore(context.Background(), "", w.Ref)
	contains(t, err, "exists", "elsewhere")
	must(t, os.Remove(w.Path))
	f.main.Git("branch", w.Branch, "main")
	_, err = f.Restore(context.Background(), "", w.Ref)
	contains(t, err, "another branch")
	f.main.Git("branch", "-m", w.Branch, "renamed")
	if _, err = f.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	_, err = f.Restore(context.Background(), "", w.Ref)
	contains(t, err, "not in the trash")
	f.sound()
}

func TestPurge(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref})
	must(t, err)
	if purged, err := f.Purge(context.Background()); err != nil || len(purged) > 0 {
		t.Fatal(purged, err)
	}
	f.exec(`UPDATE trash SET expires_at = ?`, stamp(-time.Second))
	purged, err := f.Purge(context.Background())
	if err != nil || len(purged) != 1 {
		t.Fatal(purged, err)
	}
	if _, err := os.Lstat(out.Trash); err == nil || f.main.Git("for-each-ref", "refs/agit") != "" || len(f.rows()) != 0 {
		t.Error("something is left")
	}
	_, err = f.Restore(context.Background(), "", w.Ref)
	if !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	f.sound()
}

func TestFolderDeletedByHand(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Commit("work", "new", "x\n")
	must(t, os.RemoveAll(w.Path))
	found, err := f.Check(context.Background(), "app")
	if err != nil || len(found) != 1 || found[0].Kind != FolderMissing {
		t.Fatal(found, err)
	}
	must(t, found[0].Fix(context.Background()))
	f.sound()
	if got := f.branches(); !strings.Contains(got, w.Branch) {
		t.Errorf("the branch with work is gone: %s", got)
	}
	if _, err := f.Restore(context.Background(), "", w.Ref); err != nil {
		t.Fatal(err)
	}
	if f.tree(w).Read("new") != "x\n" || f.tree(w).Git("status", "--porcelain") != "" {
		t.Error("not as it was")
	}
	f.sound()
}

func TestFolderMovedByHand(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Write("a.txt", "uncommitted\n")
	moved := filepath.Join(f.main.Dir, ".worktrees", "renamed")
	must(t, os.Rename(w.Path, moved))
	found, err := f.Check(context.Background(), "app")
	if err != nil || len(found) != 1 || found[0].Kind != FolderMoved {
		t.Fatalf("%+v %v", found, err)
	}
	must(t, found[0].Fix(context.Background()))
	if now := f.get(w); now.Path != moved || f.tree(now).Read("a.txt") != "uncommitted\n" || f.tree(now).Git("status", "--porcelain") != "M a.txt" {
		t.Errorf("%+v %q", now, f.tree(now).Git("status", "--porcelain"))
	}
	f.sound()
	elsewhere := filepath.Join(gittest.TempDir(t), "far")
	f.main.Git("worktree", "move", moved, elsewhere)
	for _, abandon := range []bool{false, true} { // registry and folder must agree before anything is taken
		_, err = f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: abandon})
		contains(t, err, "was moved from", elsewhere, "agit doctor")
	}
	if list, err := f.Cleanup(context.Background(), Cleanup{Repo: "app"}); err != nil || len(list) != 1 || list[0].Removed || len(list[0].Obstacles) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	f.fixAll()
	_, err = f.Remove(context.Background(), Remove{Worktree: w.Ref})
	contains(t, err, "a.txt")
	if now := f.get(w); now.Path != elsewhere {
		t.Errorf("%+v", now)
	}
	f.sound()
}

// Somebody commits after the proof and before the folder goes: the removal proves
// again, and refuses. A git at work in the worktree keeps it from being taken.
func TestRemoveBesideCommits(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x"})
	commits := 0
	failpoint = func(name string) error {
		if name == "remove:planned" {
			commits++
			f.tree(w).Commit("beside", fmt.Sprint("new", commits), "x")
		}
		return nil
	}
	_, err := f.Remove(context.Background(), Remove{Worktree: w.Ref})
	failpoint = nil
	contains(t, err, "1 commit", "not in main")
	f.sound()

	lock := filepath.Join(f.tree(w).Git("rev-parse", "--absolute-git-dir"), "index.lock")
	must(t, os.WriteFile(lock, nil, 0o644))
	_, err = f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true})
	contains(t, err, "another git command is at work", "index.lock")
	if _, err = f.Merge(context.Background(), Merge{Worktree: w.Ref}); !fault.From(err).Retryable {
		t.Error("a merge that only has to wait says so")
	}
	contains(t, err, "a git command is at work in it", "index.lock")
	if _, err := os.Lstat(lock); err != nil {
		t.Error("the lock of another git is gone")
	}
	must(t, os.Remove(lock))
	f.sound()
	f.merge(w)
	f.sound()
}

func TestUnknownFoldersAndWorktrees(t *testing.T) {
	f := setUp(t)
	f.spawn(Spawn{Task: "x"})
	f.main.Git("worktree", "add", "--quiet", "-b", "by-hand", f.main.Path(".worktrees/by hand"))
	f.main.At(f.main.Path(".worktrees/by hand")).Write("new", "n")
	f.main.Write(".worktrees/stray/file", "whose?")
	found, err := f.Check(context.Background(), "app")
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, finding := range found {
		must(t, finding.Fix(context.Background()))
	}
	f.sound()
	byHand, err := f.Get(context.Background(), "app", "by-hand")
	if err != nil || byHand.Status != Active {
		t.Error(byHand, err)
	}
	trash, err := f.Trash(context.Background(), "app")
	if err != nil || len(trash) != 1 {
		t.Fatal(trash, err)
	}
	if _, err := f.Restore(context.Background(), "", trash[0].Worktree.Ref); err != nil || f.main.Read(".worktrees/stray/file") != "whose?" {
		t.Error(err)
	}
}

func TestStale(t *testing.T) {
	f := setUp(t)
	w := f.spawn(Spawn{Task: "x", Agent: "claude"})
	old := time.Now().Add(-8 * 24 * time.Hour)
	age := func() {
		must(t, filepath.WalkDir(w.Path, func(path string, _ os.DirEntry, err error) error {
			os.Chtimes(path, old, old)
			return err
		}))
		must(t, filepath.WalkDir(filepath.Join(f.repo.CommonDir, "worktrees"), func(path string, _ os.DirEntry, err error) error {
			os.Chtimes(path, old, old)
			return err
		}))
	}
	age()
	f.exec(`UPDATE worktrees SET created_at = ?`, stamp(-8*24*time.Hour))
	mark := func(want Status) {
		t.Helper()
		if _, err := f.MarkStale(context.Background(), f.repo); err != nil || f.get(w).Status != want {
			t.Errorf("%s, want %s (%v)", f.get(w).Status, want, err)
		}
	}
	mark(Active) // its agent was heard of just now
	f.exec(`UPDATE agents SET last_seen_at = ?`, stamp(-time.Hour))
	mark(Stale)
	f.tree(w).Write("dir/c.txt", "edited\n")
	os.Chtimes(f.tree(w).Path("dir"), old, old)
	mark(Active)
	f.tree(w).Git("checkout", "--quiet", "--", "dir/c.txt")
	age()
	list, err := f.Cleanup(context.Background(), Cleanup{Repo: "app"})
	if err != nil || len(list) != 1 || !list[0].Removed || !strings.Contains(list[0].Why, "nothing changed") {
		t.Errorf("%+v, %v", list, err)
	}
	f.sound()
}

func TestMovedRepository(t *testing.T) {
	f := setUp(t)
	w, gone := f.spawn(Spawn{Task: "x"}), f.spawn(Spawn{Task: "trashed"})
	f.tree(w).Write("a.txt", "uncommitted\n")
	f.tree(gone).Write("keep", "k\n")
	if _, err := f.Remove(context.Background(), Remove{Worktree: gone.Ref, AbandonWork: true}); err != nil {
		t.Fatal(err)
	}
	moved := f.main.Dir + "-moved"
	must(t, os.Rename(f.main.Dir, moved))
	_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "y"})
	contains(t, err, "no longer at", "agit add NEWPATH")
	added, err := (&repo.Store{DB: f.db}).Add(context.Background(), repo.New{Path: moved})
	if err != nil || added.Outcome != repo.Relinked {
		t.Fatal(added, err)
	}
	f.main, f.repo = f.main.At(moved), added.Repo
	list, err := f.Relocate(context.Background(), added.Repo)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	f.sound()
	now := f.get(w)
	if !strings.HasPrefix(now.Path, moved) || f.tree(now).Git("status", "--porcelain") != "M a.txt" {
		t.Errorf("%+v", now)
	}
	back, err := f.Restore(context.Background(), "", gone.Ref)
	if err != nil || !strings.HasPrefix(back.Path, moved) || f.tree(back).Read("keep") != "k\n" || f.tree(back).Git("status", "--porcelain") != "?? keep" {
		t.Error(back, err)
	}
	f.clean()
	f.sound()
}
