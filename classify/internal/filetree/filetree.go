// Package filetree lists a project's own files: those that git would list, tracked or not, without ignored, vendored or generated ones. It
// determines the role of each (source, test, sample, documentation, asset).
//
// It starts no process, executes nothing and never leaves the folder: it does not follow symbolic links while walking, and reads through
// one only inside the folder. An error does not end the walk: Problems lists the parts that cannot be read. A Tree is safe for concurrent
// reading once Walk returned it.
package filetree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Limits that keep a hostile folder from costing more than a moment.
const (
	MaxFile  = 1 << 20 // bytes of a file that is read
	MaxFiles = 200_000 // files listed
	// maxFolders bounds the folders walked, since a hostile tree may have many without a single file.
	maxFolders = 200_000
	maxDepth   = 64 // nested folders
)

// Role is the part that a file plays.
type Role uint8

// The roles. A file has the strongest of the roles of its folders and name.
const (
	Source Role = iota
	Asset       // a web page's own scripts and styles beside another language
	Test
	Sample // examples, demos, fixtures
	Docs
	Config // build scripts, tool configuration
)

// File is one of the project's own files.
type File struct {
	Path string // relative to the folder, with slashes
	Size int64
	Role Role
	Link bool // a symbolic link; never counted, only read by name
	// Language is the language set in .gitattributes; "" without one.
	Language string
	// Undetectable means that .gitattributes excludes it from the languages.
	Undetectable bool
}

// Tree is a folder that was scanned.
type Tree struct {
	Dir   string // real path
	Files []File // sorted by folder as walked, each folder's files before its folders
	// Cut means that there were more than MaxFiles files.
	Cut      bool
	Problems []string

	root *os.Root
	has  map[string]bool
}

// Walk lists the files of dir. It returns an error only for a folder that cannot be read at all, or when the context ended.
func Walk(ctx context.Context, dir string) (*Tree, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	if !info.IsDir() {
		return nil, fault.Validation("path", "%q is not a folder", dir).WithHint("name the folder that holds it")
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	t := &Tree{Dir: real, root: root, has: map[string]bool{}}
	w := walker{ctx: ctx, tree: t, left: maxSteps}
	w.above(real)
	if err := w.folder("", 0, folderRole{}, false); err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

func unreadable(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.NotFound("folder", dir).WithHint("name a folder that exists")
	}
	return fault.Validation("path", "folder %q cannot be read: %v", dir, err).WithHint("name a folder that can be read")
}

// Close releases the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Note adds a file at the root that was written after the walk.
func (t *Tree) Note(name string) {
	if !t.has[name] {
		t.has[name] = true
		t.Files = append(t.Files, File{Path: name})
	}
}

// Has reports whether a file was listed.
func (t *Tree) Has(path string) bool { return t.has[path] }

var errNoFile = errors.New("it is not a regular file")

// ReadFile returns a file of the folder, even one that was not listed. It refuses files outside, files that are not regular, and more than
// MaxFile bytes.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	data, whole, err := t.read(path, MaxFile)
	if err == nil && !whole {
		return nil, fmt.Errorf("it is larger than %d kB", MaxFile>>10)
	}
	return data, err
}

// Head returns at most n bytes of a file's beginning.
func (t *Tree) Head(path string, n int64) ([]byte, error) {
	data, _, err := t.read(path, n)
	return data, err
}

// Tail returns at most n bytes of a file's end.
func (t *Tree) Tail(path string, n int64) ([]byte, error) {
	f, info, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-n), n))
	if err != nil {
		return nil, fault.Cause(err)
	}
	return data, nil
}

// open opens a regular file of the folder.
func (t *Tree) open(path string) (*os.File, fs.FileInfo, error) {
	name := filepath.FromSlash(path)
	info, err := t.root.Stat(name)
	if err != nil {
		return nil, nil, fault.Cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	// If a pipe has since taken the file's place, opening it must not block.
	f, err := t.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fault.Cause(err)
	}
	return f, info, nil
}

func (t *Tree) read(path string, most int64) (data []byte, whole bool, err error) {
	f, info, err := t.open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	buf := make([]byte, min(info.Size(), most)+1)
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false, fault.Cause(err)
	}
	if int64(n) > most {
		return buf[:most], false, nil
	}
	return buf[:n], int64(n) <= info.Size() || info.Size() == 0, nil
}

// repository is the top of the ignore rules for the folder, nil without git.
func repository(dir string) *git.Repo {
	repo, err := git.Find(dir)
	if err != nil || repo.Bare || repo.WorkTree == "" {
		return nil
	}
	return repo
}

// FS returns the folder as a file system that cannot lead out of it.
func (t *Tree) FS() fs.FS { return t.root.FS() }
