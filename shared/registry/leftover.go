package registry

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// copyFolder begins the names of the folders in which registries that are merged in
// are brought to this schema.
const copyFolder = "merge-"

// abandonedAfter is the age at which a copy that is being made is taken for one that
// a killed process left: making one takes seconds.
const abandonedAfter = time.Hour

func (db *sqliteEngine) Leftovers() []string { return leftovers(filepath.Dir(db.path)) }

func leftovers(folder string) (paths []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !(e.IsDir() && strings.HasPrefix(e.Name(), copyFolder)) && !(e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".part")) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// sweep removes what leftovers lists.
func sweep(folder string) {
	for _, path := range leftovers(folder) {
		_ = os.RemoveAll(path) // the next one tries again
	}
}
