package memoryfile

import (
	"crypto/sha256"
	"encoding/hex"
)

// Form is how a citation is written.
type Form string

// The forms.
const (
	Table Form = "table" // a row under ## Citations
	Cite  Form = "cite"  // [cite:file](path#L12)
	Prose Form = "prose" // `path/file.ext:12` in a sentence
)

// Citation is a place in the code that a memory names, with the position of its own text.
type Citation struct {
	Place
	Quote
	Verified string // as written in the table
	Form     Form
	At       int  // line of the memory, from 1
	InCode   bool // prose inside a code block: only reported, not a citation
	Adopted  bool // prose whose place the memory also cites

	row         *row // of a table
	path, line  span // in the source; line is only the digits
	end         span // digits of EndLine
	destination span // of a cite link
	linked      bool // prose: the path stands in a link's address
	whole       bool // prose: it is the whole of a code span, whatever its characters
}

// Link is a reference to another memory: an id, a file name or a path.
type Link struct {
	Target string
	At     int // line of the memory, from 1
	// Sure means that the author meant a memory: a wiki link, mem:NAME, a markdown link to a .md file. A bare word in a list of links may
	// be anything.
	Sure bool

	pos int // in the source
}

// Problem is a part of a memory that could not be read.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Want selects what to look for; what is not wanted costs nothing.
type Want uint8

// The kinds that Parse can look for.
const (
	Citations  Want = 1 << iota // tables, cite links and metadata
	References                  // in prose
	Links
	// Statements adds the references of memories that cite something, so that Statement can leave out their line numbers.
	Statements
	All = Citations | References | Links
)

// Memory is a parsed memory.
type Memory struct {
	Title      string
	Citations  []Citation // Table and Cite
	References []Citation // Prose
	Links      []Link
	// Confidence is the value under Metadata, -1 without one.
	Confidence   float64
	LastVerified string
	Problems     []Problem
	Unreadable   bool // it is not text: Problems has the reason, and all else is empty

	src   []byte
	marks marks
}

// marks are positions that edits need.
type marks struct {
	body         int // where the front matter ends
	table        *table
	citations    section // of the heading, with its extent
	metadata     section
	confidence   span // value under Metadata
	lastVerified span
	lastItem     span   // last line of the metadata list
	firstLinks   int    // start of the first Links or Related heading, -1
	bookkeeping  []span // the parts that a check itself rewrites
}

// section is a heading and the text under it.
type section struct {
	found               bool
	heading, start, end int
}

// span is a range of bytes of the source; end 0 means that there is none.
type span struct{ start, end int }

func (s span) none() bool { return s.end == 0 }

// Source is the text the memory was read from. It must not be changed.
func (m *Memory) Source() []byte { return m.src }

// Statement returns a hash of the memory's statements: white space is folded, and the parts that checks rewrite are left out (the table of
// citations, metadata, line numbers of references). A vote holds as long as the hash stays the same.
func (m *Memory) Statement() string {
	h := sha256.New()
	at, gap := 0, false
	write := func(text []byte) {
		for _, c := range text {
			if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
				gap = true
				continue
			}
			if gap {
				h.Write([]byte{' '})
				gap = false
			}
			h.Write([]byte{c})
		}
	}
	for _, s := range m.marks.bookkeeping {
		if s.start > at {
			write(m.src[at:s.start])
		}
		at = max(at, s.end)
	}
	write(m.src[at:])
	return hex.EncodeToString(h.Sum(nil)[:16])
}
