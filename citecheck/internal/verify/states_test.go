package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

const alpha = `package alpha

// Limit is how many requests are let through in a second.
const Limit = 250

func Allow(count int) bool {
	if count > Limit {
		return false
	}
	return true
}

func Deny(count int) bool {
	if count < 0 {
		return false
	}
	return !Allow(count)
}
`

func one(t *testing.T, dir, at string, c verify.Citation) verify.Result {
	t.Helper()
	return all(t, dir, at, []verify.Citation{c})[0]
}

func all(t *testing.T, dir, at string, citations []verify.Citation) []verify.Result {
	t.Helper()
	checker, err := verify.Open(t.Context(), dir, verify.Options{At: at})
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	results, err := checker.Verify(t.Context(), citations)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func expect(t *testing.T, r verify.Result, v verify.Verdict, path string, line int) {
	t.Helper()
	if r.Verdict != v || r.FoundPath != path || r.FoundLine != line {
		t.Errorf("%s:%d %q is %s %s:%d (%s), want %s %s:%d", r.Citation.Path, r.Citation.Line, r.Citation.Snippet, r.Verdict, r.FoundPath, r.FoundLine, r.Reason,
			v, path, line)
	}
}

// The result of a gone citation quotes the current text at its line.
func TestWhatStandsAtTheLine(t *testing.T) {
	gittest.Isolate()
	dir := gittest.TempDir(t)
	put(t, dir, nil, world{"alpha.go": alpha, "one.txt": "\tthe only line of it \n"})
	for _, test := range []struct {
		c    verify.Citation
		want string
	}{
		{verify.Citation{Path: "alpha.go", Line: 4, Snippet: "SELECT name FROM people"}, `is in alpha.go; line 4 is "const Limit = 250"`},
		{verify.Citation{Path: "alpha.go", Line: 5, Snippet: "SELECT name FROM people"}, "is in alpha.go; line 5 is empty"},
		{verify.Citation{Path: "alpha.go", Line: 18, Snippet: "SELECT name FROM people"}, `is in alpha.go; line 18 is "}"`},
		{verify.Citation{Path: "alpha.go", Line: 19, Snippet: "SELECT name FROM people"}, "is in alpha.go, which has 18 lines"},
		{verify.Citation{Path: "one.txt", Line: 1, Snippet: "SELECT name FROM people"}, `line 1 is "the only line of it"`},
		{verify.Citation{Path: "alpha.go", Snippet: "SELECT name FROM people"}, "anything like it is in alpha.go"},
		{verify.Citation{Path: "alpha.go", Line: 999}, "line 999 is beyond the end of the file, which has 18 lines"},
	} {
		r := one(t, dir, verify.WorkingTree, test.c)
		if r.Verdict != verify.Gone || !strings.HasSuffix(r.Reason, test.want) {
			t.Errorf("%+v: %s, %s", test.c, r.Verdict, r.Reason)
		}
	}
}

func TestWithoutGit(t *testing.T) {
	gittest.Isolate()
	dir := gittest.TempDir(t)
	put(t, dir, nil, world{"alpha.go": alpha, "doc/notes.md": "# Notes\n\nThe limit keeps the back end alive.\n",
		"empty.txt": "", "blob.bin": "\x00\x01\x02"})
	for _, test := range []struct {
		c       verify.Citation
		verdict verify.Verdict
		path    string
		line    int
	}{
		{verify.Citation{Path: "alpha.go"}, verify.Valid, "alpha.go", 0},
		{verify.Citation{Path: "doc"}, verify.Valid, "doc", 0},
		{verify.Citation{Path: "doc", Line: 3}, verify.Gone, "", 0},
		{verify.Citation{Path: "./alpha.go", Line: 4, Snippet: "Limit = 250"}, verify.Valid, "./alpha.go", 4},
		{verify.Citation{Path: "alpha.go", Line: 4, Snippet: "const   Limit=250"}, verify.Valid, "alpha.go", 4},
		{verify.Citation{Path: "alpha.go", Line: 4, Snippet: "const Limit = 25"}, verify.Changed, "alpha.go", 4},
		{verify.Citation{Path: "alpha.go", Line: 4, Snippet: "const Limit = …"}, verify.Valid, "alpha.go", 4},
		{verify.Citation{Path: "alpha.go", Line: 40, Snippet: "const Limit = 250"}, verify.Moved, "alpha.go", 4},
		{verify.Citation{Path: "alpha.go", Line: 9, Snippet: "return false"}, verify.Ambiguous, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 9, Snippet: "}"}, verify.Ambiguous, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 10, Snippet: "}"}, verify.Ambiguous, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 10, Snippet: "}", Before: "return true"}, verify.Moved, "alpha.go", 9},
		{verify.Citation{Path: "alpha.go", Line: 9, Snippet: "return false", After: "if count > Limit {"}, verify.Moved, "alpha.go", 8},
		{verify.Citation{Path: "alpha.go", Line: 6, EndLine: 11, Snippet: "if count > Limit {"}, verify.Valid, "alpha.go", 6},
		{verify.Citation{Path: "alpha.go", Line: 6, Snippet: "func Allow(count int) bool {\n\tif count > Limit {"}, verify.Valid, "alpha.go", 6},
		{verify.Citation{Path: "alpha.go", Line: 1, Snippet: "func Allow(count int) bool {\n  if count > Limit {"}, verify.Moved, "alpha.go", 6},
		{verify.Citation{Path: "alpha.go", Snippet: "return !Allow(count)"}, verify.Valid, "alpha.go", 17},
		{verify.Citation{Path: "alpha.go", Line: 4}, verify.Unverifiable, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 400}, verify.Gone, "", 0},
		{verify.Citation{Path: "gone.go", Line: 1, Snippet: "package gone"}, verify.Gone, "", 0},
		{verify.Citation{Path: "beta.go", Line: 3, Snippet: "// Limit is how many requests are let through in a second."}, verify.Moved, "alpha.go", 3},
		{verify.Citation{Path: "blob.bin"}, verify.Valid, "blob.bin", 0},
		{verify.Citation{Path: "blob.bin", Line: 1, Snippet: "anything"}, verify.Unverifiable, "", 0},
		{verify.Citation{Path: "empty.txt", Line: 1, Snippet: "anything at all"}, verify.Gone, "", 0},
		{verify.Citation{Path: `doc\notes.md`, Line: 3, Snippet: "keeps the back end alive"}, verify.Valid, `doc\notes.md`, 3},
		{verify.Citation{Path: ""}, verify.Unverifiable, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 5, EndLine: 2}, verify.Gone, "", 0},
		{verify.Citation{Path: "alpha.go", Line: 4, Snippet: "const Limit = 250", Commit: "0123456789012345678901234567890123456789"}, verify.Valid, "alpha.go", 4},
	} {
		expect(t, one(t, dir, verify.WorkingTree, test.c), test.verdict, test.path, test.line)
	}
	if _, err := verify.Open(t.Context(), dir, verify.Options{At: "HEAD"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a revision without git: %v", err)
	}
}

func TestNeverOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need rights there")
	}
	secret := "the secret of the house next door = 42\n"
	for _, inGit := range []bool{true, false} {
		base := gittest.TempDir(t)
		gittest.Isolate()
		dir := filepath.Join(base, "repo")
		put(t, base, nil, world{"secret.txt": secret, "house/secret.txt": secret})
		var repo *gittest.Repo
		if inGit {
			repo = gittest.NewAt(t, dir)
		}
		put(t, dir, nil, world{"in.txt": secret, "direct": "link:../secret.txt", "house": "link:../house", "absolute": "link:" + filepath.Join(base, "secret.txt"),
			"inner": "link:in.txt", "far": "link:inner", "loop": "link:loop", "dangling": "link:nowhere", "away": "link:../../../nowhere",
			"device": "link:/dev/zero", "git": "link:.git/config", "deep/a/b.txt": secret, "deep/up": "link:../in.txt", "two": "link:house/secret.txt"})
		fifo(t, filepath.Join(dir, "pipe"))
		states := []string{verify.WorkingTree}
		if inGit {
			repo.Commit("links")
			states = append(states, verify.Index, "HEAD")
		}
		for _, at := range states {
			for path, want := range map[string]verify.Verdict{
				"../secret.txt": verify.Outside, "deep/../../secret.txt": verify.Outside, "/etc/passwd": verify.Outside,
				filepath.Join(base, "secret.txt"): verify.Outside, `C:\secret.txt`: verify.Outside, `..\secret.txt`: verify.Outside, `\\host\share`: verify.Outside,
				"direct": verify.Outside, "house/secret.txt": verify.Outside, "absolute": verify.Outside, "device": verify.Outside, "two": verify.Outside,
				"away": verify.Outside, ".git/config": verify.Outside, ".GIT/config": verify.Outside, ".git./config": verify.Outside,
				"git~1/config": verify.Outside, ".g\u200cit/config": verify.Outside, ".git::$INDEX_ALLOCATION/config": verify.Outside,
				"in.txt\x00.png": verify.Outside, "deep/a/../../in.txt": verify.Valid, "in.txt": verify.Valid, "inner": verify.Valid, "far": verify.Valid,
				"deep/up": verify.Valid, "IN.TXT": verify.Moved, "loop": verify.Moved, "dangling": verify.Moved, "in.txt/x": verify.Moved,
				strings.Repeat("long/", 2000): verify.Moved, strings.Repeat("x", 300): verify.Moved, "~/in.txt": verify.Moved, "-in.txt": verify.Moved,
				"a\nb": verify.Moved, ":(top)in.txt": verify.Moved, "$(id)": verify.Moved, "*.txt": verify.Moved,
			} {
				r := one(t, dir, at, verify.Citation{Path: path, Line: 1, Snippet: strings.TrimSpace(secret)})
				if want == verify.Moved {
					want = r.Verdict // the text stands elsewhere too; the point is that nothing was read
					if r.Verdict == verify.Valid || r.Verdict == verify.Outside {
						t.Errorf("git %v, at %q: %.60q is %s (%s)", inGit, at, path, r.Verdict, r.Reason)
					}
				}
				if r.Verdict != want || want == verify.Outside && (r.FoundText != "" || r.FoundPath != "") {
					t.Errorf("git %v, at %q: %.60q is %s %q (%s), want %s", inGit, at, path, r.Verdict, r.FoundText, r.Reason, want)
				}
			}
			if at == verify.WorkingTree {
				if r := one(t, dir, at, verify.Citation{Path: "pipe", Line: 1, Snippet: "x"}); r.Verdict != verify.Unverifiable {
					t.Errorf("a pipe is %s (%s)", r.Verdict, r.Reason)
				}
				if inGit {
					if r := one(t, dir, at, verify.Citation{Path: "git", Line: 1}); r.Verdict != verify.Outside {
						t.Errorf("a link to git's configuration is %s (%s)", r.Verdict, r.Reason)
					}
				}
			}
		}
	}
}

