//go:build unix

package durable

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Writable returns why this process cannot write a file, or in a folder: no permission, a file system that is read-only. It returns nil
// when it can, and where the system does not report it.
func Writable(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
