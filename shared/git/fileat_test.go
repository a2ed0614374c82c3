package git_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestFilesOfACommit(t *testing.T) {
	r := gittest.New(t)
	r.Write("deep/f", "deep")
	r.Write("empty", "")
	for name, to := range map[string]string{"link": "deep/f", "deep/up": "../plain", "twice": "link", "out": "../plain", "root": "/etc/passwd", "round": "round", "lost": "no/such", "tofolder": "deep"} {
		if err := os.Symlink(to, r.Path(name)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	first := r.Commit("first", "plain", "one")
	r.Commit("second", "plain", "two")
	names := []string{"plain", "deep/f", "empty", "link", "deep/up", "twice", "out", "root", "round", "lost", "tofolder", "none", "*"}
	files := r.Repo().Committed(first, names...)
	want := map[string]string{"plain": "one", "deep/f": "deep", "empty": "", "link": "deep", "deep/up": "one", "twice": "deep",
		"out": "leads out", "root": "leads out", "round": "leads out", "lost": "none", "tofolder": "leads out", "deep": "leads out", "none": "none", "*": "none"}
	read := func(content []byte, err error) string {
		switch {
		case errors.Is(err, git.ErrLeadsOut):
			return "leads out"
		case err != nil:
			return err.Error()
		case content == nil:
			return "none"
		}
		return string(content)
	}
	for range 2 {
		for _, name := range append(names, "deep") { // a name that was not given ahead is found too
			if got := read(files.File(t.Context(), name)); got != want[name] {
				t.Errorf("%s is %q, not %q", name, got, want[name])
			}
		}
	}
	for _, name := range []string{"plain", "link", "deep", "none"} {
		if got := read(git.FileAt(t.Context(), r.Repo(), first, name)); got != want[name] {
			t.Errorf("alone, %s is %q, not %q", name, got, want[name])
		}
	}
	if got := read(git.FileAt(t.Context(), r.Repo(), "refs/heads/main", "plain")); got != "two" {
		t.Errorf("on the branch it is %q", got)
	}
	unknown := r.Repo().Committed(strings.Repeat("1", 40), "plain")
	for range 2 {
		if content, err := unknown.File(t.Context(), "plain"); err == nil {
			t.Errorf("a commit that does not exist has %q", content)
		}
	}
}

func TestFilesOfACommitAreListedOnce(t *testing.T) {
	r := gittest.New(t)
	commit := r.Commit("first", "a", "1", "b", "2")
	files := r.Repo().Committed(commit, "a", "b", "c")
	for range 2 { // the second round needs no repository
		for name, want := range map[string]string{"a": "1", "b": "2", "c": ""} {
			if got, err := files.File(t.Context(), name); string(got) != want || err != nil {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		if err := os.RemoveAll(r.Dir); err != nil {
			t.Fatal(err)
		}
	}
}
