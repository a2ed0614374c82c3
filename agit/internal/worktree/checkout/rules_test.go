package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ordinary checks that a file or folder has the mode of those that git makes.
func ordinary(t *testing.T, path string) {
	t.Helper()
	file, folder := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "folder")
	check(t, os.WriteFile(file, nil, 0o644))
	check(t, os.Mkdir(folder, 0o755))
	got, err := os.Stat(path)
	check(t, err)
	like := file
	if got.IsDir() {
		like = folder
	}
	want, err := os.Stat(like)
	check(t, err)
	if got.Mode() != want.Mode() {
		t.Errorf("%s has the mode %s, want %s", path, got.Mode(), want.Mode())
	}
}

// A lock holds the words of its owner, under git's name for it, and is created at most once.
func TestTextOfIndexLocks(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]func(gitDir, ref string) IndexLock{"agit merge of w-1\n": MergeLock, "agit removal of w-1\n": RemovalLock} {
		for _, take := range []func(IndexLock, string) error{
			func(l IndexLock, dir string) error { return l.Take(t.Context(), "w-1", dir) },
			func(l IndexLock, _ string) error { return l.create() },
		} {
			dir := t.TempDir()
			lock := of(dir, "w-1")
			if lock.Held() {
				t.Error("a lock that was not taken is held")
			}
			check(t, take(lock, dir))
			text, err := os.ReadFile(filepath.Join(dir, "index.lock"))
			if string(text) != want || err != nil || !lock.Held() || of(dir, "w-2").Held() {
				t.Errorf("%q, %v, want %q", text, err, want)
			}
			ordinary(t, filepath.Join(dir, "index.lock"))
			if err := lock.create(); !errors.Is(err, fs.ErrExist) || !lock.Held() {
				t.Errorf("created twice: %v", err)
			}
			check(t, of(dir, "w-2").Release())
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%v, %v", left, err)
			}
			check(t, lock.Release())
			if !Gone(filepath.Join(dir, "index.lock")) {
				t.Error("a lock that was released exists")
			}
		}
	}
	missing := filepath.Join(t.TempDir(), "none")
	if err := MergeLock(missing, "w-1").Take(t.Context(), "w-1", "/work"); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), `lock the index of "/work"`) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
	if err := MergeLock(missing, "w-1").create(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// A command of git that is at work is waited for, at most for the time of a lock.
func TestBusyIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree, lock := &git.Repo{GitDir: dir}, filepath.Join(dir, "index.lock")
	if got, err := BusyIndex(t.Context(), tree); got != "" || err != nil {
		t.Errorf("without a lock: %q, %v", got, err)
	}
	check(t, os.WriteFile(lock, nil, 0o644))
	ended, end := context.WithCancel(t.Context())
	end()
	if got, err := BusyIndex(ended, tree); got != lock || !errors.Is(err, context.Canceled) {
		t.Errorf("cut off: %q, %v", got, err)
	}
	began := time.Now()
	if got, err := BusyIndex(t.Context(), tree); got != lock || err != nil || time.Since(began) < lockTime {
		t.Errorf("a lock that stays: %q, %v after %s", got, err, time.Since(began))
	}
	if err := pause(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Errorf("after the deadline: %v", err)
	}
	time.AfterFunc(time.Millisecond, func() { _ = os.Remove(lock) })
	if got, err := BusyIndex(t.Context(), tree); got != "" || err != nil {
		t.Errorf("a lock that is released: %q, %v", got, err)
	}
}

