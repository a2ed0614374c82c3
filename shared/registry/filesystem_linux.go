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
	return map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS",
		unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB",
		unix.AFS_SUPER_MAGIC: "AFS", unix.AFS_FS_MAGIC: "AFS",
		unix.CEPH_SUPER_MAGIC: "Ceph",
		unix.CODA_SUPER_MAGIC: "Coda",
		unix.V9FS_MAGIC:       "9P",
		unix.FUSE_SUPER_MAGIC: "FUSE",
		0x0BD00BD0:            "Lustre",
		0x786F4256:            "VirtualBox shared folder",
	}[uint32(s.Type)]
}
