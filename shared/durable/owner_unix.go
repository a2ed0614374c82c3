//go:build unix

package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keepOwner sets a new file's owner to the owner of the file that it replaces, as if a program had written into the old file. Only root
// may.
func keepOwner(f *os.File, root *os.Root, name string) {
	if os.Geteuid() != 0 {
		return
	}
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
		if uid, gid, ok := ownerOf(info); ok {
			_ = f.Chown(uid, gid) // a file system without owners has nothing to keep
		}
	}
}

// Adopt hands a file or folder that root just made to the owner of its folder: files that root sets up for a user (sudo with HOME kept, the
// build of a container) are the user's. It does nothing when the process is not root, nor with a file that has several names, because
// another name may be someone else's file.
func Adopt(path string) {
	if os.Geteuid() != 0 {
		return
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if uid, gid, known := ownerOf(folder); known && ok && (info.IsDir() || info.Mode().IsRegular() && s.Nlink == 1) {
		_ = f.Chown(uid, gid)
	}
}

func ownerOf(info fs.FileInfo) (uid, gid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(s.Uid), int(s.Gid), true
}

// sameGroup reports whether two files belong to one group.
func sameGroup(a, b fs.FileInfo) bool {
	_, one, known := ownerOf(a)
	_, other, also := ownerOf(b)
	return known && also && one == other
}
