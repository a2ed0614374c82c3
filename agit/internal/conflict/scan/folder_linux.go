package scan

import "golang.org/x/sys/unix"

const (
	// O_PATH spares the open itself: a sweep only looks up names in folders.
	lookFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	readFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
)
