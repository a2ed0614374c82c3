package testfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// topOfTree is FS_TOPDIR_FL of linux/fs.h.
const topOfTree = 0x20000

// folder returns the folder, "" for none. It has always the same name, because go test keeps results by it.
//
// ext4 puts the files of new folders close to those of their parent, and does not reuse a file's place for some seconds after its deletion.
// Tests make and delete thousands of files, and passing over these places took half of the kernel's time. In a folder that is marked as the
// top of a tree, each new folder gets another part of the disk. See "Orlov" in ext4's documentation, and chattr(1) on T.
func folder() string {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("agit-test-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return ""
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return ""
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return ""
	}
	if os.Chmod(dir, 0o711) != nil { // some tests become another user
		return ""
	}
	opened, err := os.Open(dir)
	if err != nil {
		return ""
	}
	defer opened.Close()
	flags, err := unix.IoctlGetUint32(int(opened.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return ""
	}
	if unix.IoctlSetPointerInt(int(opened.Fd()), unix.FS_IOC_SETFLAGS, int(flags|topOfTree)) != nil {
		return ""
	}
	return dir
}
