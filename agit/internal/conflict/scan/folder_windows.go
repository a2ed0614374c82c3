package scan

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/git/gitindex"
)

// folder is a directory by its path.
type folder struct{ path string }

// openRoot returns the folder at path; all can be listed here.
func openRoot(path string, _ bool) (folder, error) {
	_, err := os.Stat(path)
	return folder{path}, err
}

// sub returns a folder in f; a link is not one.
func (f folder) sub(name []byte, _ bool) (folder, bool) {
	path := filepath.Join(f.path, string(name))
	return folder{path}, statPath(path).Mode == modeFolder
}

func (f folder) close() {}

// read returns the entries of f.
func (f folder) read() ([]fs.DirEntry, error) { return os.ReadDir(f.path) }

// self describes the folder.
func (f folder) self() Stat { return statPath(f.path) }

// stat describes name in f without following a link.
func (f folder) stat(name []byte) Stat { return statPath(filepath.Join(f.path, string(name))) }

// statPath describes the file at an absolute path without following a link.
func statPath(path string) Stat {
	info, err := os.Lstat(path)
	if err != nil {
		return Stat{}
	}
	s := Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	switch {
	case info.Mode().IsRegular():
		s.Mode = gitindex.ModeFile
	case info.Mode()&fs.ModeSymlink != 0:
		s.Mode = gitindex.ModeSymlink
	case info.IsDir():
		s.Mode, s.Size = modeFolder, 0
	default:
		return Stat{}
	}
	return s
}
