package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// Tree is git's state of a folder at one moment.
type Tree struct {
	Branch string // "" when HEAD is detached
	Head   string // the commit
	// Changes are the uncommitted paths, each with a value that changes with its state.
	Changes map[string]string
	Busy    string // an unfinished git operation, such as "a rebase"; "" for none
	Locked  string // path of an existing lock on the index; "" for none
}

// LookAt reads the state of a working tree of a repository. It returns an error when the folder's .git leads elsewhere: git is not run
// there.
func LookAt(ctx context.Context, main *git.Repo, dir string) (t Tree, err error) {
	g, err := treeAt(main, dir)
	if err != nil {
		return t, err
	}
	head, err := g.Head(ctx)
	if err != nil {
		return t, err
	}
	t.Branch, t.Head = head.Branch(), head.OID
	entries, err := g.Status(ctx)
	if err != nil {
		return t, git.Fault(err, "read the state of %q", dir)
	}
	t.Changes = make(map[string]string, len(entries))
	for _, e := range entries {
		state := fmt.Sprintf("%c%c%c", e.Kind, e.Index, e.Worktree)
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path))); err == nil {
			state += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
		}
		t.Changes[e.Path] = state
	}
	t.Busy = checkout.Underway(g.GitDir)
	lock := filepath.Join(g.GitDir, "index.lock")
	if _, err := os.Lstat(lock); err == nil {
		t.Locked = lock
	}
	return t, nil
}

// treeAt returns the repository as seen from one of its working trees.
func treeAt(main *git.Repo, dir string) (*git.Repo, error) {
	if checkout.SameFolder(main.WorkTree, dir) {
		return main, nil
	}
	return checkout.Open(main, dir)
}

// AtRest is LookAt of a checkout that landings change: it looks again until the checkout is stable, for some seconds at most.
func AtRest(ctx context.Context, main *git.Repo, dir string) (Tree, error) {
	return untilStill(ctx, main, dir, func(t Tree) bool { return t.Locked == "" && len(t.Changes) == 0 })
}

// Strayed returns the changes in a checkout as clauses, once the checkout is stable.
func Strayed(ctx context.Context, main *git.Repo, dir string, before Tree) ([]string, error) {
	found, err := untilStill(ctx, main, dir, func(t Tree) bool { return len(t.Since(before)) == 0 })
	if err != nil {
		return nil, err
	}
	return found.Beside(before), nil
}

