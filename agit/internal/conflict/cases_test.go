package conflict

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// expect scans and compares the outline.
func (f *field) expect(o Options, want ...string) *Report {
	f.t.Helper()
	r := f.scan(o)
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, outline(r)); diff != "" {
		f.t.Errorf("report (-want +got):\n%s", diff)
	}
	return r
}

// TestFilter has content that git stores differently from the bytes on disk, also when the scan of one side comes from the cache.
func TestFilter(t *testing.T) {
	main := gittest.New(t)
	main.Git("config", "filter.up.clean", "tr a-z A-Z")
	main.Git("config", "filter.up.smudge", "tr A-Z a-z")
	main.Commit("first", ".gitattributes", "*.up filter=up\n", "n.up", "a\nb\nc\nd\n")
	f := newField(t, main, 2)
	f.settle()
	f.trees[0].Write("n.up", "A\nb\nc\nd\n") // the same to git
	f.trees[1].Write("n.up", "a\nb2\nc\nd\n")
	f.expect(Options{})
	f.trees[0].Write("n.up", "a\nb1\nc\nd\n")
	f.expect(Options{}, "n.up merge w0,w1 contents")
	r := f.scan(Options{})
	if r.ReusedWorktrees != 2 {
		t.Errorf("%d worktrees reused, want 2", r.ReusedWorktrees)
	}
	f.trees[1].Write("n.up", "a\nb\nc\nD3\n")
	if r = f.expect(Options{}, "n.up file w0,w1"); r.ReusedWorktrees != 1 {
		t.Errorf("%d worktrees reused, want 1", r.ReusedWorktrees)
	}
}

// settle makes new files look old enough for later scans to trust them.
func (f *field) settle() { trustTimes(f.t) }

func TestSHA256(t *testing.T) {
	gittest.Isolate()
	dir := filepath.Join(gittest.TempDir(t), "repo")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", "--object-format=sha256", dir).CombinedOutput(); err != nil {
		t.Skipf("this git has no SHA-256: %s", out)
	}
	main := gittest.NewAt(t, dir)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 2)
	f.trees[0].Write("f", edit(3))
	f.trees[1].Write("f", edit(3, 4))
	f.expect(Options{}, "f merge w0,w1 contents")
}

func TestSubmodule(t *testing.T) {
	main := gittest.New(t)
	inner := gittest.NewAt(t, filepath.Join(filepath.Dir(main.Dir), "inner"))
	inner.Commit("x", "in", "1")
	main.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	main.Commit("sub")
	f := newField(t, main, 2)
	for i, tree := range f.trees {
		tree.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
		sub := tree.At(tree.Path("sub"))
		sub.Commit("moved", "in", strings.Repeat("2", i+1))
	}
	r := f.scan(Options{})
	if len(r.Conflicts) != 1 || r.Conflicts[0].File != "sub" || r.Conflicts[0].Depth != DepthMerge {
		t.Errorf("conflicts: %v", outline(r))
	}
}

// TestAttributesOfOneSide has a merge driver that only one worktree sets: it counts where the merge would be made.
func TestAttributesOfOneSide(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "log", "1\n")
	f := newField(t, main, 3)
	f.trees[0].Write(".gitattributes", "log merge=union\n")
	for i, tree := range f.trees {
		tree.Write("log", "1\n"+strings.Repeat("x", i+1)+"\n")
	}
	r := f.scan(Options{})
	depths := map[string]Depth{}
	for _, c := range r.Conflicts {
		for _, p := range c.Pairs {
			depths[p.A+p.B] = p.Depth
		}
	}
	want := map[string]Depth{"w0w1": DepthLines, "w0w2": DepthLines, "w1w2": DepthMerge}
	if diff := cmp.Diff(want, depths); diff != "" {
		t.Errorf("depths (-want +got):\n%s", diff)
	}
}

func TestOneWorktree(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "g", tenLines)
	f := newField(t, main, 3)
	f.trees[0].Write("f", edit(1))
	f.trees[1].Write("f", edit(9))
	f.trees[1].Write("g", edit(1))
	f.trees[2].Write("g", edit(9))
	f.expect(Options{}, "f file w0,w1", "g file w1,w2")
	f.expect(Options{Worktree: "w0"}, "f file w0,w1")
	f.expect(Options{}, "f file w0,w1", "g file w1,w2")
}

