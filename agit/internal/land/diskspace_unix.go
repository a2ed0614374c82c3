//go:build unix

package land

import "syscall"

// freeBytes is how much may still be written to the file system of a folder.
func freeBytes(dir string) (free uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}
