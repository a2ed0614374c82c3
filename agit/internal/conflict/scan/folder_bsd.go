//go:build unix && !linux

package scan

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	lookFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	readFlags = lookFlags
)

// read returns the entries of f.
func (f folder) read() ([]fs.DirEntry, error) {
	fd, err := unix.Dup(f.fd) // os.File closes what it is given
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), "folder")
	defer dir.Close()
	return dir.ReadDir(-1)
}
