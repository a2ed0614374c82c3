package scan

import "golang.org/x/sys/unix"

const (
	// O_PATH avoids opening the folder for reading: a sweep only looks up names in it.
	lookFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	readFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
)
