package land

import (
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/git"
)

// gitlink is the mode of a submodule in a tree.
const gitlink = "160000"

// submodulesLeft returns the checked-out submodules of a working tree whose commit a landing changes: git updates their files only by a
// command of its own, so that the next commit of all changes there would undo the landing's.
func (f workingTree) submodulesLeft(changes []git.RawChange) (paths []string) {
	if _, err := os.Lstat(filepath.Join(f.Path, ".gitmodules")); err != nil {
		return nil
	}
	for _, c := range changes {
		if c.OldMode != gitlink || c.Mode != gitlink {
			continue
		}
		if _, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(c.Path), ".git")); err == nil {
			paths = append(paths, c.Path)
		}
	}
	return paths
}
