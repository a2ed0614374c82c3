package scan

import (
	"encoding/binary"

	"github.com/agit-suite/agit/shared/git/gitindex"
)

// modeFolder marks a folder in a Stat; git has no such mode for files.
const modeFolder = 0o040000

// Stat is what the file system reports about a path without opening it. The zero value means that nothing git would track exists there.
type Stat struct {
	Mode  uint32 // git's mode of such a file, or modeFolder
	Size  int64
	Ino   uint64 // 0 where the system has none
	Mtime int64  // nanoseconds since 1970
	Ctime int64  // nanoseconds since 1970; 0 where the system has none
}

func (s Stat) exists() bool { return s.Mode != 0 }

// kind is the kind of a name in a folder.
type kind uint8

const (
	kindOther kind = iota // nothing git tracks
	kindFile
	kindLink
	kindFolder
)

func (s Stat) kind() kind {
	switch s.Mode {
	case gitindex.ModeFile, gitindex.ModeExec:
		return kindFile
	case gitindex.ModeSymlink:
		return kindLink
	case modeFolder:
		return kindFolder
	}
	return kindOther
}

// statBytes is the length of a Stat in a digest.
const statBytes = 36

func (s *Stat) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, s.Mode)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Size))
	b = binary.LittleEndian.AppendUint64(b, s.Ino)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Mtime))
	return binary.LittleEndian.AppendUint64(b, uint64(s.Ctime))
}

// latest returns when the file last changed: its change time, which programs cannot set, or its modification time when the system has no
// change time.
func (s *Stat) latest() int64 {
	if s.Ctime != 0 {
		return s.Ctime
	}
	return s.Mtime
}

// racyMargin is how much older than the index a file must be for equal stat data
// to prove equal content. Kernels stamp files with the time of the last clock
// tick (1–10 ms), so two writes within a tick cannot be told apart.
const racyMargin = 20e6

// unchanged reports whether git's index proves that the file still has the staged content. False only means that the content must be
// compared.
func (s *Stat) unchanged(e *gitindex.Entry, indexMtime int64) bool {
	if s.Mode != e.Mode || uint32(s.Size) != e.Size {
		return false
	}
	mtime := int64(e.MtimeSec)*1e9 + int64(e.MtimeNsec)
	if e.MtimeNsec == 0 || s.Mtime%1e9 == 0 { // the index or the file system keeps whole seconds only
		if uint32(s.Mtime/1e9) != e.MtimeSec || mtime+1e9 >= indexMtime-racyMargin {
			return false
		}
	} else if s.Mtime != mtime || mtime >= indexMtime-racyMargin {
		return false
	}
	// Fields that the index's writer does not fill in are zero.
	if s.Ctime != 0 && e.CtimeSec != 0 && uint32(s.Ctime/1e9) != e.CtimeSec {
		return false
	}
	if s.Ctime != 0 && e.CtimeNsec != 0 && s.Ctime%1e9 != 0 && uint32(s.Ctime%1e9) != e.CtimeNsec {
		return false
	}
	return s.Ino == 0 || e.Ino == 0 || uint32(s.Ino) == e.Ino
}
