//go:build unix

package scan

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/shared/git/gitindex"
)

// folder is an open directory. Paths are looked up from the innermost folder, so that the kernel does not walk from the root for every
// file.
type folder struct{ fd int }

// openRoot opens the folder at path to look up names in, and to list if read is set.
func openRoot(path string, read bool) (folder, error) {
	fd, err := unix.Open(path, flags(read), 0)
	if err != nil {
		return folder{-1}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return folder{fd}, nil
}

// sub opens a folder in f. It does not follow a symbolic link: for git, files behind a link are not in the work tree.
func (f folder) sub(name []byte, read bool) (folder, bool) {
	fd, err := unix.Openat(f.fd, alias(name), flags(read)|unix.O_NOFOLLOW, 0)
	return folder{fd}, err == nil
}

func flags(read bool) int {
	if read {
		return readFlags
	}
	return lookFlags
}

func (f folder) close() { unix.Close(f.fd) }

// self describes the folder.
func (f folder) self() Stat {
	var st unix.Stat_t
	if unix.Fstat(f.fd, &st) != nil {
		return Stat{}
	}
	return fromUnix(&st)
}

// stat describes name in f without following a link.
func (f folder) stat(name []byte) Stat {
	var st unix.Stat_t
	if unix.Fstatat(f.fd, alias(name), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return Stat{}
	}
	return fromUnix(&st)
}

// alias is name as a string without a copy; name does not change while it is used.
func alias(name []byte) string { return unsafe.String(unsafe.SliceData(name), len(name)) }

func fromUnix(st *unix.Stat_t) Stat {
	s := Stat{Size: st.Size, Ino: uint64(st.Ino), Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		s.Mode = gitindex.ModeFile
		if st.Mode&unix.S_IXUSR != 0 {
			s.Mode = gitindex.ModeExec
		}
	case unix.S_IFLNK:
		s.Mode = gitindex.ModeSymlink
	case unix.S_IFDIR:
		s.Mode, s.Size = modeFolder, 0
	default:
		return Stat{} // git tracks no pipes, sockets and devices
	}
	return s
}

// statPath describes the file at an absolute path without following a link.
func statPath(path string) Stat {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return Stat{}
	}
	return fromUnix(&st)
}
