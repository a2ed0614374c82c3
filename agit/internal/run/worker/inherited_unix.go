//go:build unix

package worker

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sealInherited keeps files that this process was started with from the programs that it starts: what is open needs no path, and no sandbox holds
// it. Those that Go opened are kept already.
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