// A folder is connected with its repository by two pointers, and each may be lost.
func TestFolders(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Commit("first", "a.txt", "1\n")
	linked := main.Worktree("work")
	other := gittest.New(t)
	other.Commit("first", "a.txt", "1\n")
	plain := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	check(t, os.Symlink(linked.Dir, link))
	g := main.Repo()
	main.Write("sub/x", "x")

	for _, c := range []struct {
		a, b string
		want bool
	}{
		{linked.Dir, linked.Dir + "/", true}, {linked.Dir, link, true}, {link, linked.Dir, true}, {linked.Dir, main.Dir, false}, {"/none", "/none/.", true}, {"/none", linked.Dir, false}, {linked.Dir, "/none", false},
	} {
		if got := SameFolder(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}

	entry := filepath.Base(linked.Repo().GitDir)
	for dir, want := range map[string]string{linked.Dir: entry, main.Dir: "", plain: "", "/none": ""} {
		if got := EntryOf(dir); got != want {
			t.Errorf("entry of %s: %q", dir, got)
		}
	}
	for text, want := range map[string]string{"gitdir: /x/worktrees/w\n": "w", "gitdir: /x/modules/w\n": "", "nothing": "", "": ""} {
		check(t, os.WriteFile(filepath.Join(plain, ".git"), []byte(text), 0o644))
		if got := EntryOf(plain); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	check(t, os.Remove(filepath.Join(plain, ".git")))

	opened := func(path, words string) {
		t.Helper()
		tree, err := Open(g, path)
		switch {
		case words == "" && (err != nil || !SameFolder(tree.WorkTree, path)):
			t.Errorf("%s: %v", path, err)
		case words != "" && (err == nil || !strings.Contains(err.Error(), words)):
			t.Errorf("%s: %v, want %q", path, err, words)
		}
	}
	opened(linked.Dir, "")
	opened(link, "")
	opened(main.Dir, "does not lead to its repository")
	opened(other.Dir, "does not lead to its repository")
	opened(main.Path("sub"), "is not a working tree any more: its .git is gone")
	opened("/none", "does not exist")

	for path, want := range map[string]bool{linked.Dir: false, main.Dir: false, plain: true, "/none": false} {
		if Disconnected(path) != want {
			t.Errorf("%s is disconnected: %t", path, !want)
		}
	}
	at := linked.Path(".git")
	text, err := os.ReadFile(at)
	check(t, err)
	for name, lose := range map[string]func() error{
		"removed": func() error { return os.Remove(at) }, "emptied": func() error { return os.WriteFile(at, nil, 0o644) },
	} {
		check(t, lose())
		if !Disconnected(linked.Dir) {
			t.Errorf("%s: it counts as connected", name)
		}
		check(t, Reconnect(g, linked.Dir))
		if now, err := os.ReadFile(at); string(now) != string(text) || err != nil {
			t.Errorf("%s: %q, %v", name, now, err)
		}
	}
	check(t, os.WriteFile(at, []byte("gitdir: /elsewhere\n"), 0o644))
	check(t, Reconnect(g, linked.Dir))
	if now, err := os.ReadFile(at); string(now) != "gitdir: /elsewhere\n" || err != nil {
		t.Errorf("one that leads elsewhere: %q, %v", now, err)
	}
	check(t, os.WriteFile(at, text, 0o644))
	check(t, Reconnect(g, plain))
	if !Gone(filepath.Join(plain, ".git")) {
		t.Error("a folder that git does not know was connected")
	}

	// A killed `git worktree add` leaves an entry of the folder's name that points nowhere.
	begun := filepath.Join(t.TempDir(), "begun")
	entries := filepath.Join(g.CommonDir, "worktrees")
	check(t, os.MkdirAll(filepath.Join(entries, "begun"), 0o755))
	for path, want := range map[string][]string{
		linked.Dir: {filepath.Join(entries, entry)}, begun: {filepath.Join(entries, "begun")}, plain: nil,
	} {
		if got := Entries(g, path); !slices.Equal(got, want) {
			t.Errorf("entries of %s: %q", path, got)
		}
	}
	check(t, os.WriteFile(filepath.Join(entries, "begun", "gitdir"), []byte("/elsewhere/begun/.git\n"), 0o644))
	if got := Entries(g, begun); len(got) != 0 {
		t.Errorf("an entry that points elsewhere: %q", got)
	}
	if got := Entries(other.Repo(), plain); got != nil {
		t.Errorf("of a repository without worktrees: %q", got)
	}
	if err := Connect(g, "none", plain); !fault.Is(err, fault.KindOperation) {
		t.Errorf("by an entry that does not exist: %v", err)
	}
}

// Nothing stays of a worktree that is taken back, and nothing else goes.
func TestDiscardLeavesNothing(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Commit("first", "a.txt", "1\n")
	g := main.Repo()
	one, two := main.Path(".worktrees/one"), main.Path(".worktrees/two")
	for _, path := range []string{one, two} {
		main.Git("worktree", "add", "--quiet", "-b", filepath.Base(path), path)
	}
	for path, want := range map[string]string{one: "one", two: "two"} {
		if got := EntryOf(path); got != want {
			t.Errorf("entry of %s: %q", path, got)
		}
		ordinary(t, filepath.Join(path, ".git"))
		check(t, os.Remove(filepath.Join(path, ".git")))
		check(t, Connect(g, want, path))
		ordinary(t, filepath.Join(path, ".git"))
	}
	check(t, Discard(g, "w-1", one))
	if !Gone(one) || Gone(two) || len(Entries(g, one)) != 0 || len(Entries(g, two)) != 1 {
		t.Error("after the first")
	}
	check(t, os.RemoveAll(two))
	check(t, Discard(g, "w-2", two)) // whose folder is gone
	for _, path := range []string{main.Path(".worktrees/.undone-w-1"), filepath.Join(g.CommonDir, "worktrees"), filepath.Join(g.CommonDir, "agit", "undone")} {
		if !Gone(path) {
			t.Errorf("%s is left", path)
		}
	}
	main.Git("worktree", "add", "--quiet", "three")
	three := main.Path("three")
	check(t, Discard(g, "w-3", three))
	if Gone(main.Dir) || !Gone(three) {
		t.Error("a folder with other entries goes, or the worktree stays")
	}
	check(t, os.MkdirAll(filepath.Join(g.CommonDir, "worktrees", "four"), 0o755))
	check(t, os.RemoveAll(filepath.Join(g.CommonDir, "agit")))
	check(t, os.WriteFile(filepath.Join(g.CommonDir, "agit"), nil, 0o644))
	if err := Discard(g, "w-4", main.Path("four")); err == nil || !strings.Contains(err.Error(), `take back git's entry for "`) {
		t.Errorf("with a file in the way: %v", err)
	}
}

func TestBranches(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	first := r.Commit("one", "f", "1\n")
	second := r.Commit("two", "f", "2\n")
	third := r.Commit("three", "f", "3\n")
	r.Git("update-ref", "refs/heads/fix", first)
	r.Git("update-ref", "refs/heads/origin/both", first)
	r.Git("update-ref", "refs/remotes/origin/both", second)
	r.Git("update-ref", "refs/remotes/origin/main", second)
	r.Git("update-ref", "refs/remotes/upstream/main", first)
	r.Git("update-ref", "refs/remotes/origin/far", third)
	g := r.Repo()
	for name, want := range map[string][2]string{
		"fix": {"fix", first}, "refs/heads/fix": {"fix", first}, "origin/both": {"origin/both", first}, "refs/remotes/origin/both": {"origin/both", second}, "origin/far": {"origin/far", third},
		"none": {}, "": {}, "-x": {}, "a..b": {},
	} {
		short, oid, err := FindBranch(t.Context(), g, name)
		if short != want[0] || oid != want[1] || err != nil {
			t.Errorf("%q: %q at %s, %v", name, short, oid, err)
		}
	}
	for _, c := range []struct {
		tip, target string
		want, fails bool
	}{{first, third, true, false}, {third, first, false, false}, {second, second, true, false}, {"none", first, false, true}} {
		if got, err := IsAncestor(t.Context(), g, c.tip, c.target); got != c.want || (err != nil) != c.fails {
			t.Errorf("%s of %s: %t, %v", c.tip, c.target, got, err)
		}
	}
	where := func(branch, remote, wantOID string, wantTips ...string) {
		t.Helper()
		ref, oid, err := DefaultBranch(t.Context(), r.Repo(), branch, remote)
		if ref != "refs/heads/"+branch || oid != wantOID || err != nil {
			t.Errorf("%s of %q: %s at %s, %v, want %s", branch, remote, ref, oid, err, wantOID)
		}
		tips, err := DefaultTips(t.Context(), r.Repo(), branch, remote)
		if !slices.Equal(tips, wantTips) || err != nil {
			t.Errorf("%s of %q: tips %q, %v, want %q", branch, remote, tips, err, wantTips)
		}
	}
	where("main", "", third, third)
	where("main", "origin", second, third, second)
	where("main", "upstream", first, third, first)
	where("main", "none", third, third)
	where("far", "", "")
	where("far", "origin", third, third)
	r.Git("remote", "add", "origin", r.Dir)
	where("main", "", third, third, second)
	where("main", "origin", second, third, second)
	where("main", "upstream", first, third, first, second)
	where("far", "", third, third)
	where("far", "upstream", third, third)
	where("none", "", "")
}

func TestMovedOnly(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"": true, "  \n": true, "branch: Created from HEAD": true, "Branch: renamed a to b": true, "reset: moving to main": true, "rebase (finish): x": true, "rebase finished: x": true, "agit update": true,
		"agit update of w-1": true, "checkout: moving from a to b": true, "merge main: Fast-forward": true, "pull: fast-forward": true, " reset: moving to x\n": true,
		"commit: work": false, "commit (amend): work": false, "commit (initial): a": false, "merge main: Merge made by the 'ort' strategy.": false, "cherry-pick: x": false, "revert: x": false, "push": false,
		"a reset: b": false, "Fast-forward": false,
	} {
		if got := movedOnly(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

// The changes of a branch are looked for in each target, by each of the ways in which they may have come there.
func TestLandedInTargets(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	base := r.Commit("base", "a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.Git("checkout", "-q", "-b", "work")
	first := r.Commit("one", "b", "b\n")
	tip := r.Commit("two", "a", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.Git("checkout", "-q", "main")
	r.Commit("theirs", "c", "c\n")
	apart := r.Head()
	r.Git("cherry-pick", first)
	half := r.Head()
	r.Git("cherry-pick", tip)
	picked := r.Head()
	again := r.Commit("changed since", "a", "two\n2\n3\n4\n5\n6\n7\n8\n9\n") // a merge would conflict
	r.Git("checkout", "-q", "-b", "squash", apart)
	r.Git("merge", "-q", "--squash", "work")
	r.Git("commit", "-qm", "all")
	squash := r.Commit("changed since", "a", "three\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.Git("checkout", "-q", "work")
	r.Git("merge", "-q", "-m", "m", apart)
	merged := r.Head()
	r.Git("checkout", "-q", "--orphan", "alone")
	alone := r.Commit("alone", "z", "z\n")
	g := r.Repo()
	for _, c := range []struct {
		name    string
		tip     string
		targets []string
		want    bool
	}{
		{"no target", tip, nil, false},
		{"itself", tip, []string{tip}, true},
		{"itself as the second", alone, []string{base, alone}, true},
		{"another", tip, []string{apart}, false},
		{"half of it", tip, []string{half}, false},
		{"half of it is the whole of the half", first, []string{half}, true},
		{"picked", tip, []string{picked}, true},
		{"picked, then changed", tip, []string{again}, true},
		{"the second target", tip, []string{apart, again}, true},
		{"squashed, then changed", tip, []string{squash}, true},
		{"a merge among them, squashed and changed", merged, []string{squash}, true},
		{"a merge among them, picked and changed", merged, []string{again}, false},
		{"an ancestor", base, []string{apart}, true},
		{"nothing in common", alone, []string{apart}, false},
	} {
		if got, err := Landed(t.Context(), g, c.tip, c.targets); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", c.name, got, err)
		}
	}
	for name, c := range map[string]struct {
		test func(context.Context, *git.Repo, string, string) (bool, error)
		want string
	}{
		"is an ancestor": {IsAncestor, "base"}, "adds nothing": {addsNothing, "base picked"}, "all picked": {allPicked, "picked again"}, "squashed": {squashed, "squash"},
	} {
		var got []string
		for _, target := range []struct{ name, oid string }{{"base", base}, {"half", half}, {"picked", picked}, {"again", again}, {"squash", squash}, {"alone", alone}} {
			of := tip
			if target.name == "base" {
				of, target.oid = base, apart // an ancestor of it
			}
			yes, err := c.test(t.Context(), g, of, target.oid)
			if err != nil {
				t.Errorf("%s of %s: %v", name, target.name, err)
			}
			if yes {
				got = append(got, target.name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Landed(ended, g, tip, []string{apart}); err == nil {
		t.Error("a search that was cut off has an answer")
	}
	if _, err := Picked(t.Context(), g, git.Options{}, "none", apart); !fault.Is(err, fault.KindOperation) && err == nil {
		t.Errorf("of a commit that does not exist: %v", err)
	}
	one, err := Squash(t.Context(), g, git.Options{}, base, tip)
	check(t, err)
	if got := r.Git("log", "-1", "--format=%P %T %an %ae %cn %ce %s", one); got != fmt.Sprintf("%s %s agit agit@localhost agit agit@localhost all of it", base, r.Git("rev-parse", tip+"^{tree}")) {
		t.Errorf("one commit of all is %s", got)
	}
	if _, err := Squash(t.Context(), g, git.Options{}, "none", tip); err == nil {
		t.Error("one commit upon nothing")
	}
	for _, c := range []struct {
		base, head, target string
		want               bool
	}{
		{tip, tip, "", true}, {base, "", "", true}, {base, tip, "", false}, {base, tip, apart, false}, {base, apart, apart, false},
	} {
		if got, err := NothingDone(t.Context(), g, "none", c.base, c.head, c.target); got != c.want || err != nil {
			t.Errorf("nothing was done between %s and %s: %t, %v", c.base, c.head, got, err)
		}
	}
}

// Only the locks of the refs and HEADs that an operation changed go.
func TestClearRefLocks(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("one", "f", "1\n")
	r.Git("branch", "mine")
	tree := r.Worktree("work").Repo()
	g := r.Repo()
	files := map[string]string{
		"packed": filepath.Join(g.CommonDir, "packed-refs.lock"), "mine": filepath.Join(g.CommonDir, "refs/heads/mine.lock"), "other": filepath.Join(g.CommonDir, "refs/heads/other.lock"),
		"head": filepath.Join(g.GitDir, "HEAD.lock"), "tree's head": filepath.Join(tree.GitDir, "HEAD.lock"), "tree's branch": filepath.Join(g.CommonDir, "refs/heads/work.lock"),
		"tree's index": filepath.Join(tree.GitDir, "index.lock"), "index": filepath.Join(g.GitDir, "index.lock"), "common": g.CommonDir + ".lock",
	}
	for name, c := range map[string]struct {
		do   func()
		gone string
	}{
		"refs":           {func() { ClearRefLocks(t.Context(), g, time.Now().Add(-time.Minute), []string{"", "refs/heads/mine"}) }, "mine packed"},
		"refs and heads": {func() { ClearRefLocks(t.Context(), g, time.Now().Add(-time.Minute), nil, tree.GitDir) }, "packed tree's head"},
		"later":          {func() { ClearRefLocks(t.Context(), g, time.Now().Add(-5*time.Second), []string{"refs/heads/mine"}) }, ""},
		"of the work":    {func() { ClearWorkLocks(t.Context(), tree, time.Now().Add(-time.Minute)) }, "packed tree's branch tree's head tree's index"},
	} {
		made := time.Now().Add(-10 * time.Second)
		for _, file := range files {
			check(t, os.WriteFile(file, nil, 0o644))
			check(t, os.Chtimes(file, made, made))
		}
		c.do()
		var gone []string
		for name, file := range files {
			if Gone(file) {
				gone = append(gone, name)
			}
		}
		slices.Sort(gone)
		if got := strings.Join(gone, " "); got != c.gone {
			t.Errorf("%s: gone are %q, want %q", name, got, c.gone)
		}
	}
	for _, file := range files {
		_ = os.Remove(file)
	}
	// The time of a file may have lost the part below a second.
	second := time.Now().Add(-time.Minute).Truncate(time.Second)
	lock := filepath.Join(t.TempDir(), "x.lock")
	for since, want := range map[time.Duration]bool{999 * time.Millisecond: true, time.Second: false, 0: true, -time.Second: true} {
		check(t, os.WriteFile(lock, nil, 0o644))
		check(t, os.Chtimes(lock, second, second))
		ClearLock(t.Context(), lock, second.Add(since))
		if Gone(lock) != want {
			t.Errorf("made %s before: gone %t", since, !want)
		}
	}
}

// A user is told of a wait that takes long, once, and of no other.
func TestSlow(t *testing.T) {
	t.Parallel()
	Slow(nil, func() string { t.Error("no one is told"); return "" })()
	var told []string
	Slow(func(s string) { told = append(told, s) }, func() string { return "waiting" })()
	if len(told) != 0 {
		t.Errorf("told %q", told)
	}
	r := gittest.New(t)
	r.Commit("one", "f", "1\n")
	g := r.Repo()
	if got := refHook(t.Context(), g); got != "git update-ref" {
		t.Errorf("without a hook: %s", got)
	}
	r.Hook("reference-transaction", "exit 0")
	if got, want := refHook(t.Context(), g), fmt.Sprintf("git's hook %q", filepath.Join(g.Dir(), ".git/hooks/reference-transaction")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := refHook(ended, g); got != "git update-ref" {
		t.Errorf("cut off: %s", got)
	}
	if err := UpdateRefs(t.Context(), g, git.Options{}, nil, nil, "refs/heads/x", "none"); err == nil || strings.Contains(err.Error(), "was ended") {
		t.Errorf("to a commit that does not exist: %v", err)
	}
}

func TestIndexCopies(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	dir := r.Path(".git")
	path, err := CopyIndex(dir, "w-1")
	if want := filepath.Join(dir, "w-1.index"); path != want || err != nil || !Gone(path) {
		t.Errorf("of nothing: %s, %v", path, err)
	}
	r.Commit("one", "f", "1\n")
	made := time.Now().Add(-time.Hour).Truncate(time.Second)
	check(t, os.Chtimes(filepath.Join(dir, "index"), made, made))
	path, err = CopyIndex(dir, "w-1")
	check(t, err)
	info, err := os.Stat(path)
	check(t, err)
	ordinary(t, path)
	if r.Read(".git/index") != r.Read(".git/w-1.index") || !info.ModTime().Equal(made) {
		t.Errorf("the copy is of %s, want %s, or differs", info.ModTime(), made)
	}
	if err := CopyIndexTo(dir, filepath.Join(dir, "none", "x")); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), "copy the index") {
		t.Errorf("to a folder that does not exist: %v", err)
	}
	if err := CopyIndexTo(r.Path("f"), path); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), "read the index") {
		t.Errorf("of a file: %v", err)
	}
}
