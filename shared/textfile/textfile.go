// Package textfile splits the bytes of a source file into lines that can be
// compared whatever their white space, line ends and encoding.
//
// It does no input or output and knows nothing of citations. A File is
// read-only and safe for concurrent use.
package textfile

import (
	"bytes"
	"hash/maphash"
	"sync"
	"unicode/utf8"
)

// File is a text in lines. Lines are numbered from 0 here.
type File struct {
	data             []byte // UTF-8, or bytes that were taken as Latin-1
	ends             []int  // where each line ends, without its line end
	starts           []int
	once             sync.Once // the fields below are computed when they are first needed
	hashes, exact    []uint64
	indents, weights []int

	marking   sync.Once
	marks     []Mark
	indented  []int
	searching sync.Once
	secret    []bool // by line, nil when no line holds any
}

// Parse splits data into lines, decoding UTF-16 and Latin-1. It returns nil for data that is not text. The File keeps data.
func Parse(data []byte) *File {
	text, ok := decode(data)
	if !ok {
		return nil
	}
	f := &File{data: text}
	f.split()
	return f
}

func (f *File) split() {
	end := byte('\n')
	if bytes.IndexByte(f.data, '\n') < 0 && bytes.IndexByte(f.data, '\r') >= 0 {
		end = '\r' // as old editors wrote it
	}
	n := bytes.Count(f.data, []byte{end}) + 1
	f.starts, f.ends = make([]int, 0, n), make([]int, 0, n)
	for at := 0; at < len(f.data); {
		length := bytes.IndexByte(f.data[at:], end)
		next := at + length + 1
		if length < 0 {
			length = len(f.data) - at
			next = len(f.data)
		}
		stop := at + length
		for end == '\n' && stop > at && f.data[stop-1] == '\r' {
			stop--
		}
		f.starts, f.ends = append(f.starts, at), append(f.ends, stop)
		at = next
	}
}

// Len returns the number of lines; a final line end opens no further line.
func (f *File) Len() int { return len(f.starts) }

// Line returns the text of line i without its line end. It must not be changed.
func (f *File) Line(i int) []byte { return f.data[f.starts[i]:f.ends[i]] }

// seed is random for each process, so that no one can make lines that collide.
var seed = maphash.MakeSeed()

// Hash returns the hash of a squeezed text, for comparing with Hashes.
func Hash(squeezed []byte) uint64 { return maphash.Bytes(seed, squeezed) }

// measure computes what all comparisons need.
func (f *File) measure() {
	n := f.Len()
	f.hashes, f.exact, f.indents, f.weights = make([]uint64, n), make([]uint64, n), make([]int, n), make([]int, n)
	var scratch []byte
	for i := range n {
		line := f.Line(i)
		scratch = Squeeze(scratch[:0], line)
		f.hashes[i], f.exact[i], f.weights[i], f.indents[i] = Hash(scratch), Hash(line), Weight(scratch), -1
		if len(scratch) > 0 {
			f.indents[i] = indent(line)
		}
	}
}

// Hashes returns a number for each line. Lines that differ in white space alone have the same number.
func (f *File) Hashes() []uint64 { f.once.Do(f.measure); return f.hashes }

// Exact returns a number for each line. Only lines that are equal byte by byte, apart from their line ends, have the same number.
func (f *File) Exact() []uint64 { f.once.Do(f.measure); return f.exact }

// Indents returns the indentation of each line: a tab counts as four columns, and a blank line is -1.
func (f *File) Indents() []int { f.once.Do(f.measure); return f.indents }

// Weights returns the Weight of each line.
func (f *File) Weights() []int { f.once.Do(f.measure); return f.weights }

func indent(line []byte) (columns int) {
	for _, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4
		default:
			return columns
		}
	}
	return columns
}

// headLength is how many bytes of a line Head looks at.
const headLength = 4096

// Head returns the beginning of line i, squeezed; it is compared letter by letter.
func (f *File) Head(i int) []byte {
	line := f.Line(i)
	return Squeeze(nil, line[:min(len(line), headLength)])
}

// Blank reports whether line i is white space alone.
func (f *File) Blank(i int) bool {
	for _, c := range f.Line(i) {
		if c >= utf8.RuneSelf {
			return len(Squeeze(nil, f.Line(i))) == 0 // perhaps blanks of another kind
		}
		if c != ' ' && (c < '\t' || c > '\r') {
			return false
		}
	}
	return true
}

// Containing calls yield with each line that contains text byte by byte, in order, until yield returns false.
func (f *File) Containing(text []byte, yield func(line int) bool) {
	if len(text) == 0 {
		return
	}
	line, at := 0, 0
	for {
		hit := bytes.Index(f.data[at:], text)
		if hit < 0 {
			return
		}
		at += hit
		for line+1 < len(f.starts) && f.starts[line+1] <= at {
			line++
		}
		if at+len(text) <= f.ends[line] && !yield(line) {
			return
		}
		if line+1 == len(f.starts) {
			return
		}
		at = f.starts[line+1]
	}
}

// Squeeze appends line to dst without its white space, except for one blank where white space keeps two words apart.
func Squeeze(dst, line []byte) []byte {
	gap := false
	start := len(dst)
	for i := 0; i < len(line); {
		c := line[i]
		size := 1
		if c >= utf8.RuneSelf {
			if size = space(line[i:]); size > 0 {
				gap, i = true, i+size
				continue
			}
			size = 1
		} else if c == ' ' || c >= '\t' && c <= '\r' {
			gap, i = true, i+1
			continue
		}
		if gap && len(dst) > start && Word(dst[len(dst)-1]) && Word(c) {
			dst = append(dst, ' ')
		}
		gap = false
		dst = append(dst, c)
		i += size
	}
	return dst
}

// space returns the length of the non-ASCII white space that p begins with.
func space(p []byte) int {
	switch {
	case len(p) >= 2 && p[0] == 0xC2 && (p[1] == 0xA0 || p[1] == 0x85): // no-break space, next line
		return 2
	case len(p) < 3:
		return 0
	case p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF, p[0] == 0xE3 && p[1] == 0x80 && p[2] == 0x80: // byte order mark, wide blank
		return 3
	case p[0] == 0xE2 && p[1] == 0x80 && (p[2] >= 0x80 && p[2] <= 0x8B || p[2] == 0xAF || p[2] == 0xA8 || p[2] == 0xA9): // typographic spaces
		return 3
	}
	return 0
}

// Word reports whether c is a letter, a digit, an underscore or part of a
// character outside ASCII.
func Word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// Weight returns how distinctive a squeezed text is: the number of its letters and digits.
func Weight(squeezed []byte) int {
	n := 0
	for _, c := range squeezed {
		if Word(c) && c != '_' {
			n++
		}
	}
	return n
}
