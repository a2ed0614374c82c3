package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostFiles bounds how many files of one client are looked at.
const mostFiles = 200_000

// files lists the files below root that end with ending and whose path below root wanted accepts, down to depth folders. Links are not
// followed. Unreadable files and folders are passed to problem.
func files(client, root string, depth int, ending string, problem func(string, error), wanted func(rel string) bool) (found []Source) {
	var walk func(dir, rel string, left int)
	walk = func(dir, rel string, left int) {
		list, err := os.ReadDir(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				problem(dir, err)
			}
			return
		}
		for _, one := range list {
			at, below := filepath.Join(dir, one.Name()), one.Name()
			if rel != "" {
				below = rel + "/" + below
			}
			switch {
			case one.IsDir() && left > 1:
				walk(at, below, left-1)
			case one.Type().IsRegular() && strings.HasSuffix(below, ending) && wanted(below) && len(found) < mostFiles:
				if info, err := one.Info(); err == nil {
					found = append(found, Source{Client: client, Path: at, Size: info.Size(), Mod: info.ModTime()})
				}
			}
		}
	}
	walk(root, "", depth)
	return found
}
