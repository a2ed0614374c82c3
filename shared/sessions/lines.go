package sessions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

const (
	lineBuffer = 256 << 10 // lines up to this are read as they are
	keptString = 64 << 10  // of longer lines, this much of each text is kept
	maxLine    = 8 << 20   // a line that is longer even then is skipped
)

// lines reads the lines of a JSON Lines file with bounded memory, whatever the lines' length.
type lines struct {
	r      *bufio.Reader
	offset int64 // of the next line
	short  shortener
}

func newLines(r io.Reader, offset int64) *lines {
	return &lines{r: bufio.NewReaderSize(r, lineBuffer), offset: offset}
}

// next returns the next line, which is valid until the next call; over reports a line that was too long and was skipped. io.EOF is the end;
// a last line without a line end counts when it is a whole document.
func (l *lines) next() (line []byte, over bool, err error) {
	line, err = l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.end(line, len(line), err)
		return line, false, err
	}
	l.short = shortener{out: l.short.out[:0]}
	read := 0
	for {
		read += len(line)
		l.short.write(line)
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		line, err = l.r.ReadSlice('\n')
	}
	if l.short.over {
		if err == nil {
			l.offset += int64(read)
		}
		return nil, err == nil, err
	}
	line, err = l.end(l.short.out, read, err)
	return line, false, err
}

// end handles a line that took read bytes of the file.
func (l *lines) end(line []byte, read int, err error) ([]byte, error) {
	if err != nil && (!errors.Is(err, io.EOF) || !json.Valid(line)) {
		return nil, err
	}
	l.offset += int64(read)
	return bytes.TrimSpace(line), nil
}

// shortener copies a JSON document without the part of each text beyond keptString, so that the document stays valid.
type shortener struct {
	out    []byte
	inside bool // a text
	length int  // bytes of the text so far
	escape int  // bytes left of an escape
	over   bool
}

func (s *shortener) write(part []byte) {
	for i := 0; i < len(part); {
		if len(s.out) > maxLine {
			s.over = true
			return
		}
		if !s.inside {
			end := bytes.IndexByte(part[i:], '"')
			if end < 0 {
				s.out = append(s.out, part[i:]...)
				return
			}
			s.out = append(s.out, part[i:i+end+1]...)
			s.inside, s.length = true, 0
			i += end + 1
			continue
		}
		i = s.text(part, i)
	}
}

// text copies a byte of a text, or a run of them, and returns the rest.
func (s *shortener) text(part []byte, i int) int {
	c := part[i]
	full := s.length >= keptString
	switch {
	case s.escape > 0:
		if s.escape == escapeBegins {
			s.escape = 1
			if c == 'u' {
				s.escape = 5
			}
		}
		s.escape--
	case c == '\\':
		s.escape = escapeBegins
		if full {
			s.length = keptString + 1 // a whole escape is left out
		}
	case c == '"':
		s.inside = false
		s.out = append(s.out, c)
		return i + 1
	case full:
		s.length = keptString + 1
		end := bytes.IndexAny(part[i:], "\"\\")
		if end < 0 {
			return len(part)
		}
		return i + end
	}
	if s.length <= keptString {
		s.out = append(s.out, c)
		s.length++
		if s.length > keptString { // the last escape ends within the kept part
			s.length = keptString
		}
	}
	return i + 1
}

const escapeBegins = 9
