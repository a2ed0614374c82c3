package worker

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

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
