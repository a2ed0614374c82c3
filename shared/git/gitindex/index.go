// Package gitindex reads git's index file: the tracked files of a work tree,
// with what git last knew of each (Documentation/gitformat-index). It only
// reads; locking and writing stay git's. Indexes whose entries are not all in
// the file (split and sparse ones) are refused with ErrElsewhere, and the caller
// asks git instead. An Index is immutable, so it is safe for concurrent use.
package gitindex

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Entry is a tracked file as of the last time git looked. Name and OID point
// into the index's buffer.
type Entry struct {
	// Name is relative to the work tree's root, slash-separated. The byte behind
	// it, within its capacity, is a NUL.
	Name                []byte
	OID                 []byte // raw object name of the staged blob or commit
	CtimeSec, CtimeNsec uint32
	MtimeSec, MtimeNsec uint32
	Dev, Ino, UID, GID  uint32
	Mode                uint32 // git's mode: 0100644, 0100755, 0120000, 0160000
	Size                uint32 // of the file, cut to 32 bits
	Stage               uint8  // 0, or 1–3 in a conflict
	AssumeUnchanged     bool   // the user promised not to change it
	SkipWorktree        bool   // not checked out (sparse)
	IntentToAdd         bool   // `git add -N`: no content is staged
}

// Git's file modes.
const (
	ModeFile    = 0o100644
	ModeExec    = 0o100755
	ModeSymlink = 0o120000
	ModeGitlink = 0o160000
	modeTree    = 0o040000
	modeType    = 0o170000
)

// Type is a mode without its permission bits.
func Type(mode uint32) uint32 { return mode & modeType }

// Index is the content of an index file.
type Index struct {
	Entries []Entry // sorted by name, then stage
	// Tree is the tree the entries make in hex, when git recorded it and
	// nothing was staged since; else empty.
	Tree string
}

// ErrElsewhere reports that some entries are not in this file.
var ErrElsewhere = errors.New("the index is split or sparse")

// Find returns the entry of a path, the first of its stages.
func (ix *Index) Find(path string) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(ix.Entries, path, func(e Entry, path string) int { return strings.Compare(string(e.Name), path) })
	if !ok {
		return Entry{}, false
	}
	for i > 0 && string(ix.Entries[i-1].Name) == path {
		i--
	}
	return ix.Entries[i], true
}

const (
	headerLen   = 12
	statLen     = 40
	flagExtend  = 0x4000
	flagAssume  = 0x8000
	flagNameLen = 0x0fff
	flagSkip    = 0x4000 // of the extended flags
	flagIntent  = 0x2000
)

