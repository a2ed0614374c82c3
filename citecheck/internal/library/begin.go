package library

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// First is the first memory of a project.
type First struct {
	Memory string // its id, such as testing/foo
	Cites  string // the file that it is to cite, with or without a line: Begin fails when it does not exist
}

// Begin makes the folder of memories of the project that contains from, with a first memory that has only a heading. It never writes
// outside the project, whatever links a clone contains. An existing memory of that name stays as it is.
func Begin(from string, first First) error {
	top := RootOf(from)
	cites := first.Cites
	if file, _, _, ok := memoryfile.SplitPlace(cites); ok && !exists(from, cites) && !exists(top, cites) {
		cites = file
	}
	if !exists(from, cites) && !exists(top, cites) {
		return fault.NotFound("file", cites).WithHint("give a path from the repository's root, or from the current folder")
	}
	name := strings.TrimSuffix(first.Memory, ".md") + ".md"
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.HasPrefix(path.Base(name), ".") || strings.ContainsAny(name, "\\\x00\n") {
		return fault.Validation("memory", "%q is not the name of a memory", first.Memory).WithHint("write it like testing/foo")
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return folderFault(err, top)
	}
	defer root.Close()
	at := path.Join(Usual, name)
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(at)), 0o755); err != nil {
		return fault.Operation(err, "make the folder %s in %q", path.Dir(at), top)
	}
	if _, err := root.Lstat(filepath.FromSlash(at)); err == nil {
		return nil
	}
	file, err := durable.CreateIn(root, filepath.FromSlash(at), 0o644) // whole or not at all: a full disk leaves no empty memory
	if err == nil {
		defer file.Close()
		if _, err = file.WriteString("# " + text.FirstLine(strings.TrimSuffix(path.Base(name), ".md"), 200) + "\n"); err == nil {
			err = file.CommitNew()
		}
	}
	if err != nil && !os.IsExist(err) {
		return fault.Operation(err, "write %s in %q", at, top)
	}
	return nil
}

func exists(folder, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, filepath.FromSlash(name))
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeType&^fs.ModeDir == 0
}
