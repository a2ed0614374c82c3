//go:build !windows

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// enableEscapes does nothing: terminals here understand escape sequences.
func enableEscapes(*os.File) {}

// unbroken returns a stream under another file descriptor, so that a write into a closed pipe is an error like any other. Under the
// descriptors 1 and 2 Go ends the process, which may have more to do than print.
func unbroken(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return f
	}
	return os.NewFile(uintptr(fd), f.Name())
}
