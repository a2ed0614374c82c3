package conflict

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// The states of worktrees are commits with all content, even of large files, and the repository does not have them.
func TestStates(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Commit("one", "f", tenLines, "gone", "x\n")
	s := newShop(t, main, 3)
	large := bytes.Repeat([]byte("0123456789abcde\n"), largeForTest/16)
	s.trees[0].Write("large", string(large))
	s.trees[0].Remove("gone")
	head := s.trees[1].Commit("two", "f", edit(3))
	got, err := s.store.States(t.Context(), s.repoID)
	if err != nil {
		t.Fatal(err)
	}
	objects := got.Objects()
	if len(got.List) != 4 || len(got.Skipped) > 0 || got.Target != main.Head() { // with the main checkout
		t.Fatalf("%+v", got)
	}
	dirty, committed, same := got.List[0], got.List[1], got.List[2]
	slices.Sort(dirty.Files)
	if !slices.Equal(dirty.Files, []string{"gone", "large"}) || dirty.Uncommitted != 2 || dirty.Head != main.Head() || dirty.Commit == dirty.Head {
		t.Errorf("%+v", dirty)
	}
	if committed.Commit != head || committed.Head != head || committed.Uncommitted != 0 || !slices.Equal(committed.Files, []string{"f"}) {
		t.Errorf("%+v", committed)
	}
	if same.Commit != main.Head() || len(same.Files) > 0 {
		t.Errorf("%+v", same)
	}
	content, err := main.Repo().Output(t.Context(), got.Git, "cat-file", "blob", dirty.Commit+":large")
	if err != nil || !bytes.Equal(content, large) {
		t.Errorf("the large file has %d bytes: %v", len(content), err)
	}
	if _, err := main.TryGit("cat-file", "-e", dirty.Commit); err == nil {
		t.Error("the repository has the commit of what is not committed")
	}
	got.Close()
	if _, err := os.Stat(objects); !os.IsNotExist(err) {
		t.Errorf("the store is still there: %v", err)
	}
}

// largeForTest is larger than the size from which a scan does not copy new files.
const largeForTest = 2 << 20
