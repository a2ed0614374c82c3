// Package durable writes files and folders that survive a power cut, whole. It is about files only: no git, no registry,
// no policy.
//
// A file's content reaches the disk by syncing the file, its name by syncing its folder, and a new folder's name by
// syncing that folder's parent. A function that returns without an error has done all of that. Everything here is safe for
// concurrent use, even by several processes; a File serves one goroutine.
package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// File is a new file that is being written: it is written beside its place and moved there in one step. Until Commit the place is
// unchanged.
type File struct {
	*os.File
	root *os.Root // the folder it stands in
	own  bool     // root was opened here
	temp string   // both relative to root
	name string
	mode fs.FileMode
	done bool
}

// WriteFile puts a file with the given content and exactly this mode in path's
// place, in one step. A symbolic link at path is replaced, not followed. A file
// that root replaces keeps its owner.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	f, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// WriteFileIn is WriteFile for a name below root; no symbolic link can lead out of root.
func WriteFileIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := CreateIn(root, name, mode)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// Create begins a file that is to take path's place. Its folder must exist. The caller must Close it; Close without Commit undoes
// everything.
func Create(path string, mode fs.FileMode) (*File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f, err := CreateIn(root, filepath.Base(path), mode)
	if err != nil {
		root.Close()
		return nil, err
	}
	f.own = true
	return f, nil
}

// CreateIn is Create for a name below root.
func CreateIn(root *os.Root, name string, mode fs.FileMode) (*File, error) {
	folder, base := filepath.Split(name)
	sweep(root, folder, base)
	const tries = 100 // each lost one means that a sweep took an unlocked file for a leftover
	for try := 1; ; try++ {
		temp := folder + tempName(base)
		f, err := root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		if lock(f) && stands(root, temp, f) {
			return &File{File: f, root: root, temp: temp, name: name, mode: mode}, nil
		}
		f.Close()
		_ = root.Remove(temp)
		if try == tries {
			return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("its temporary file kept vanishing")}
		}
	}
}

func stands(root *os.Root, name string, f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := root.Lstat(name)
	return err == nil && os.SameFile(held, now)
}

// Commit puts the file in its place; when it returns nil, the file is there for good. After an error the place holds the old file or the
// new one, whole; the new one may not outlive a power cut.
func (f *File) Commit() error { return f.commit((*os.Root).Rename) }

// CommitNew is Commit for a place that must be free: of several writers at once one succeeds, and the others get fs.ErrExist. On a file
// system without links a process that is killed meanwhile may leave an empty file.
func (f *File) CommitNew() error { return f.commit(putNew((*os.Root).Link)) }

// putNew returns how a file is put in a free place, with link where the file system has links.
func putNew(link func(root *os.Root, temp, name string) error) func(root *os.Root, temp, name string) error {
	return func(root *os.Root, temp, name string) error {
		err := link(root, temp, name)
		if err == nil {
			return root.Remove(temp)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		taken, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(taken.Close(), root.Rename(temp, name)); err != nil {
			return errors.Join(err, root.Remove(name))
		}
		return nil
	}
}

func (f *File) commit(put func(root *os.Root, temp, name string) error) error {
	keepOwner(f.File, f.root, f.name) // before the mode, because a change of owner may clear mode bits
	if err := f.Chmod(f.mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if closeBeforeRename {
		if err := f.File.Close(); err != nil {
			return err
		}
	}
	if err := put(f.root, f.temp, f.name); err != nil {
		return err
	}
	f.done = true
	return SyncFolderIn(f.root, filepath.Dir(f.name))
}

// Close closes the file, and removes it if it was not committed.
func (f *File) Close() error {
	if !f.done {
		_ = f.root.Remove(f.temp)
	}
	err := f.File.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	if f.own {
		err = errors.Join(err, f.root.Close())
	}
	return err
}

// part is the end of the names of files that are being written.
const part = ".part"

// tempName is the name that a file has while it is being written.
func tempName(base string) string { return tempPrefix(base) + rand.Text()[:10] + part }

// tempPrefix cuts base, so that a long name still has a temporary one.
func tempPrefix(base string) string {
	const room = 200 // of the 255 bytes that a name may have
	return "." + strings.ToValidUTF8(base[:min(len(base), room)], "") + "."
}

// sweep removes the files that killed writers of a file left beside it.
func sweep(root *os.Root, folder, base string) {
	prefix := tempPrefix(base)
	entries, err := fs.ReadDir(root.FS(), path.Clean(filepath.ToSlash(folder)))
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, part) {
			if f, err := root.OpenFile(folder+name, os.O_RDWR, 0); err == nil {
				if leftover(f) {
					_ = root.Remove(folder + name)
				}
				f.Close()
			}
		}
	}
}