func TestKindsOfRepository(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("alpha", "src/alpha.go", alpha, "docs/index.md", "# Index\n")
	moved := "// Package alpha lets requests through.\n" + alpha
	to := repo.Commit("beta", "src/alpha.go", moved)
	cited := verify.Citation{Path: "src/alpha.go", Line: 4, Snippet: "const Limit = 250", Commit: from}
	bare := verify.Citation{Path: "src/alpha.go", Line: 10, Commit: from[:10]}

	t.Run("history", func(t *testing.T) {
		expect(t, one(t, repo.Dir, verify.WorkingTree, cited), verify.Moved, "src/alpha.go", 5)
		expect(t, one(t, repo.Dir, verify.Index, cited), verify.Moved, "src/alpha.go", 5)
		expect(t, one(t, repo.Dir, "HEAD", cited), verify.Moved, "src/alpha.go", 5)
		expect(t, one(t, repo.Dir, from, cited), verify.Valid, "src/alpha.go", 4)
		expect(t, one(t, repo.Dir, "HEAD~1", cited), verify.Valid, "src/alpha.go", 4)
		expect(t, one(t, repo.Dir, verify.WorkingTree, bare), verify.Moved, "src/alpha.go", 11)
	})
	t.Run("folder inside", func(t *testing.T) {
		inside := cited
		inside.Path = "alpha.go"
		expect(t, one(t, repo.Path("src"), verify.WorkingTree, inside), verify.Moved, "alpha.go", 5)
		expect(t, one(t, repo.Path("src"), "HEAD", inside), verify.Moved, "alpha.go", 5)
		inside.Path = "../src/alpha.go"
		expect(t, one(t, repo.Path("docs"), verify.WorkingTree, inside), verify.Moved, "../src/alpha.go", 5)
		inside.Path = "../../x"
		expect(t, one(t, repo.Path("docs"), verify.WorkingTree, inside), verify.Outside, "", 0)
	})
	t.Run("linked worktree", func(t *testing.T) {
		linked := repo.Worktree("side")
		linked.Write("src/alpha.go", "//\n//\n"+moved)
		expect(t, one(t, linked.Dir, verify.WorkingTree, cited), verify.Moved, "src/alpha.go", 7)
		expect(t, one(t, linked.Dir, verify.Index, cited), verify.Moved, "src/alpha.go", 5)
	})
	t.Run("shallow clone", func(t *testing.T) {
		dir := filepath.Join(gittest.TempDir(t), "shallow")
		repo.Git("clone", "--quiet", "--depth=1", "file://"+repo.Dir, dir)
		expect(t, one(t, dir, verify.WorkingTree, cited), verify.Moved, "src/alpha.go", 5)
		expect(t, one(t, dir, verify.WorkingTree, bare), verify.Unverifiable, "", 0)
		for _, c := range []verify.Citation{{Path: "src/former.go", Line: 3}, {Path: "src/former.go"}} { // git may know its new name
			expect(t, one(t, dir, verify.WorkingTree, c), verify.Unverifiable, "", 0)
			expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Gone, "", 0)
		}
		expect(t, one(t, dir, verify.WorkingTree, verify.Citation{Path: "src/former.go", Line: 3, Snippet: "nowhere := anything(like, it)"}), verify.Gone, "", 0)
		checker, _ := verify.Open(t.Context(), dir, verify.Options{})
		defer checker.Close()
		if oids, err := checker.LastTouched(t.Context(), []verify.Source{{Path: "docs/index.md", Line: 1}}); err != nil || oids[0] != "" {
			t.Errorf("where history was cut off: %v, %v", oids, err)
		}
	})
	t.Run("sparse checkout", func(t *testing.T) {
		dir := filepath.Join(gittest.TempDir(t), "sparse")
		repo.Git("clone", "--quiet", repo.Dir, dir)
		sparse := repo.At(dir)
		sparse.Git("sparse-checkout", "set", "docs")
		expect(t, one(t, dir, verify.WorkingTree, cited), verify.Moved, "src/alpha.go", 5)
		expect(t, one(t, dir, verify.WorkingTree, verify.Citation{Path: "src/alpha.go"}), verify.Valid, "src/alpha.go", 0)
	})
	t.Run("submodule", func(t *testing.T) {
		super := gittest.New(t)
		super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.Dir, "lib")
		super.Commit("super", "main.go", "package main\n")
		inside := cited
		inside.Path = "lib/src/alpha.go"
		for _, at := range []string{verify.WorkingTree, verify.Index, "HEAD"} {
			expect(t, one(t, super.Dir, at, inside), verify.Unverifiable, "", 0)
		}
		os.RemoveAll(super.Path("lib/src"))
		expect(t, one(t, super.Dir, verify.WorkingTree, inside), verify.Unverifiable, "", 0)
		expect(t, one(t, super.Path("lib"), "HEAD", cited), verify.Moved, "src/alpha.go", 5)
	})
	t.Run("bare", func(t *testing.T) {
		dir := filepath.Join(gittest.TempDir(t), "bare.git")
		repo.Git("clone", "--quiet", "--bare", repo.Dir, dir)
		expect(t, one(t, dir, to, cited), verify.Moved, "src/alpha.go", 5)
		if _, err := verify.Open(t.Context(), dir, verify.Options{}); err == nil {
			t.Error("a bare repository has no working tree")
		}
	})
	t.Run("unknown revision", func(t *testing.T) {
		for _, at := range []string{"nothing", "-x", "HEAD:src"} {
			if _, err := verify.Open(t.Context(), repo.Dir, verify.Options{At: at}); err == nil {
				t.Errorf("%q was taken for a revision", at)
			}
		}
	})
	t.Run("merged branch", func(t *testing.T) {
		repo.Git("checkout", "--quiet", "-b", "topic", from)
		onBranch := repo.Commit("on a branch", "src/alpha.go", strings.Replace(alpha, "return true", "return count > 0 // nothing is let through twice", 1))
		repo.Git("checkout", "--quiet", "main")
		repo.Git("merge", "--quiet", "--no-edit", "topic")
		repo.Commit("after", "src/alpha.go", "//\n"+repo.Read("src/alpha.go"))
		expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "src/alpha.go", Line: 10, Commit: onBranch,
			Snippet: "return count > 0 // nothing is let through twice"}), verify.Moved, "src/alpha.go", 12)
	})
}