func TestAgainstDefault(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "g", tenLines)
	f := newField(t, main, 3)
	main.Commit("on", "f", edit(3), "g", edit(9))
	f.trees[0].Write("f", edit(3, 4))
	f.trees[1].Write("f", edit(9))
	r := f.expect(Options{}, "f merge main,w0 contents", "f file w0,w1")
	want := Conflict{File: "f", Depth: DepthMerge, DefaultBranch: "main", Lines: []Lines{{3, 3}}, Kinds: []string{"contents"},
		Worktrees: []Side{{ID: "w0", Branch: "w0", Agent: "agent-w0", Change: Modified, Lines: []Lines{{3, 4}}}}, Pairs: []Pair{}}
	if diff := cmp.Diff(want, r.Conflicts[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.expect(Options{Worktree: "w1"}, "f file w0,w1")
	f.expect(Options{Worktree: "w0"}, "f merge main,w0 contents", "f file w0,w1")
	f.expect(Options{Depth: DepthLines}, "f file w0,w1")
	f.trees[0].Commit("mine")
	f.trees[0].TryGit("merge", "main")
	f.trees[0].Write("f", edit(3, 4))
	f.trees[0].Commit("resolved")
	f.expect(Options{}, "f file w0,w1")
}

// TestDamaged leaves out a worktree of which git can read no commit, no HEAD or no index, and says why. The others are compared.
func TestDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(w *gittest.Repo) error
		reason string
	}{
		"commit": {func(w *gittest.Repo) error { return lose(w, w.Head()) }, "its commit cannot be read"},
		"tree":   {func(w *gittest.Repo) error { return lose(w, w.Git("rev-parse", "HEAD^{tree}")) }, "missing tree"},
		"HEAD":   {func(w *gittest.Repo) error { return os.Truncate(filepath.Join(w.Repo().GitDir, "HEAD"), 0) }, "names neither a branch nor a commit"},
		"index":  {func(w *gittest.Repo) error { return os.Truncate(filepath.Join(w.Repo().GitDir, "index"), 5) }, "index file smaller than expected"},
		"history": {func(w *gittest.Repo) error {
			before := w.Head()
			w.Commit("more", "f", "y")
			return lose(w, before)
		}, "Could not read"},
		"entry": {func(w *gittest.Repo) error {
			w.Git("rm", "--quiet", "--cached", "f") // git must compare the index
			return os.WriteFile(filepath.Join(w.Repo().GitDir, "commondir"), []byte("nowhere\n"), 0o600)
		}, "not a git repository"},
	} {
		t.Run(name, func(t *testing.T) {
			main := gittest.New(t)
			main.Commit("first", "f", tenLines)
			f := newField(t, main, 3)
			f.trees[0].Write("f", edit(3))
			f.trees[1].Write("f", edit(3, 4))
			f.trees[2].Commit("lost", "f", "x")
			if err := c.spoil(f.trees[2]); err != nil {
				t.Fatal(err)
			}
			r, err := New("").Scan(t.Context(), f.repo(), f.list, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Skipped) != 1 || r.Skipped[0].ID != "w2" || !strings.Contains(r.Skipped[0].Reason, c.reason) {
				t.Errorf("skipped %v, want w2: %s", r.Skipped, c.reason)
			}
			if diff := cmp.Diff([]string{"f merge w0,w1 contents"}, outline(r)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoGit fails the scan where git is not installed: no worktree was looked at, so nothing is known of conflicts.
func TestNoGit(t *testing.T) {
	f := newField(t, committed(t), 2)
	f.scan(Options{}) // the next scan knows the settings of git
	f.trees[0].Write("f", edit(3))
	t.Setenv("PATH", t.TempDir())
	if r, err := New(f.cache).Scan(t.Context(), f.repo(), f.list, Options{}); !git.IsMissing(err) {
		t.Errorf("report %+v, %v", r, err)
	}
}

// lose removes a loose object.
func lose(w *gittest.Repo, oid string) error {
	return os.Remove(filepath.Join(w.Repo().CommonDir, "objects", oid[:2], oid[2:]))
}

// TestMissingBlob has a file whose base is gone: git cannot merge it. That is reported, and everything else is compared.
func TestMissingBlob(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "g", tenLines+"g")
	f := newField(t, main, 3)
	f.trees[0].Write("f", edit(3))
	f.trees[1].Write("f", edit(3, 4))
	f.trees[1].Write("g", edit(3)+"g")
	f.trees[2].Write("g", edit(3, 4)+"g")
	blob := main.Git("rev-parse", "HEAD:f")
	if err := os.Remove(main.Path(".git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
		t.Fatal(err)
	}
	r := f.expect(Options{}, "f lines w0,w1", "g merge w1,w2 contents")
	if len(r.Failures) != 1 || r.Failures[0].A != "w0" || r.Failures[0].B != "w1" {
		t.Errorf("failures %v, want one of w0 and w1", r.Failures)
	}
}

// TestDefaultBranchIsGone reports a default branch that was renamed, also where the last scan's result is used again, and none without a commit.
func TestDefaultBranchIsGone(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", "1\n")
	f := newField(t, main, 1)
	f.settle()
	check := func(state string, missing bool) {
		t.Helper()
		for range 2 {
			got := f.scan(Options{}).NoDefaultBranch
			if missing != strings.Contains(got, `has no branch "main"`) || missing != strings.Contains(got, "`agit add "+main.Dir+"`") {
				t.Errorf("%s: %q", state, got)
			}
		}
	}
	check("as registered", false)
	main.Git("branch", "-m", "main", "trunk")
	check("renamed", true)
	main.Git("symbolic-ref", "HEAD", "refs/heads/main")
	check("before its first commit", false)
	main.Git("symbolic-ref", "HEAD", "refs/heads/trunk")
	check("renamed again", true)
	main.Git("config", "remote.origin.url", "https://forge.example/app.git")
	main.Git("update-ref", "refs/remotes/origin/main", "trunk")
	check("at the remote", false)
}

// TestMissingNewBlob has a commit that moves a file whose new text is gone: git cannot tell that it moved. The others are compared.
func TestMissingNewBlob(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "g", tenLines+"g")
	f := newField(t, main, 3)
	f.trees[0].Write("f", edit(3))
	f.trees[1].Write("f", edit(3, 4))
	f.trees[2].Git("rm", "-q", "g")
	f.trees[2].Commit("moved", "h", edit(3)+"g")
	if err := lose(f.trees[2], f.trees[2].Git("rev-parse", "HEAD:h")); err != nil {
		t.Fatal(err)
	}
	f.expect(Options{}, "f merge w0,w1 contents")
}

func TestUnrelated(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 2)
	f.trees[0].Git("checkout", "-q", "--orphan", "alone")
	f.trees[0].Commit("alone", "f", edit(3))
	f.trees[0].Write("f", edit(5))
	f.trees[1].Write("f", edit(3, 4))
	f.expect(Options{}, "f file w0,w1")
}

func TestLargeUntracked(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 3)
	large := strings.Repeat("0123456789abcdef", 100_000)
	f.trees[0].Write("model", large)
	f.trees[1].Write("model", large)
	f.trees[2].Write("model", large+"x")
	r := f.scan(Options{})
	depths := map[string]Depth{}
	for _, c := range r.Conflicts {
		for _, p := range c.Pairs {
			depths[p.A+p.B] = p.Depth
		}
	}
	want := map[string]Depth{"w0w1": DepthLines, "w0w2": DepthMerge, "w1w2": DepthMerge}
	if diff := cmp.Diff(want, depths); diff != "" {
		t.Errorf("depths (-want +got):\n%s", diff)
	}
}

func TestBareRepository(t *testing.T) {
	source := gittest.New(t)
	source.Commit("first", "f", tenLines)
	dir := filepath.Join(gittest.TempDir(t), "bare.git")
	source.Git("clone", "-q", "--bare", source.Dir, dir)
	bare := source.At(dir)
	f := newField(t, bare, 2)
	f.trees[0].Write("f", edit(3))
	f.trees[1].Write("f", edit(3, 4))
	f.expect(Options{}, "f merge w0,w1 contents")
}

func TestCancelled(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New("").Scan(ctx, f.repo(), f.list, Options{}); err == nil {
		t.Error("a cancelled scan gave a report")
	}
}
