package checkout_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// repository has one commit, and a linked worktree.
func repository(t *testing.T) (main, linked *gittest.Repo) {
	t.Helper()
	main = gittest.New(t)
	main.Commit("first", "a.txt", "1\n2\n3\n")
	return main, main.Worktree("work")
}

func TestUnderway(t *testing.T) {
	for mark, want := range map[string]string{
		"": "", "rebase-merge/": "a rebase", "rebase-apply/": "a rebase or an application of patches", "MERGE_HEAD": "a merge",
		"CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection", "ORIG_HEAD": "",
	} {
		dir := t.TempDir()
		if folder, ok := strings.CutSuffix(mark, "/"); ok {
			must(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
		} else if mark != "" {
			must(t, os.WriteFile(filepath.Join(dir, mark), nil, 0o644))
		}
		if got := checkout.Underway(dir); got != want {
			t.Errorf("%s: %q, want %q", mark, got, want)
		}
	}
}

// A folder that lost its pointer, or was moved, is git's again once it is connected; another worktree's entry is not taken.
func TestConnect(t *testing.T) {
	main, linked := repository(t)
	g := main.Repo()
	entry := checkout.EntryOf(linked.Dir)
	if found := checkout.Entries(g, linked.Dir); len(found) != 1 || filepath.Base(found[0]) != entry {
		t.Fatalf("entries %q, the folder names %q", found, entry)
	}
	must(t, os.Remove(linked.Path(".git")))
	if checkout.EntryOf(linked.Dir) != "" {
		t.Error("a folder without a pointer has an entry")
	}
	must(t, checkout.Connect(g, entry, linked.Dir))
	moved := linked.Dir + " moved"
	must(t, os.Rename(linked.Dir, moved))
	must(t, checkout.Connect(g, entry, moved))
	if got := main.At(moved).Git("status", "--porcelain", "--branch"); got != "## work" {
		t.Errorf("git says %q", got)
	}
	other := main.Worktree("other")
	if err := checkout.Connect(g, checkout.EntryOf(other.Dir), moved); err == nil {
		t.Error("the entry of another worktree was taken")
	}
	if got := main.At(moved).Git("rev-parse", "--abbrev-ref", "HEAD"); got != "work" {
		t.Errorf("it is on %s", got)
	}
}

func TestDiscard(t *testing.T) {
	main, linked := repository(t)
	must(t, os.WriteFile(linked.Path("left"), nil, 0o444))
	for range 2 { // the second time there is nothing
		must(t, checkout.Discard(main.Repo(), "w-1", linked.Dir))
	}
	if !checkout.Gone(linked.Dir) || len(checkout.Entries(main.Repo(), linked.Dir)) != 0 || strings.Contains(main.Git("worktree", "list"), "work]") {
		t.Errorf("git lists\n%s", main.Git("worktree", "list"))
	}
}

// The folder of the worktrees is hidden whatever its name, once, and nothing else is.
func TestHide(t *testing.T) {
	for _, name := range []string{".worktrees", "a b", "#notes", "!not", "[x]*?", `back\slash`, "trees/of/agents", "ends "} {
		g := gittest.New(t)
		g.Commit("first", "a.txt", "1\n")
		g.Write(name+"/inside", "x")
		g.Write("x"+strings.TrimLeft(name, "#!"), "beside")
		before := g.Git("status", "--porcelain", "--untracked-files=all")
		exclude := filepath.Join(g.Dir, ".git", "info", "exclude")
		must(t, os.WriteFile(exclude, []byte("*.log"), 0o644)) // without a line end
		for range 2 {
			must(t, checkout.Hide(t.Context(), g.Repo(), g.Path(name)))
		}
		after := g.Git("status", "--porcelain", "--untracked-files=all")
		if strings.Count(before, "\n") != 1 || strings.Contains(after, "inside") || after == "" {
			t.Errorf("%q: before\n%s\nafter\n%s", name, before, after)
		}
		text, err := os.ReadFile(exclude)
		must(t, err)
		if strings.Count(string(text), "# agit") != 1 || !strings.HasPrefix(string(text), "*.log\n") {
			t.Errorf("%q: exclude is %q", name, text)
		}
	}
}

// One of several takes the lock of an index; only the worktree that it names releases it.
func TestIndexLock(t *testing.T) {
	dir := t.TempDir()
	lock, other := checkout.MergeLock(dir, "w-1"), checkout.RemovalLock(dir, "w-1")
	must(t, lock.Take(t.Context(), "w-1", dir))
	if !lock.Held() || other.Held() {
		t.Errorf("held %t, by another operation %t", lock.Held(), other.Held())
	}
	must(t, other.Release())
	if !lock.Held() {
		t.Fatal("another operation let go of it")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := other.Take(ended, "w-1", dir); !errors.Is(err, context.Canceled) {
		t.Errorf("taken by two: %v", err)
	}
	if err := other.Take(t.Context(), "w-1", dir); !fault.Is(err, fault.KindConflict) || !fault.From(err).Retryable {
		t.Errorf("taken by two: %v", err)
	}
	must(t, lock.Release())
	must(t, lock.Release())
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("%q are left", left)
	}

	var all sync.WaitGroup
	var held sync.Mutex
	for _, ref := range []string{"w-1", "w-2", "w-3", "w-4"} {
		all.Go(func() {
			mine := checkout.MergeLock(dir, ref)
			for mine.Take(t.Context(), ref, dir) != nil { // a slow machine takes longer than the wait
			}
			if !held.TryLock() {
				t.Error("two hold it")
				return
			}
			held.Unlock()
			if err := mine.Release(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A lock counts as left by a killed git only when it was made since the operation began and is no longer touched.
func TestClearLock(t *testing.T) {
	for name, c := range map[string]struct {
		age   time.Duration
		since time.Duration
		gone  bool
	}{
		"left by the operation": {time.Minute, time.Hour, true},
		"there before it":       {time.Hour, time.Minute, false},
	} {
		path := filepath.Join(t.TempDir(), "index.lock")
		must(t, os.WriteFile(path, nil, 0o644))
		made := time.Now().Add(-c.age)
		must(t, os.Chtimes(path, made, made))
		checkout.ClearLock(t.Context(), path, time.Now().Add(-c.since))
		if checkout.Gone(path) != c.gone {
			t.Errorf("%s: gone %t", name, !c.gone)
		}
	}
	fresh := filepath.Join(t.TempDir(), "index.lock")
	must(t, os.WriteFile(fresh, nil, 0o644))
	ended, end := context.WithCancel(t.Context())
	end()
	if checkout.ClearLock(ended, fresh, time.Now().Add(-time.Hour)); checkout.Gone(fresh) {
		t.Error("a lock was cleared that may be in use")
	}
}

// The lines of a commit are in a branch however they came there, and are not when a part is missing.
func TestLanded(t *testing.T) {
	for name, c := range map[string]struct {
		land func(main *gittest.Repo)
		want bool
	}{
		"nothing": {func(*gittest.Repo) {}, false},
		"merged":  {func(main *gittest.Repo) { main.Git("merge", "--quiet", "--no-ff", "-m", "m", "work") }, true},
		"squashed": {func(main *gittest.Repo) {
			main.Git("merge", "--quiet", "--squash", "work")
			main.Git("commit", "-qm", "all")
		}, true},
		"picked":            {func(main *gittest.Repo) { main.Git("cherry-pick", "work~1", "work") }, true},
		"one of two picked": {func(main *gittest.Repo) { main.Git("cherry-pick", "work~1") }, false},
		"squashed, then changed": {func(main *gittest.Repo) {
			main.Git("merge", "--quiet", "--squash", "work")
			main.Git("commit", "-qm", "all")
			main.Commit("on top", "new.txt", "another\n")
		}, true},
		"merged and reverted": {func(main *gittest.Repo) {
			main.Git("merge", "--quiet", "--no-ff", "-m", "m", "work")
			main.Git("revert", "--no-edit", "-m", "1", "HEAD")
		}, true}, // it is in the history
	} {
		t.Run(name, func(t *testing.T) {
			main, linked := repository(t)
			main.Commit("theirs", "b.txt", "b\n")
			linked.Commit("one", "new.txt", "new\n")
			tip := linked.Commit("two", "a.txt", "1\n2\nthree\n")
			c.land(main)
			got, err := checkout.Landed(t.Context(), main.Repo(), tip, []string{main.Head()})
			if err != nil || got != c.want {
				t.Errorf("landed %t, %v", got, err)
			}
		})
	}
}

// Spawns that fail at the same time each take back only their own entries, and do not collide in the folder that they move them to.
func TestDiscardAtOnce(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a")
	repo, err := git.Find(g.Dir)
	must(t, err)
	for range 40 {
		var all sync.WaitGroup
		for i := range 8 {
			path := filepath.Join(g.Dir, ".worktrees", fmt.Sprint("tree", i))
			entry := filepath.Join(repo.CommonDir, "worktrees", filepath.Base(path))
			for _, dir := range []string{path, entry} {
				must(t, os.MkdirAll(dir, 0o755))
			}
			must(t, os.WriteFile(filepath.Join(entry, "gitdir"), []byte(filepath.Join(path, ".git")+"\n"), 0o644))
		}
		for i := range 8 {
			path := filepath.Join(g.Dir, ".worktrees", fmt.Sprint("tree", i))
			entry := filepath.Join(repo.CommonDir, "worktrees", filepath.Base(path))
			all.Go(func() {
				if err := checkout.Discard(repo, fmt.Sprint("w-", i), path); err != nil {
					t.Error(err)
				}
				if !checkout.Gone(path) || !checkout.Gone(entry) {
					t.Errorf("%s is still there", path)
				}
			})
		}
		all.Wait()
	}
}

// A git that ended well may have failed to remove its locks. A lock that another git made before or after stays.
func TestClearOwnLocks(t *testing.T) {
	t.Parallel()
	main, _ := repository(t)
	g := main.Repo()
	lock := func(ref string, age time.Duration) string {
		path := filepath.Join(g.CommonDir, filepath.FromSlash(ref)) + ".lock"
		must(t, os.WriteFile(path, nil, 0o644))
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
		return path
	}
	packed, branch := lock("packed-refs", 10*time.Second), lock("refs/heads/mine", 10*time.Second)
	before, after, other := lock("refs/heads/before", time.Hour), lock("refs/heads/after", -time.Hour), lock("refs/heads/other", 10*time.Second)
	checkout.ClearOwnLocks(t.Context(), g, time.Now().Add(-time.Minute), "refs/heads/mine", "refs/heads/before", "refs/heads/after")
	for path, want := range map[string]bool{packed: false, branch: false, before: true, after: true, other: true} {
		if got := !checkout.Gone(path); got != want {
			t.Errorf("%s exists: %t", path, got)
		}
	}
}
