//go:build unix

package durable

import "golang.org/x/sys/unix"

// Free returns how many bytes may still be written to the file system of a folder; known is false where the system does not report it.
func Free(dir string) (free uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}
