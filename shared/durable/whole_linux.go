package durable

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Limits for syncing a whole file system instead of many files: 2,000 new files take 14 ms that way, and 140 ms one by one, many at a time.
// That sync also waits for the unwritten data of other programs, so there must be little of it.
const (
	manyFiles   = 200
	littleDirty = 64 << 20 // bytes
)

// wholeSyncs are the file systems whose syncfs(2) writes data, metadata and the disk's cache.
var wholeSyncs = map[int64]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true}

// syncWhole syncs the file systems that paths are on. done is false where files have to be synced one by one.
func syncWhole(paths []string) (done bool, err error) {
	if len(paths) < manyFiles || !syncfsTells() || dirty() > littleDirty {
		return false, nil
	}
	on := map[uint64]*os.File{}
	defer func() {
		for _, f := range on {
			f.Close()
		}
	}()
	for _, path := range paths {
		var info unix.Stat_t
		if err := unix.Lstat(path, &info); err != nil {
			continue // gone, or an error that another path has as well
		}
		if kind := info.Mode & unix.S_IFMT; on[info.Dev] != nil || kind != unix.S_IFREG && kind != unix.S_IFDIR {
			continue
		}
		f, err := openToSync(path)
		if err != nil {
			return false, nil
		}
		on[info.Dev] = f
		var system unix.Statfs_t
		if err := unix.Fstatfs(int(f.Fd()), &system); err != nil || !wholeSyncs[int64(system.Type)] {
			return false, nil
		}
	}
	for _, f := range on {
		if err := unix.Syncfs(int(f.Fd())); err != nil {
			return true, fmt.Errorf("sync the file system of %s: %w", f.Name(), err)
		}
	}
	return true, nil
}

// syncfsTells reports whether syncfs returns an error when a write failed, which it does since Linux 5.8.
var syncfsTells = sync.OnceValue(func() bool {
	var name unix.Utsname
	var major, minor int
	if unix.Uname(&name) != nil {
		return false
	}
	n, _ := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return n == 2 && (major > 5 || major == 5 && minor >= 8)
})

// dirty returns how many bytes of all programs are not yet written to disk; a huge number when that is not known.
func dirty() int64 {
	const unknown = 1 << 62
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unknown
	}
	sum, found := int64(0), 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		field := bytes.Fields(lines.Bytes())
		if len(field) < 2 || string(field[0]) != "Dirty:" && string(field[0]) != "Writeback:" {
			continue
		}
		kilobytes, err := strconv.ParseInt(string(field[1]), 10, 64)
		if err != nil {
			return unknown
		}
		sum += kilobytes << 10
		found++
	}
	if found != 2 {
		return unknown
	}
	return sum
}
