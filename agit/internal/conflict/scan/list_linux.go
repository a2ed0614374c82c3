package scan

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// each calls fn with every name in f, in no order. The name is valid during the
// call only. It asks the kernel itself: os.ReadDir costs three times as much, and
// a scan reads every folder of every worktree.
func (f folder) each(buf []byte, fn func(name []byte, kind kind)) error {
	const fixed = 19 // inode 8, offset 8, length 2, type 1; then the name and a NUL
	for {
		n, err := unix.ReadDirent(f.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		for rest := buf[:n]; len(rest) > fixed; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			if length <= fixed || length > len(rest) {
				return unix.EIO
			}
			name := rest[fixed:length]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			if s := alias(name); s != "." && s != ".." {
				fn(name, f.kind(name, rest[18]))
			}
			rest = rest[length:]
		}
	}
}

func (f folder) kind(name []byte, direntType byte) kind {
	switch direntType {
	case unix.DT_REG:
		return kindFile
	case unix.DT_LNK:
		return kindLink
	case unix.DT_DIR:
		return kindFolder
	case unix.DT_UNKNOWN: // some file systems do not say
		st := f.stat(name)
		return st.kind()
	}
	return kindOther
}
