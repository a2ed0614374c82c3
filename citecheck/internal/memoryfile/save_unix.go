//go:build unix

package memoryfile

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblocking keeps the opening of a pipe from waiting for a writer.
const nonblocking = syscall.O_NONBLOCK

// keepOwner sets the owner of the new file to the old one's, where that is allowed.
func keepOwner(f *os.File, info fs.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
