package instruct

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/git"
)

// maxMemories bounds the memories of a client that are read.
const maxMemories = 500

// memories lists the memories of this repository that clients keep outside of it. They are only opened for reading; links in the folder are
// not followed.
func (c *Checker) memories() (list []*Source) {
	if len(c.o.Only) > 0 {
		return nil
	}
	for _, client := range slices.Sorted(maps.Keys(c.o.MemoryFolders)) {
		folder := c.o.MemoryFolders[client]
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue // it keeps none
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			list = append(list, &Source{Path: folder, Kind: Memories, Clients: []string{client}, Problem: "the folder cannot be read: " + err.Error(), outside: true})
		}
		for _, e := range entries[:min(len(entries), maxMemories)] {
			if !e.Type().IsRegular() || !strings.EqualFold(filepath.Ext(e.Name()), ".md") {
				continue
			}
			s := &Source{Path: filepath.Join(folder, e.Name()), Kind: Memories, Clients: []string{client}, outside: true}
			if s.text, err = memoryfile.Read(root, e.Name()); err != nil {
				s.Problem = unreadable(err)
			}
			list = append(list, s)
		}
		root.Close()
	}
	return list
}

// MainFolder is the folder by which clients know the repository of root. For a linked worktree it is the main worktree's, whose memories it
// shares.
func MainFolder(root string) string {
	repo, err := git.Find(root)
	if err != nil {
		return root
	}
	return cmp.Or(repo.MainFolder(), root)
}
