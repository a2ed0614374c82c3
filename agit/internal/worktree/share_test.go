package worktree_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// The branches of worktrees, and nothing else, are shared where a repository has a remote and is configured to; a spawn shares them too.
func TestShare(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	bare := gittest.NewBare(t)
	f.Main.Git("remote", "add", "origin", bare.Dir)
	f.Main.Git("push", "--quiet", "origin", "main")
	f.Main.Git("branch", "mine")
	shared := func() string {
		t.Helper()
		worktreetest.Must(t, f.Worktrees.Share(t.Context(), f.Repo))
		return strings.ReplaceAll(bare.Git("for-each-ref", "--format=%(refname)", "refs/agit"), "refs/agit/"+registry.Host()+"/", "")
	}
	spawned := func(branch string) {
		t.Helper()
		_, err := f.Spawns.Spawn(t.Context(), spawn.Request{Repo: "app", Branch: branch})
		worktreetest.Must(t, err)
	}
	spawned("one")
	if got := shared(); got != "" {
		t.Errorf("shared without being asked to: %q", got)
	}
	f.Set.Share = true
	if got := shared(); got != "" {
		t.Errorf("shared without a remote: %q", got)
	}
	f.Set.Remote = "origin"
	if got := shared(); got != "one" {
		t.Errorf("shared %q", got)
	}
	spawned("two")
	if got := bare.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/agit"); got != "one" {
		t.Errorf("a spawn shared %q: its own branch has no work yet", got)
	}
	f.Set.Remote = "elsewhere" // which causes a notice, but no error
	worktreetest.Must(t, f.Worktrees.Share(t.Context(), f.Repo))
}
