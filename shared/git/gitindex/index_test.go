package gitindex

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// prepared makes a repository whose index has an entry of every sort.
func prepared(t testing.TB) *gittest.Repo {
	r := gittest.New(t)
	r.Commit("first", "a", "1", "dir/b", "2", "dir/sub/c", "3", "z", "4")
	r.Branch("other")
	r.Commit("ours", "a", "ours")
	r.Checkout("other")
	r.Commit("theirs", "a", "theirs")
	r.TryGit("merge", "main")
	r.Write("announced", "x")
	r.Git("add", "-N", "announced")
	r.Git("update-index", "--add", "--cacheinfo", "100644,"+r.Git("rev-parse", "HEAD:z")+","+strings.Repeat("long/", 900)+"name")
	r.Git("update-index", "--skip-worktree", "z")
	r.Git("update-index", "--assume-unchanged", "dir/b")
	return r
}

func list(t testing.TB, r *gittest.Repo) *Index {
	t.Helper()
	out, err := r.Repo().Output(t.Context(), git.Options{}, ListArgs()...)
	if err != nil {
		t.Fatal(err)
	}
	ix, err := ParseList(out)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func read(t testing.TB, r *gittest.Repo) []byte {
	t.Helper()
	buf, err := os.ReadFile(r.Repo().GitDir + "/index")
	if err != nil {
		t.Fatal(err)
	}
	return buf
}

func TestParse(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		t.Run("version "+version, func(t *testing.T) {
			r := prepared(t)
			r.Git("update-index", "--force-write-index", "--index-version", version)
			ix, err := Parse(read(t, r), 20)
			if err != nil {
				t.Fatal(err)
			}
			want := list(t, r)
			if diff := cmp.Diff(want.Entries, ix.Entries); diff != "" {
				t.Errorf("git and the parser differ (-git +parser):\n%s", diff)
			}
			for _, e := range ix.Entries {
				if cap(e.Name) == len(e.Name) || e.Name[:len(e.Name)+1][len(e.Name)] != 0 {
					t.Errorf("no NUL behind %q", e.Name)
				}
			}
			if ix.Tree != "" {
				t.Errorf("an index in conflict makes tree %s", ix.Tree)
			}
			if e, ok := ix.Find("a"); !ok || e.Stage != 1 {
				t.Errorf("Find(a) = %+v, %v", e, ok)
			}
			if _, ok := ix.Find("b"); ok {
				t.Error("Find found what is not there")
			}
		})
	}
}

func TestTree(t *testing.T) {
	r := gittest.New(t)
	r.Commit("first", "a", "1", "dir/b", "2")
	r.Git("status") // records the tree
	ix, err := Parse(read(t, r), 20)
	if err != nil {
		t.Fatal(err)
	}
	if want := r.Git("rev-parse", "HEAD^{tree}"); ix.Tree != want {
		t.Errorf("tree %q, want %q", ix.Tree, want)
	}
	r.Write("a", "2")
	r.Git("add", "a")
	if ix, err = Parse(read(t, r), 20); err != nil || ix.Tree != "" {
		t.Errorf("tree %q with something staged, %v", ix.Tree, err)
	}
}

func TestSHA256(t *testing.T) {
	gittest.Isolate()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "--object-format=sha256"}, {"add", "."}} {
		os.WriteFile(dir+"/f", []byte("x"), 0o644)
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %s", args, out)
		}
	}
	buf, err := os.ReadFile(dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Parse(buf, 32)
	if err != nil || len(ix.Entries) != 1 || len(ix.Entries[0].OID) != 32 {
		t.Errorf("%+v, %v", ix, err)
	}
}

func TestElsewhere(t *testing.T) {
	split := gittest.New(t)
	split.Commit("first", "a", "1", "b", "2")
	split.Git("update-index", "--split-index")
	if _, err := Parse(read(t, split), 20); !errors.Is(err, ErrElsewhere) {
		t.Errorf("a split index: %v", err)
	}
	if got := list(t, split); len(got.Entries) != 2 {
		t.Errorf("git lists %d entries of a split index", len(got.Entries))
	}
	sparse := gittest.New(t)
	sparse.Commit("first", "in/a", "1", "out/b", "2")
	sparse.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	if _, err := Parse(read(t, sparse), 20); !errors.Is(err, ErrElsewhere) {
		t.Errorf("a sparse index: %v", err)
	}
	if got := list(t, sparse); len(got.Entries) != 2 || !got.Entries[1].SkipWorktree {
		t.Errorf("git lists %+v of a sparse index", got.Entries)
	}
}

func TestDamaged(t *testing.T) {
	r := prepared(t)
	whole := read(t, r)
	for _, buf := range [][]byte{nil, []byte("DIRC"), []byte("NOPE" + string(whole[4:])), whole[:len(whole)/2], whole[:40]} {
		if ix, err := Parse(buf, 20); err == nil {
			t.Errorf("%d bytes of an index are read as %d entries", len(buf), len(ix.Entries))
		}
	}
}

func FuzzParse(f *testing.F) {
	r := prepared(f)
	for _, version := range []string{"2", "4"} {
		r.Git("update-index", "--force-write-index", "--index-version", version)
		f.Add(read(f, r), false)
	}
	f.Fuzz(func(t *testing.T, buf []byte, long bool) {
		hashLen := 20
		if long {
			hashLen = 32
		}
		if ix, err := Parse(buf, hashLen); err == nil {
			ix.Find("x")
		}
	})
}

func FuzzParseList(f *testing.F) {
	r := prepared(f)
	out, err := r.Repo().Output(f.Context(), git.Options{}, ListArgs()...)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(out)
	f.Fuzz(func(t *testing.T, out []byte) { ParseList(out) })
}

func TestBelow(t *testing.T) {
	ix := &Index{Entries: []Entry{{Name: []byte("a-b")}, {Name: []byte("a/b/c")}, {Name: []byte("ab")}}}
	for prefix, want := range map[string]bool{"a/": true, "a/b/": true, "a/b/c/": false, "ab/": false, "b/": false, "": true} {
		if got := ix.Below(prefix); got != want {
			t.Errorf("%q: %v", prefix, got)
		}
	}
}
