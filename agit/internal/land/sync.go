package land

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
)

// syncMerged makes a merge survive a power cut: the branch, and the files that followed it.
func (m *merging) syncMerged(ctx context.Context) error {
	paths := m.g.RefFiles(m.j.Target)
	for _, t := range m.j.Trees {
		paths = append(append(paths, t.repo(m.g).RefFiles(m.j.Target)...), t.files(m.changes)...)
	}
	return m.Trees.Sync(ctx, m.w, paths)
}

// files returns the files that following a merge writes in a working tree, and its folders.
func (f workingTree) files(changes []git.RawChange) (paths []string) {
	paths = append(paths, f.GitDir, filepath.Join(f.GitDir, "index"))
	seen := map[string]bool{}
	for _, c := range changes {
		at := filepath.Join(f.Path, filepath.FromSlash(c.Path))
		paths = append(paths, at)
		for _, folder := range durable.Above(f.Path, at) {
			if seen[folder] {
				break
			}
			seen[folder] = true
			paths = append(paths, folder)
		}
	}
	return paths
}