// A text was at two places, and the cited one was deleted: the citation did not move to the other.
func TestTheOtherCopyIsNotIt(t *testing.T) {
	const line = "limit := readTheLimitFromTheConfiguration(context, name)"
	copies := "package a\n\nfunc one() {\n\t" + line + "\n\tuse(limit)\n}\n\nfunc two() {\n\t" + line + "\n\tforget(limit)\n}\n"
	repo := gittest.New(t)
	repo.Commit("base", "a.go", copies, "memory.md", "a.go:4\n")
	repo.Commit("one is gone", "a.go", strings.Replace(copies, "func one() {\n\t"+line+"\n\tuse(limit)\n}\n\n", "", 1))
	for _, c := range []verify.Citation{
		{Path: "a.go", Line: 4, Snippet: line, Commit: "HEAD~1"}, // no object name: passed over
		{Path: "a.go", Line: 4, Snippet: line, Commit: repo.Git("rev-parse", "HEAD~1")},
		{Path: "a.go", Line: 4, Snippet: line, Source: verify.Source{Path: "memory.md", Line: 1}},
		{Path: "a.go", Line: 4, Snippet: line},
	} {
		// Line 4 is the other copy's now; only the recorded commit can tell.
		if r := one(t, repo.Dir, verify.WorkingTree, c); r.Verdict == verify.Moved || r.Verdict == verify.Valid && len(c.Commit) == 40 {
			t.Errorf("%+v is %s at %d (%s)", c, r.Verdict, r.FoundLine, r.Reason)
		}
		c.Line = 9
		if c.Commit == "HEAD~1" {
			continue
		}
		expect(t, one(t, repo.Dir, verify.WorkingTree, c), verify.Moved, "a.go", 4)
	}
	repo.Commit("above", "a.go", "// Something new.\n"+repo.Read("a.go"))
	for _, c := range []verify.Citation{
		{Path: "a.go", Line: 4, Snippet: line, Commit: repo.Git("rev-parse", "HEAD~2")},
		{Path: "a.go", Line: 4, Snippet: line, Source: verify.Source{Path: "memory.md", Line: 1}},
	} {
		if r := one(t, repo.Dir, verify.WorkingTree, c); r.Verdict.True() {
			t.Errorf("%+v is %s at %d (%s)", c, r.Verdict, r.FoundLine, r.Reason)
		}
	}
}

