package assignment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// An agent that begins a task again may find a folder that was deleted, one without its .git file, one in the middle of a rebase, or
// one with submodules.
func TestFoundWorktreesAreTold(t *testing.T) {
	s := newTold(t, map[string]string{"memoryd": `exit 3`})
	s.Set.DefaultBranch = "" // the repository's own
	again := func(title, agent string) string {
		return s.begins(title, assignment.BeginRequest{Repo: "app", Agent: agent, Task: "T-1"})
	}
	at := again("new", "ann")
	worktreetest.Must(t, os.RemoveAll(at))
	at = again("its folder was deleted", "ann")
	s.Main.At(at).Commit("Log in", "login.go", "package x\n", "b.txt", "mine\n")
	worktreetest.Must(t, os.RemoveAll(at))
	at = again("its folder was deleted, and its branch has a commit", "ann")
	forget := func() {
		t.Helper()
		worktreetest.Must(t, os.RemoveAll(at))
		_, err := s.Removals.Cleanup(t.Context(), remove.Cleanup{})
		worktreetest.Must(t, err)
	}
	forget()
	at = again("it was taken off the lists, and its branch has a commit", "ann")
	worktreetest.Must(t, os.RemoveAll(at))
	branch := s.Main.Git("branch", "--list", "--format=%(refname:short)", "agit/*")
	s.Main.Git("worktree", "prune")
	s.Main.Git("checkout", "-q", branch)
	at = again("its folder was deleted, and its branch is checked out", "ann")
	s.Main.Git("checkout", "-q", "main")
	s.Main.At(at).Commit("Log in", "b.txt", "mine\n")
	worktreetest.Must(t, os.Remove(filepath.Join(at, ".git")))
	at = again("its .git file was deleted", "ann")
	s.Main.Commit("theirs", "b.txt", "theirs\n")
	tree := s.Main.At(at)
	tree.Commit("Log in again", "b.txt", "mine\n")
	if _, err := tree.TryGit("rebase", "main"); err == nil {
		t.Error("no conflict")
	}
	_, err := s.store.Tasks.Report(t.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Agent: "ann"}})
	worktreetest.Must(t, err)
	again("another agent, in a rebase", "bob")
	tree.Git("rebase", "--abort")
	tree.Write(".gitmodules", "")
	tree.Write("notes.txt", "a\n")
	again("with submodules", "bob")
	s.compare("found")
	s.Sound()
}

// Work without a task is finished in each way that work with one is; a worktree that was removed is not finished.
func TestWorkWithoutATaskIsTold(t *testing.T) {
	s := newTold(t, map[string]string{"memoryd": `exit 3`})
	for _, c := range []struct {
		title string
		work  bool
		q     assignment.FinishRequest
	}{
		{"landed", true, assignment.FinishRequest{Land: worktree.LandGate, Summary: "Done."}},
		{"shown", true, assignment.FinishRequest{Land: worktree.LandReview, Summary: "Done."}},
		{"kept", true, assignment.FinishRequest{Land: worktree.LandNever}},
		{"failed", true, assignment.FinishRequest{Outcome: assignment.Failed, Summary: "no access"}},
		{"given back", true, assignment.FinishRequest{Outcome: assignment.Released, Summary: "too large"}},
		{"without changes", false, assignment.FinishRequest{Outcome: assignment.NoChanges, Summary: "It works already."}},
		{"without a commit", false, assignment.FinishRequest{}},
	} {
		w := s.Spawn(spawn.Request{Branch: "agit/" + strings.ReplaceAll(c.title, " ", "-")})
		if c.work {
			s.Tree(w).Commit("Work", "new/"+c.title+".go", "package x\n")
		}
		c.q.Worktree = w.Ref
		out, err := s.store.Finish(t.Context(), c.q)
		s.show(c.title, out, err)
		out, err = s.store.Finish(t.Context(), c.q)
		s.show(c.title+", again", out, err)
	}
	gone := s.begin("ann", "T-1")
	_, err := s.Removals.Remove(t.Context(), remove.Request{Repo: "app", Worktree: gone.Worktree.ID, By: "ann"})
	worktreetest.Must(t, err)
	out, err := s.store.Finish(t.Context(), assignment.FinishRequest{Caller: task.Caller{Agent: "ann"}, Worktree: gone.Worktree.ID})
	s.show("removed", out, err)
	s.compare("without-a-task")
}

// A commit of the whole work has each changed file: also one that was renamed in the folder only, what was below a folder that became a
// link, and a new file outside of a sparse checkout.
func TestCommitOfTheWholeWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work func(tree *gittest.Repo)
		want string
	}{
		"a rename in the folder": {func(tree *gittest.Repo) {
			worktreetest.Must(t, os.Rename(tree.Path("a.txt"), tree.Path("moved.txt")))
			tree.Git("add", "-N", "moved.txt")
		}, "R100\ta.txt\tmoved.txt"},
		"a folder that became a link": {func(tree *gittest.Repo) {
			tree.Commit("before", "lib/a", "a\n", "lib/b", "b\n")
			worktreetest.Must(t, os.RemoveAll(tree.Path("lib")))
			worktreetest.Must(t, os.Symlink("src", tree.Path("lib")))
		}, "A\tlib\nD\tlib/a\nD\tlib/b"},
		"a folder that became a file": {func(tree *gittest.Repo) {
			tree.Commit("before", "lib/a", "a\n")
			worktreetest.Must(t, os.RemoveAll(tree.Path("lib")))
			tree.Write("lib", "a file\n")
		}, "A\tlib\nD\tlib/a"},
		"outside of a sparse checkout": {func(tree *gittest.Repo) {
			tree.Git("sparse-checkout", "set", "src")
			tree.Write("lib/new", "new\n")
		}, "A\tlib/new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWay(t)
			tree := w.Main.At(w.begin("ann", "T-1").Worktree.Path)
			c.work(tree)
			out, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Commit, q.Land = true, worktree.LandNever })
			worktreetest.Must(t, err)
			if got := tree.Git("show", "--format=", "--name-status", "-M", out.Committed); got != c.want || tree.Git("status", "--porcelain") != "" {
				t.Errorf("the commit has %q", got)
			}
		})
	}
}

// A file that was staged and then deleted leaves nothing to commit.
func TestCommitOfNothing(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	tree := w.Main.At(w.begin("ann", "T-1").Worktree.Path)
	tree.Write("draft", "one\n")
	tree.Git("add", "draft")
	tree.Remove("draft")
	_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Commit, q.Land = true, worktree.LandNever })
	if err == nil || !strings.Contains(err.Error(), "has no commits, so there is nothing to finish") {
		t.Errorf("%v", err)
	}
}
