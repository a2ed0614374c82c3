//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	foldersSync       = true
	closeBeforeRename = false // the lock holds until the file has its name
)

// syncFolder ignores file systems that cannot sync a folder: they have no other way to make a name durable either.
func syncFolder(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// openToSync neither follows a link nor waits for the other end of a pipe.
func openToSync(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// lock marks a file as being written until it is closed; it returns false when a sweep holds the file. Where the file system has no locks,
// nothing is swept either.
func lock(f *os.File) bool { return !errors.Is(flock(f), unix.EWOULDBLOCK) }

// leftover reports whether the process that wrote a file is gone.
func leftover(f *os.File) bool { return flock(f) == nil }

func flock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		return err
	}
	return failed
}