func TestSquashedBranch(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit("base", "a.go", alpha)
	repo.Git("config", "log.showSignature", "true")
	repo.Git("config", "log.follow", "true")
	repo.Git("checkout", "--quiet", "-b", "topic")
	onBranch := repo.Commit("on a branch", "a.go", strings.Replace(alpha, "return true", "return count > 0 // nothing is let through twice", 1))
	repo.Git("checkout", "--quiet", "main")
	repo.Git("merge", "--quiet", "--squash", "topic")
	repo.Commit("squashed")
	repo.Commit("after", "a.go", "//\n//\n"+repo.Read("a.go"))
	cited := verify.Citation{Path: "a.go", Line: 10, Commit: onBranch}
	expect(t, one(t, repo.Dir, verify.WorkingTree, cited), verify.Moved, "a.go", 12)
	cited.Line = 8 // one of two equal lines
	expect(t, one(t, repo.Dir, verify.WorkingTree, cited), verify.Moved, "a.go", 10)
	repo.Git("branch", "--quiet", "-D", "topic")
	repo.Remove("a.go")
	repo.Commit("gone")
	if r := one(t, repo.Dir, verify.WorkingTree, cited); r.Verdict != verify.Gone {
		t.Errorf("%s (%s)", r.Verdict, r.Reason)
	}
}

