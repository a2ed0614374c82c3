package land

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// diffTree lists the files that differ between two commits.
func diffTree(ctx context.Context, g *git.Repo, o git.Options, from, to string) ([]git.RawChange, error) {
	out, err := g.Output(ctx, o, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
	if err != nil {
		return nil, git.Fault(err, "compare %s with %s", from, to)
	}
	changes, err := git.ParseRawChanges(out)
	if err != nil {
		return nil, fault.Operation(err, "compare %s with %s", from, to)
	}
	return changes, nil
}

// untouchable returns what is in the place of files that the merge would add: the commit before has nothing there, so git has no copy of
// it. Ignored files count, which git itself would overwrite.
func (f workingTree) untouchable(changes []git.RawChange) []string {
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
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
		if c.Status != 'A' {
			continue
		}
		if parent := f.blockedParent(c.Path, changed); parent != "" {
			note(parent)
			continue
		}
		at := filepath.Join(f.Path, filepath.FromSlash(c.Path))
		info, err := os.Lstat(at)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			note(c.Path)
			continue
		}
		if c.Mode == gitlink {
			continue // a submodule's folder may exist, and stays as it is
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

// missing reports whether a file that the merge changes is absent: deleted, or outside a sparse checkout.
func (f workingTree) missing(changes []git.RawChange) bool {
	return slices.ContainsFunc(changes, func(c git.RawChange) bool {
		_, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(c.Path)))
		return c.Status != 'A' && durable.Missing(err)
	})
}

// blockedParent returns the folder of a path that is a file or link git does not
// track, "" when there is none.
func (f workingTree) blockedParent(path string, changed map[string]bool) string {
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

// dirty returns the changed paths that have local changes, and all paths in conflict. Files that git does not look at (skip-worktree,
// assume-unchanged) count too.
func (f workingTree) dirty(ctx context.Context, tree *git.Repo, changes []git.RawChange) ([]string, error) {
	entries, err := tree.Status(ctx, "--no-renames")
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
	}
	var found []string
	for _, e := range entries {
		if changed[e.Path] || e.Kind == git.Unmerged {
			found = append(found, e.Path)
		}
	}
	hidden, err := checkout.HiddenEdits(ctx, tree, func(path string) bool { return changed[path] })
	for _, path := range hidden {
		if !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found, err
}
