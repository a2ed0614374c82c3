package planfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// marks are the files that show that a tracker keeps a plan in a folder.
var marks = map[string][]string{
	"beads":      {".beads/issues.jsonl", ".beads/beads.jsonl"},
	"td":         {".todos"},
	"backlog":    {"backlog/tasks/*.md"},
	"taskmaster": {".taskmaster/tasks/tasks.json"},
}

// Present returns the trackers that keep a plan in a folder, in the order of Names. It reads no plan.
func Present(folder string) (found []string) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, name := range Names {
		for _, pattern := range marks[name] {
			if at, err := fs.Glob(root.FS(), filepath.ToSlash(pattern)); err == nil && len(at) > 0 {
				found = append(found, name)
				break
			}
		}
	}
	return found
}
