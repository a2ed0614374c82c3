package land

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A submodule that a landing changes is named where it is checked out: not one that is empty, new, or as it was.
func TestSubmodulesLeft(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	first := r.Commit("one", "a", "1\n")
	second := r.Commit("two", "a", "2\n")
	link := func(at string, paths ...string) string {
		for _, p := range paths {
			r.Git("update-index", "--add", "--cacheinfo", gitlink+","+at+","+p)
		}
		r.Git("commit", "-q", "-m", "links")
		return r.Git("rev-parse", "HEAD")
	}
	r.Commit("modules", ".gitmodules", "")
	old := link(first, "sub", "empty", "same")
	link(second, "sub", "empty")
	now := link(first, "new")
	for _, name := range []string{"sub", "same", "new"} {
		if err := os.MkdirAll(filepath.Join(r.Dir, name, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree := workingTree{Path: r.Dir}
	changes, err := diffTree(t.Context(), r.Repo(), git.Options{}, old, now)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tree.submodulesLeft(changes), " "); got != "sub" {
		t.Errorf("left: %q", got)
	}
	if err := os.Remove(filepath.Join(r.Dir, ".gitmodules")); err != nil {
		t.Fatal(err)
	}
	if got := tree.submodulesLeft(changes); got != nil {
		t.Errorf("without .gitmodules: %q", got)
	}
}
