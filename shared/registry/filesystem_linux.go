package registry

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// networkFileSystem names the kind of file system path lies on when several
// machines may see it, or when that cannot be ruled out (FUSE); else "".
// Magic numbers: statfs(2).
func networkFileSystem(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &s); err != nil {
		return ""
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "AFS"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	case unix.CODA_SUPER_MAGIC:
		return "Coda"
	case unix.V9FS_MAGIC:
		return "9P"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	case 0x0BD00BD0:
		return "Lustre"
	case 0x786F4256:
		return "VirtualBox shared folder"
	}
	return ""
}