func TestDamagedRepository(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("base", "a.go", alpha)
	repo.Commit("more", "a.go", "// a\n"+alpha)
	repo.Commit("still more", "a.go", "// a\n// b\n"+alpha, "b.go", "package b\n")
	object := repo.Git("rev-parse", "HEAD~1:a.go")
	repo.Remove(".git/objects/" + object[:2] + "/" + object[2:])
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: "const Limit = 250", Commit: from}), verify.Moved, "a.go", 6)
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: "const Limit = 250"}), verify.Moved, "a.go", 6)
	if r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "c.go", Line: 4, Snippet: "const Limit = 25 // a line that no one wrote"}); r.Verdict != verify.Gone {
		t.Errorf("%s (%s)", r.Verdict, r.Reason)
	}
	t.Setenv("PATH", t.TempDir())
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: "const Limit = 250"}), verify.Moved, "a.go", 6)
}

func TestHistoryTellsEqualLinesApart(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("base", "a.go", alpha, "memory.md", "| a.go | 15 | `return false` |\n")
	// The first "return false" goes; the second now stands at its line.
	lines := strings.Split(alpha, "\n")
	short := append(slices.Clone(lines[:5]), lines[11:]...)
	repo.Commit("without Allow", "a.go", strings.Join(short, "\n"))
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 15, Snippet: "return false", Commit: from}), verify.Moved, "a.go", 9)
	if r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 8, Snippet: "return false", Commit: from}); r.Verdict.True() {
		t.Errorf("a deleted line is %s at %d (%s)", r.Verdict, r.FoundLine, r.Reason)
	}
	// Without a recorded commit, the commit that wrote the citation says the same.
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 15, Snippet: "return false",
		Source: verify.Source{Path: "memory.md", Line: 1}}), verify.Moved, "a.go", 9)
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 15,
		Source: verify.Source{Path: "memory.md", Line: 1}}), verify.Moved, "a.go", 9)
	if r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 15}); r.Verdict != verify.Gone && r.Verdict != verify.Unverifiable {
		t.Errorf("neither snippet nor commit: %s (%s)", r.Verdict, r.Reason)
	}
	// Deleted and restored by a revert: it is there.
	repo.Commit("again", "a.go", alpha)
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 4, Snippet: "const Limit = 250", Commit: from}), verify.Valid, "a.go", 4)
}

