package conflict

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Uncommitted files are those that differ from HEAD, also where they are as in the default branch again.
func TestUncommitted(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Commit("one", "f", tenLines, "moved", tenLines+"moved\n", "copied", tenLines+"copied\n", "kept", "x\n")
	s := newShop(t, main, 4)
	for _, tree := range s.trees[:2] {
		tree.Commit("two", "f", edit(3), "new", "n\n", "copy", tenLines+"copied\n")
	}
	back := s.trees[0]
	back.Write("f", tenLines)
	back.Remove("new")
	back.Remove("copied") // its copy is committed
	back.Git("mv", "moved", "elsewhere")
	main.Git("switch", "-q", "-c", "mine")
	main.Commit("mine", "f", edit(5))
	main.Write("f", tenLines)
	merging := s.trees[2]
	merging.Commit("ours", "f", edit(3))
	s.trees[3].Commit("theirs", "f", edit(4), "kept", "theirs\n")
	main.Git("branch", "-f", "main", s.trees[3].Head())
	if _, err := merging.TryGit("merge", "main"); err == nil {
		t.Fatal("no conflict")
	}
	got := map[string]int{}
	for _, touched := range s.report(Options{Depth: DepthMerge}).Touched {
		got[touched.Worktree.Branch] = touched.Uncommitted
	}
	if diff := cmp.Diff(map[string]int{"w0": 4, "w1": 0, "w2": 2, "w3": 0, "mine": 1}, got); diff != "" {
		t.Error(diff)
	}
}