// Parse reads an index with object names of hashLen bytes (20 or 32). The
// result keeps buf; the caller must not change it. The trailing checksum is not
// compared: git replaces the file by renaming, so it is never seen half written.
func Parse(buf []byte, hashLen int) (*Index, error) {
	if len(buf) < headerLen+hashLen || string(buf[:4]) != "DIRC" {
		return nil, errors.New("not a git index")
	}
	version := binary.BigEndian.Uint32(buf[4:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("index version %d is not known", version)
	}
	count := int(binary.BigEndian.Uint32(buf[8:]))
	body := buf[:len(buf)-hashLen]
	if most := len(body) / (statLen + hashLen + 2); count > most {
		return nil, fmt.Errorf("index of %d bytes cannot hold %d entries", len(buf), count)
	}
	p := parser{body: body, pos: headerLen, hashLen: hashLen, compressed: version == 4}
	ix := &Index{Entries: make([]Entry, count)}
	for i := range ix.Entries {
		if err := p.entry(&ix.Entries[i]); err != nil {
			return nil, fmt.Errorf("index entry %d: %w", i, err)
		}
	}
	return ix, p.extensions(ix)
}

type parser struct {
	body       []byte
	pos        int
	hashLen    int
	compressed bool   // version 4: names share a prefix with the one before
	last       []byte // the name before, when compressed
}

var errShort = errors.New("it is cut short")

func (p *parser) entry(e *Entry) error {
	start := p.pos
	fixed := statLen + p.hashLen + 2
	if len(p.body)-start < fixed {
		return errShort
	}
	b := p.body[start : start+fixed]
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	e.CtimeSec, e.CtimeNsec, e.MtimeSec, e.MtimeNsec = word(0), word(1), word(2), word(3)
	e.Dev, e.Ino, e.Mode, e.UID, e.GID, e.Size = word(4), word(5), word(6), word(7), word(8), word(9)
	e.OID = b[statLen : statLen+p.hashLen : statLen+p.hashLen]
	flags := binary.BigEndian.Uint16(b[statLen+p.hashLen:])
	e.AssumeUnchanged = flags&flagAssume != 0
	e.Stage = uint8(flags >> 12 & 3)
	p.pos = start + fixed
	if flags&flagExtend != 0 {
		if len(p.body)-p.pos < 2 {
			return errShort
		}
		extended := binary.BigEndian.Uint16(p.body[p.pos:])
		e.SkipWorktree, e.IntentToAdd = extended&flagSkip != 0, extended&flagIntent != 0
		p.pos += 2
	}
	if e.Mode == modeTree {
		return ErrElsewhere // a sparse index stands for a folder with one entry
	}
	if p.compressed {
		return p.compressedName(e)
	}
	return p.plainName(e, start, int(flags&flagNameLen))
}

// plainName reads a NUL-terminated name padded so that the entry's length is a
// multiple of eight.
func (p *parser) plainName(e *Entry, start, length int) error {
	if length == flagNameLen { // too long for the field
		length = bytes.IndexByte(p.body[p.pos:], 0)
	}
	if length < 0 || len(p.body)-p.pos <= length || p.body[p.pos+length] != 0 {
		return errShort
	}
	e.Name = p.body[p.pos : p.pos+length : p.pos+length+1]
	end := start + (p.pos+length-start+8)&^7
	if end > len(p.body) {
		return errShort
	}
	p.pos = end
	return nil
}

// compressedName reads how many bytes of the last name to drop, and then the bytes to append. It puts a NUL behind the name, as plain names
// have in the file.
func (p *parser) compressedName(e *Entry) error {
	drop, n := offsetVarint(p.body[p.pos:])
	if n == 0 || drop > len(p.last) {
		return errShort
	}
	p.pos += n
	length := bytes.IndexByte(p.body[p.pos:], 0)
	if length < 0 {
		return errShort
	}
	keep := len(p.last) - drop
	name := make([]byte, keep+length+1)
	copy(name, p.last[:keep])
	copy(name[keep:], p.body[p.pos:p.pos+length])
	p.pos += length + 1
	e.Name = name[:keep+length]
	p.last = e.Name
	return nil
}

// offsetVarint reads git's varint of pack offsets; n is 0 when it is cut short
// or too large for a name.
func offsetVarint(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

func (p *parser) extensions(ix *Index) error {
	for len(p.body)-p.pos >= 8 {
		name := string(p.body[p.pos : p.pos+4])
		size := int(binary.BigEndian.Uint32(p.body[p.pos+4:]))
		p.pos += 8
		if size > len(p.body)-p.pos {
			return errShort
		}
		data := p.body[p.pos : p.pos+size]
		p.pos += size
		switch {
		case name == "TREE":
			ix.Tree = rootTree(data, p.hashLen)
		case name == "link", name == "sdir":
			return ErrElsewhere
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("index extension %q is not known", name) // git says: needed to understand the entries
		}
	}
	return nil
}

// rootTree reads the first record of the cached-tree extension: an empty path,
// "entries SP subtrees LF", and the tree's name unless entries is negative.
func rootTree(data []byte, hashLen int) string {
	head, rest, ok := bytes.Cut(data, []byte{'\n'})
	if !ok || len(head) < 2 || head[0] != 0 || head[1] == '-' || len(rest) < hashLen {
		return ""
	}
	return hex.EncodeToString(rest[:hashLen])
}

// Below reports whether any entry's name begins with prefix, such as a folder's
// with its slash.
func (ix *Index) Below(prefix string) bool {
	i, _ := slices.BinarySearchFunc(ix.Entries, prefix, func(e Entry, prefix string) int { return strings.Compare(string(e.Name), prefix) })
	return i < len(ix.Entries) && bytes.HasPrefix(ix.Entries[i].Name, []byte(prefix))
}