func TestRenameChain(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("base", "a.go", alpha)
	repo.Git("mv", "a.go", "b.go")
	repo.Commit("first name")
	repo.Commit("grow", "b.go", "// one\n// two\n"+alpha+strings.Repeat("// A remark that has nothing to do with limits.\n", 60))
	repo.Write("keep/x", "x")
	repo.Git("mv", "b.go", "keep/c.go")
	repo.Commit("second name")
	for _, commit := range []string{from, ""} {
		expect(t, one(t, repo.Dir, "HEAD", verify.Citation{Path: "a.go", Line: 4, Snippet: "const Limit = 250", Commit: commit}), verify.Renamed, "keep/c.go", 6)
		expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Commit: commit}), verify.Renamed, "keep/c.go", 0)
	}
	expectNewName := func(commit, path, now string) {
		t.Helper()
		r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: path, Line: 4, Commit: commit})
		if r.Verdict != verify.Unverifiable || len(r.Candidates) != 1 || r.Candidates[0].Path != now || !strings.Contains(r.Reason, "the file is now "+now) {
			t.Errorf("a line of a renamed file without a snippet, written at %q: %+v", commit, r)
		}
	}
	expectNewName("", "a.go", "keep/c.go")
	expectNewName(strings.TrimSpace(repo.Git("rev-parse", "HEAD")), "a.go", "keep/c.go")
	repo.Git("mv", "keep/c.go", "d.go")
	expectNewName("", "keep/c.go", "d.go")
}

func TestTextAndFiles(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("base", "a.go", alpha, "b/ü \"x\".go", "package b\n")
	repo.Write("new.go", "package fresh\r\n\tfunc x() {}\r\n")
	repo.Write("a.go", alpha+"// more\n")
	ctx := context.Background()
	c, err := verify.Open(ctx, repo.Dir, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if text, err := c.Text(ctx, "new.go", 2, 0); err != nil || text != "\tfunc x() {}" {
		t.Errorf("text %q, %v", text, err)
	}
	if text, err := c.Text(ctx, "a.go", 3, 4); err != nil || strings.Count(text, "\n") != 1 {
		t.Errorf("text %q, %v", text, err)
	}
	for path, kind := range map[string]fault.Kind{"../x": fault.KindValidation, "none.go": fault.KindNotFound, "b": fault.KindValidation, ".git/HEAD": fault.KindValidation} {
		if _, err := c.Text(ctx, path, 1, 0); !fault.Is(err, kind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.Text(ctx, "new.go", 9, 0); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("beyond the end: %v", err)
	}
	files, err := c.Files(ctx)
	if want := []string{"a.go", "b/ü \"x\".go", "new.go"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("files %q, %v", files, err)
	}
	changed, err := c.ChangedSince(ctx, "HEAD")
	if err != nil || len(changed) != 2 || !changed["a.go"] || !changed["new.go"] {
		t.Errorf("changed %v, %v", changed, err)
	}
	if !c.Exists(ctx, "b") || !c.Exists(ctx, "b/ü \"x\".go") || c.Exists(ctx, "c") || c.Exists(ctx, "../repo") {
		t.Error("what exists")
	}
	results, err := c.Verify(ctx, []verify.Citation{{Path: "a.go", Line: 4, Snippet: "const Limit = 250"},
		{Path: "b/ü \"x\".go", Line: 1, Snippet: "package b"}, {Path: "new.go", Line: 1, Snippet: "package fresh"}, {Path: "b/none", Line: 1, Snippet: "nothing like it"}})
	if err != nil {
		t.Fatal(err)
	}
	oids, err := c.Remember(ctx, results)
	if want := []string{"", from, "", ""}; err != nil || !slices.Equal(oids, want) {
		t.Errorf("remember %q, want %q, %v", oids, want, err)
	}
}

func TestEmptyRepository(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.go", alpha)
	expect(t, one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "a.go", Line: 1, Snippet: "const Limit = 250"}), verify.Moved, "a.go", 4)
	expect(t, one(t, repo.Dir, verify.Index, verify.Citation{Path: "a.go", Line: 1, Snippet: "const Limit = 250"}), verify.Gone, "", 0)
	if r := one(t, repo.Dir, verify.WorkingTree, verify.Citation{Path: "z.go", Line: 1, Source: verify.Source{Path: "a.go", Line: 1}}); r.Verdict != verify.Gone {
		t.Errorf("%+v", r)
	}
}
