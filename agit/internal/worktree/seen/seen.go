// Package seen finds the working trees of a repository that agit did not make: those that git lists because a person, git or an
// agent's client made them, and the main checkout. It changes nothing and keeps nothing: a tree is seen while git has an entry of
// it and its folder exists. maker.go tells who made one.
//
// It reads files of the git directory alone, unless refs are kept in a format of their own. All of it can be called by several
// processes at once.
package seen

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// Tree is a working tree that agit did not make.
type Tree struct {
	// Name is what people type for it: git's name of the worktree, for the main checkout that of its folder. No two
	// trees of a repository have the same.
	Name   string `json:"worktree_id"`
	Path   string `json:"path"`
	Branch string `json:"branch"`          // short; empty where HEAD is detached
	Head   string `json:"head,omitempty"`  // its commit; empty before the first one
	Main   bool   `json:"main,omitempty"`  // the main checkout
	Maker  Maker  `json:"maker,omitempty"` // empty for the main checkout
	// Locked is the reason why git keeps the worktree from being pruned, or a word for none.
	Locked string `json:"locked,omitempty"`
}

// List returns the trees of a repository but those in the known folders, which agit made: the main checkout first, then by name.
// A tree whose folder does not exist is left out, and so is what lies in the git directory itself, where landings are tested.
func List(ctx context.Context, g *git.Repo, known []string) ([]Tree, error) {
	all, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]bool, len(known))
	for _, path := range known {
		mine[filepath.Clean(path)] = true
	}
	var trees []Tree
	for _, w := range all {
		if w.Bare || w.Prunable != "" || mine[filepath.Clean(w.Path)] || inside(w.Path, g.CommonDir) {
			continue
		}
		if info, err := os.Stat(w.Path); err != nil || !info.IsDir() {
			continue
		}
		if slices.ContainsFunc(known, func(path string) bool { return checkout.SameFolder(path, w.Path) }) { // by another name of it
			continue
		}
		t := Tree{Name: w.Name, Path: w.Path, Branch: strings.TrimPrefix(w.Branch, "refs/heads/"), Head: w.Head, Main: w.Name == ""}
		if w.Locked {
			t.Locked = cmp.Or(w.LockReason, "without a reason")
		}
		if !t.Main {
			t.Maker = makerOf(w, filepath.Join(g.CommonDir, "worktrees", w.Name))
		}
		trees = append(trees, t)
	}
	if len(trees) > 0 && trees[0].Main {
		trees[0].Name = mainName(trees[0].Path, trees[1:])
	}
	return trees, nil
}

// mainName names the main checkout for its folder, and apart from the linked ones.
func mainName(path string, linked []Tree) string {
	name := filepath.Base(path)
	for slices.ContainsFunc(linked, func(t Tree) bool { return strings.EqualFold(t.Name, name) }) {
		name += "-main"
	}
	return name
}

// inside reports whether path lies in dir.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Label is what stands in parentheses behind a name: who made it, or that it is the main checkout.
func (t Tree) Label() string {
	if t.Main {
		return "main checkout"
	}
	return string(t.Maker)
}
