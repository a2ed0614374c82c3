package registry

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// networkFileSystem names the kind of file system path lies on when several
// machines may see it, else "".
func networkFileSystem(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &s); err != nil {
		return ""
	}
	kind := unix.ByteSliceToString(s.Fstypename[:])
	if slices.Contains([]string{"nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse"}, kind) {
		return kind
	}
	return ""
}