// untilStill looks at a checkout until it is as expected, or twice the same. A landing moves the checkout's branch before its files, under
// the index's lock.
func untilStill(ctx context.Context, main *git.Repo, dir string, expected func(Tree) bool) (Tree, error) {
	found, err := LookAt(ctx, main, dir)
	for wait := 10 * time.Millisecond; err == nil && wait < 5*time.Second && !expected(found); wait *= 2 {
		again, failed := LookAt(ctx, main, dir)
		if failed != nil {
			return again, failed
		}
		still := found.Locked == "" && again.Locked == "" && again.Head == found.Head && maps.Equal(again.Changes, found.Changes)
		found = again
		if still {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return found, err
}

// Beside returns, as clauses, the changes in a tree that a run must not touch: files, lost uncommitted state, and the branch.
func (t Tree) Beside(before Tree) (told []string) {
	if paths := t.Since(before); len(paths) > 0 {
		told = append(told, "has changes that it did not have before the run: "+text.Few(paths))
	}
	if t.Head == before.Head { // otherwise they may have been committed
		gone := slices.DeleteFunc(before.Paths(), func(path string) bool { return t.Changes[path] != "" })
		if len(gone) > 0 {
			told = append(told, "lost changes that were not committed: "+text.Few(gone))
		}
	}
	if t.Branch != before.Branch {
		told = append(told, fmt.Sprintf("was switched from %s to %s during the run", branchNamed(before.Branch), branchNamed(t.Branch)))
	}
	return told
}

func branchNamed(branch string) string {
	if branch == "" {
		return "a detached commit"
	}
	return "branch " + branch
}

// Paths returns the uncommitted paths, sorted.
func (t Tree) Paths() []string {
	return slices.Sorted(maps.Keys(t.Changes))
}

// Since returns the paths whose uncommitted state differs from before.
func (t Tree) Since(before Tree) []string {
	return slices.DeleteFunc(t.Paths(), func(path string) bool { return before.Changes[path] == t.Changes[path] })
}

// Roots returns the folders that git writes to for commits in a working tree.
func Roots(main *git.Repo, dir string) ([]string, error) {
	g, err := treeAt(main, dir)
	if err != nil {
		return nil, err
	}
	if g.Linked() {
		return []string{g.CommonDir, g.GitDir}, nil
	}
	return []string{g.CommonDir}, nil
}

// Verdict is the judgement of a run.
type Verdict struct {
	Good bool   // there is work to land
	Why  string // one sentence: the fault, or a remark
	Dirt bool   // good except for uncommitted changes
}

// Judge decides on a run by how it ended, its client's last report, and the state of its folder before and after. branch is the branch
// that must hold the work.
func Judge(o Outcome, branch string, before, after Tree) Verdict {
	var moved string
	switch {
	case after.Branch == "" && after.Head != before.Head:
		moved = fmt.Sprintf("it left HEAD detached at %.10s, past the branch %s", after.Head, branch)
	case after.Branch != "" && after.Branch != branch:
		moved = fmt.Sprintf("it left the branch %s checked out instead of %s", after.Branch, branch)
	case after.Busy != "":
		moved = fmt.Sprintf("it left %s half done", after.Busy)
	}
	dirty, how := text.Few(after.Paths()), "it ended with exit status 0"
	if o.Spoke {
		how = "it ended its turn"
	}
	switch {
	case o.Ending != Exited || o.Signal != "":
		return Verdict{Why: o.String()}
	case o.Said.Failed != "" && o.Status != 0:
		return Verdict{Why: fmt.Sprintf("%s (exit status %d)", o.Said.Sentence(), o.Status)}
	case o.Status != 0:
		return Verdict{Why: o.String()}
	case o.Said.Sentence() != "":
		return Verdict{Why: o.Said.Sentence()}
	case moved != "":
		return Verdict{Why: moved}
	case after.Head == before.Head && dirty == "":
		return Verdict{Why: how + ", but committed nothing and changed nothing"}
	case after.Head == before.Head:
		return Verdict{Why: how + ", but committed nothing; it left changes in " + dirty, Dirt: true}
	case dirty != "":
		return Verdict{Why: "it committed, but left changes in " + dirty, Dirt: true}
	}
	return Verdict{Good: true}
}

// Reason returns why a run ended, and when a limit is lifted if that is known. The worktree's state does not matter here: a run without
// a fault is Done.
func (o Outcome) Reason(now time.Time) (k ending.Kind, until time.Time) {
	switch {
	case o.Ending == Limited:
		return ending.TimeLimit, until
	case o.Ending == Idled:
		return ending.Silence, until
	case o.Ending != Exited:
		return "", until
	case o.Said.Failed != "":
		k, until = ending.Read(ending.Report{Text: o.Said.Failed, Name: o.Said.Code, Status: o.Said.Status, Until: o.Said.Until}, now)
	case o.Status == 0 && o.Signal == "" && (o.Said.Final || !o.Said.Knows):
		return ending.Done, until
	case o.Status != 0 && !o.Said.Final:
		// A client that fails before its first event, and a program of the user's own, explain the failure in their last lines. Only
		// causes that are independent of the task are accepted there, because a test may print the same words.
		k, until, _ = o.printedCause(now)
	}
	k = cmp.Or(k, ending.Crash)
	return k, until
}

// printedCause searches the last lines of a program for a cause that is independent of the task. line is the one that contains it; "" for
// none.
func (o Outcome) printedCause(now time.Time) (k ending.Kind, until time.Time, line string) {
	for _, line := range slices.Backward(o.Last[max(0, len(o.Last)-believed):]) {
		if k, until = ending.Read(ending.Report{Text: line, Printed: true}, now); k.Blameless() {
			return k, until, strings.TrimSpace(line)
		}
	}
	return "", time.Time{}, ""
}

// believed is how many of a program's last lines are searched for the cause of a failure.
const believed = 3
