package linkgraph

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/library"
)

// outside reports whether a link that names no memory leads to another file of the project: that is not a broken link.
func outside(id, target string, lib *library.Library) bool {
	if !strings.HasSuffix(strings.ToLower(target), ".md") {
		return false
	}
	target = strings.ReplaceAll(target, `\`, "/")
	file := lib.File(library.Entry{Name: id + ".md"})
	for _, p := range []string{path.Join(path.Dir(file), target), path.Clean(strings.TrimPrefix(target, "/"))} {
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(lib.Root, filepath.FromSlash(p))); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
