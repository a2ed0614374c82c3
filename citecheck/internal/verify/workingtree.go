package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// workingTree is the files on disk below top.
type workingTree struct {
	top   string // real path
	root  *os.Root
	repo  *git.Repo // nil without git
	index func(context.Context) (*indexTree, error)

	mu   sync.Mutex
	dirs map[string]dirKind
}

// dirKind is the kind of a folder on the way to a file.
type dirKind int

const (
	plain  dirKind = iota + 1
	linked         // it or a folder above it is a symbolic link, or cannot be looked at
	nested         // it or a folder above it is a repository of its own
)

func newWorkingTree(top string, repo *git.Repo, index func(context.Context) (*indexTree, error)) (*workingTree, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	return &workingTree{top: top, root: root, repo: repo, index: index, dirs: map[string]dirKind{".": plain}}, nil
}

func (w *workingTree) dir(p string) dirKind {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirLocked(p)
}

func (w *workingTree) dirLocked(p string) dirKind {
	if kind, ok := w.dirs[p]; ok {
		return kind
	}
	kind := w.dirLocked(path.Dir(p))
	if kind == plain {
		info, err := w.root.Lstat(filepath.FromSlash(p))
		switch {
		case err != nil || !info.IsDir():
			kind = linked
		case w.repo != nil:
			if _, err := w.root.Lstat(filepath.Join(filepath.FromSlash(p), ".git")); err == nil {
				kind = nested
			}
		}
	}
	w.dirs[p] = kind
	return kind
}

const submodule = "lies in a submodule or another repository"

func (w *workingTree) read(ctx context.Context, p string) (content, error) {
	if p == "." {
		return content{is: folder}, nil
	}
	kind := w.dir(path.Dir(p))
	if kind == nested {
		return content{is: unreadable, why: submodule}, nil
	}
	name := filepath.FromSlash(p)
	info, err := w.root.Lstat(name)
	if kind == linked || err == nil && info.Mode()&fs.ModeSymlink != 0 {
		inside, c := w.resolve(name)
		if inside == "" {
			if c.is == absent {
				return w.missing(ctx, p)
			}
			return c, nil
		}
		name = inside
		info, err = w.root.Lstat(name)
	}
	if err != nil {
		if absence(err) {
			return w.missing(ctx, p)
		}
		return content{is: unreadable, why: "cannot be read: " + fault.Cause(err).Error()}, nil
	}
	switch {
	case info.IsDir():
		return content{is: folder}, nil
	case !info.Mode().IsRegular():
		return content{is: unreadable, why: "is not an ordinary file"}, nil
	case info.Size() > maxFile:
		return content{is: unreadable, why: fmt.Sprintf("is larger than %d MB", maxFile>>20)}, nil
	}
	return w.open(name, info.Size())
}

// resolve follows the symbolic links in name and returns the file's own name, or
// why it must not or cannot be read.
func (w *workingTree) resolve(name string) (string, content) {
	leaves := content{is: escaping, why: "a symbolic link on the way leaves the repository"}
	target, err := filepath.EvalSymlinks(filepath.Join(w.top, name))
	if err != nil {
		// A link to nowhere is absent, unless it points outside.
		if _, err := w.root.Stat(name); absence(err) {
			return "", content{is: absent}
		}
		return "", leaves
	}
	inside, err := filepath.Rel(w.top, target)
	if err != nil || !within(w.top, target) {
		return "", leaves
	}
	for part := range strings.SplitSeq(filepath.ToSlash(inside), "/") {
		if gitFolder(part) {
			return "", content{is: escaping, why: "a symbolic link leads into git's own folder"}
		}
	}
	if w.dir(path.Dir(filepath.ToSlash(inside))) == nested {
		return "", content{is: unreadable, why: submodule}
	}
	return inside, content{}
}

func (w *workingTree) open(name string, size int64) (content, error) {
	// If the file has since become a pipe, opening it must not block.
	file, err := w.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		if absence(err) {
			return content{is: absent}, nil
		}
		return content{is: unreadable, why: "cannot be read: " + fault.Cause(err).Error()}, nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return content{is: unreadable, why: "is not an ordinary file"}, nil
	}
	data := make([]byte, 0, size+1)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return content{data: data}, nil
		case err != nil:
			return content{is: unreadable, why: "cannot be read: " + fault.Cause(err).Error()}, nil
		case len(data) > maxFile:
			return content{is: unreadable, why: fmt.Sprintf("is larger than %d MB", maxFile>>20)}, nil
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// missing looks in the index for files that are not on disk: a sparse checkout leaves files out, and a submodule may not be checked out.
func (w *workingTree) missing(ctx context.Context, p string) (content, error) {
	if w.repo == nil {
		return content{is: absent}, nil
	}
	index, err := w.index(ctx)
	if err != nil {
		return content{is: absent}, ctx.Err()
	}
	return index.skipped(ctx, p)
}

func (w *workingTree) files(ctx context.Context) ([]string, error) {
	if w.repo != nil {
		out, err := w.repo.Output(ctx, git.Options{}, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
		if err == nil {
			return git.Records(out), nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return w.walk(ctx)
}

// walk lists the files on disk, without git's own folder and the folders that package managers fill.
func (w *workingTree) walk(ctx context.Context) ([]string, error) {
	var files []string
	err := fs.WalkDir(w.root.FS(), ".", func(p string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() && (gitFolder(entry.Name()) || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.Type().IsRegular():
			files = append(files, p)
		}
		if len(files) == maxListed {
			return fs.SkipAll
		}
		return nil
	})
	return files, err
}

// absence reports whether err means that there is no such file.
func absence(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EINVAL)
}
