package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// treeChange is one path that differs between two commits.
type treeChange struct {
	status    byte
	mode, oid string // after; zeros when deleted
	path      string
}

func diffTree(ctx context.Context, g *git.Repo, from, to string) ([]treeChange, error) {
	out, err := g.Output(ctx, git.Options{}, "diff-tree", "-r", "-z", "--raw", "--no-renames", from, to)
	if err != nil {
		return nil, git.Fault(err, "compare %s with %s", from, to)
	}
	var changes []treeChange
	records := git.Records(out)
	for i := 0; i+1 < len(records); i += 2 {
		fields := strings.Fields(records[i]) // :oldmode newmode oldoid newoid status
		if len(fields) != 5 || len(fields[4]) == 0 {
			return nil, fault.Operation(nil, "git diff-tree printed %.100q", records[i])
		}
		changes = append(changes, treeChange{status: fields[4][0], mode: fields[1], oid: fields[3], path: records[i+1]})
	}
	return changes, nil
}

// untouchable returns what is in the place of files that the merge would add:
// nothing there is in the commit before, so git has no copy of it. Ignored
// files count, which git itself would overwrite.
func (f filesOf) untouchable(changes []treeChange) []string {
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.path] = true
	}
	var found []string
	seen := map[string]bool{}
	note := func(path string) {
		if !seen[path] {
			seen[path] = true
			found = append(found, path)
		}
	}
	for _, c := range changes {
		if c.status != 'A' {
			continue
		}
		if parent := f.blockedParent(c.path, changed); parent != "" {
			note(parent)
			continue
		}
		at := filepath.Join(f.Path, filepath.FromSlash(c.path))
		info, err := os.Lstat(at)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			note(c.path)
			continue
		}
		if c.mode == "160000" {
			continue // a submodule's folder may be there, and stays as it is
		}
		_ = filepath.WalkDir(at, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				if rel, err := filepath.Rel(f.Path, path); err == nil && !changed[filepath.ToSlash(rel)] {
					note(filepath.ToSlash(rel))
				}
			}
			return nil
		})
	}
	return found
}

// missing reports whether a file that the merge changes is not there: deleted,
// or outside a sparse checkout.
func (f filesOf) missing(changes []treeChange) bool {
	return slices.ContainsFunc(changes, func(c treeChange) bool {
		_, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(c.path)))
		return c.status != 'A' && errors.Is(err, fs.ErrNotExist)
	})
}

// blockedParent returns the folder of a path that is a file or link git does not
// track, "" when there is none.
func (f filesOf) blockedParent(path string, changed map[string]bool) string {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(path[:i])))
		if err != nil {
			return ""
		}
		if !info.IsDir() && !changed[path[:i]] {
			return path[:i]
		}
	}
	return ""
}

// dirty returns the changed paths that have local changes, and everything in
// conflict.
func (f filesOf) dirty(ctx context.Context, tree *git.Repo, changes []treeChange) ([]string, error) {
	out, err := tree.Output(ctx, git.Options{}, git.StatusArgs("--no-renames")...)
	if err != nil {
		return nil, err
	}
	entries, err := git.ParseStatus(out)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.path] = true
	}
	var found []string
	for _, e := range entries {
		if changed[e.Path] || e.Kind == git.Unmerged {
			found = append(found, e.Path)
		}
	}
	return found, nil
}
