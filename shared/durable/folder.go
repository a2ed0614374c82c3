package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// MkdirAll makes a folder with all its parents, as os.MkdirAll does, and syncs
// the folders that got a new entry. Folders that everyone may read are shared with the group that can write around them, as git does where
// several users have one repository (core.sharedRepository in git-config(1)).
func MkdirAll(path string, mode fs.FileMode) error {
	return mkdirAll(path, mode, os.Stat, os.MkdirAll, func(around, fresh string) error {
		share(around, fresh, mode)
		return SyncFolder(around)
	})
}

// share lets the group write in a new folder when it can write around it, but not where all others can too. A folder that another user made
// meanwhile is left as it is.
func share(around, fresh string, mode fs.FileMode) {
	if info, err := os.Stat(around); err == nil && mode&0o007 != 0 && info.Mode()&0o022 == 0o020 {
		_ = os.Chmod(fresh, mode|info.Mode()&(fs.ModeSetgid|0o070))
	}
}

// MkdirAllIn is MkdirAll for a folder below root.
func MkdirAllIn(root *os.Root, name string, mode fs.FileMode) error {
	return mkdirAll(name, mode, root.Stat, root.MkdirAll, func(folder, _ string) error { return SyncFolderIn(root, folder) })
}

func mkdirAll(path string, mode fs.FileMode, stat func(string) (fs.FileInfo, error), mkdir func(string, fs.FileMode) error, made func(around, fresh string) error) error {
	var fresh []string // deepest first
	for at := filepath.Clean(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		fresh = append(fresh, at)
	}
	if err := mkdir(path, mode); err != nil {
		return err
	}
	for _, folder := range slices.Backward(fresh) {
		if err := made(filepath.Dir(folder), folder); err != nil {
			return err
		}
	}
	return nil
}

// Rename renames and syncs the folders on both sides. Files that are renamed
// must have been synced before.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if err := SyncFolder(filepath.Dir(to)); err != nil {
		return err
	}
	if filepath.Dir(from) == filepath.Dir(to) {
		return nil
	}
	return SyncFolder(filepath.Dir(from))
}

// Remove removes a file or an empty folder and syncs the folder it stood in.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFile makes the content of a file that other code wrote durable.
func SyncFile(path string) error {
	f, err := openToSync(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error { return syncOpened(os.Open, path) }

// SyncFolderIn is SyncFolder for a folder below root.
func SyncFolderIn(root *os.Root, name string) error { return syncOpened(root.Open, name) }

func syncOpened(open func(string) (*os.File, error), name string) error {
	if !foldersSync {
		return nil
	}
	f, err := open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return syncFolder(f)
}
