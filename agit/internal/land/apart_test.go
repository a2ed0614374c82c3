package land_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Where the git directory lies apart from the files, the files follow a merge as anywhere else.
func TestFilesFollowWhereTheGitDirectoryIsApart(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	store := filepath.Join(gittest.TempDir(t), "app.git")
	worktreetest.Must(t, os.Rename(filepath.Join(g.Dir, ".git"), store))
	g.Write(".git", "gitdir: "+store+"\n")
	f := worktreetest.Of(t, g, registrytest.Open(t))
	w := f.Worked("x")
	f.Clean()
	f.Merge(w)
	f.Clean()
	if g.Read("new/x") != "x\n" {
		t.Error("the file did not follow")
	}
}
