package checkout

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// A worktree lacks the folder of the hooks where the main checkout has it and git does not track it; not where neither has one, or where it is
// outside of both.
func TestLackingHooks(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	tree := t.TempDir()
	lacks := func(want, when string) {
		t.Helper()
		if got := LackingHooks(g.Repo(), tree); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	lacks("", "without a setting")
	g.Git("config", "core.hooksPath", ".husky/_")
	lacks("", "where neither has it")
	g.Write(".husky/_/h", "")
	lacks(".husky/_", "where the main checkout alone has it")
	if err := os.MkdirAll(filepath.Join(tree, ".husky", "_"), 0o755); err != nil {
		t.Fatal(err)
	}
	lacks("", "once both have it")
	g.Git("config", "core.hooksPath", t.TempDir())
	lacks("", "outside of both")
}
