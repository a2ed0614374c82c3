//go:build unix

package worker

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sealInherited prevents started programs from inheriting files that this process was started with: an open file needs no path, so no
// sandbox restricts it. Files that Go opened are not inherited anyway.
func sealInherited() {
	for _, folder := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				unix.CloseOnExec(fd)
			}
		}
		return
	}
}
