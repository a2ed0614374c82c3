package seen

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// find looks for the folder of a worktree that is not where git expects it: a folder whose .git leads to the entry, beside the old place,
// above it, or beside the main checkout. It notes the new place, but git's entry stays as it is.
func (t *Tree) find(entry, main string) {
	around := []string{filepath.Dir(t.Path), filepath.Dir(filepath.Dir(t.Path)), main, filepath.Dir(main)}
	slices.Sort(around)
	for _, dir := range slices.Compact(around) {
		list, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, one := range list {
			at := filepath.Join(dir, one.Name())
			if checkout.EntryOf(at) != filepath.Base(entry) {
				continue
			}
			if leads, err := git.ReadGitFile(filepath.Join(at, ".git")); err == nil && checkout.SameFolder(leads, entry) {
				t.MovedFrom, t.Path, t.Prunable = t.Path, at, false
				return
			}
		}
	}
}
