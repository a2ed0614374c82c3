package sessions

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scan reads a JSON document in one pass, and decodes only the values that it is asked for. It is at the beginning of a value between
// calls. A document that is not JSON sets bad, and nothing further is read; a value of another type than the one asked for sets odd, and is
// passed over. null leaves what it is read into as it was.
//
// Names of members are compared exactly, and of members with one name the last counts.
type scan struct {
	doc   []byte
	at    int
	depth int
	bad   bool
	odd   bool
}

// mostDepth is how deep values may lie in each other, as in encoding/json.
const mostDepth = 10000

// document reads a whole document; value reads its value. It reports whether the document is JSON.
func document(doc []byte, value func(s *scan)) (s scan) {
	s.doc = doc
	s.space()
	value(&s)
	s.space()
	if s.at < len(s.doc) {
		s.bad = true
	}
	return s
}

func (s *scan) space() {
	for s.at < len(s.doc) && (s.doc[s.at] == ' ' || s.doc[s.at] == '\n' || s.doc[s.at] == '\t' || s.doc[s.at] == '\r') {
		s.at++
	}
}

// peek returns the first byte of the value, 0 at the end.
func (s *scan) peek() byte {
	if s.at < len(s.doc) && !s.bad {
		return s.doc[s.at]
	}
	s.bad = true
	return 0
}

// is reports whether the value begins with a byte. Any other value is passed over, and odd unless it is null.
func (s *scan) is(first byte) bool {
	if s.peek() == first {
		return true
	}
	s.other()
	return false
}

// other passes over a value of another type than the one asked for.
func (s *scan) other() {
	s.odd = s.odd || s.peek() != 'n'
	s.pass()
}

// members calls each with the name of each member of an object, and passes over values that each does not read.
func (s *scan) members(each func(name []byte)) {
	if !s.is('{') {
		return
	}
	for more := s.open('}'); more; more = s.next('}') {
		name := s.name()
		if began := s.at; !s.bad {
			if each(name); s.at == began {
				s.pass()
			}
		}
	}
}

// elements calls each for each element of a list, and passes over values that each does not read.
func (s *scan) elements(each func()) {
	if !s.is('[') {
		return
	}
	for more := s.open(']'); more; more = s.next(']') {
		began := s.at
		if each(); s.at == began {
			s.pass()
		}
	}
}

// open enters an object or a list, up to its first member; false is that it has none.
func (s *scan) open(end byte) bool {
	s.at++
	if s.depth++; s.depth > mostDepth {
		s.bad = true
		return false
	}
	s.space()
	return !s.closes(end)
}

// next goes to the next member; false is that there is none.
func (s *scan) next(end byte) bool {
	s.space()
	if s.closes(end) {
		return false
	}
	if s.peek() != ',' {
		s.bad = true
		return false
	}
	s.at++
	s.space()
	return true
}

// closes leaves an object or a list at its end, or where the document is bad.
func (s *scan) closes(end byte) bool {
	if s.peek() == end {
		s.at++
		s.depth--
		return true
	}
	return s.bad
}

// name reads the name of a member, up to its value.
func (s *scan) name() []byte {
	began := s.at
	if s.peek() == '"' {
		s.passText()
	} else {
		s.bad = true
	}
	ended := s.at
	s.space()
	if s.peek() != ':' {
		s.bad = true
	}
	if s.bad {
		return nil
	}
	s.at++
	s.space()
	if name := s.doc[began+1 : ended-1]; plain(name) {
		return name
	}
	return []byte(unquote(s.doc[began:ended]))
}

// raw reads a value as it stands in the document.
func (s *scan) raw() []byte {
	began := s.at
	s.pass()
	return s.doc[began:s.at]
}

// text reads a text into to.
func (s *scan) text(to *string) {
	if raw := s.rawText(); raw != nil {
		*to = unquote(raw)
	}
}

// rawText reads a text as it stands in the document, for unquote; nil is none.
func (s *scan) rawText() []byte {
	if !s.is('"') {
		return nil
	}
	if raw := s.raw(); !s.bad {
		return raw
	}
	return nil
}

// yes reads a truth value into to.
func (s *scan) yes(to *bool) {
	if c := s.peek(); c == 't' || c == 'f' {
		*to = c == 't'
		s.pass()
		return
	}
	s.other()
}

// whole reads a whole number into to.
func (s *scan) whole(to *int64) {
	if raw := s.rawNumber(); raw != nil {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			s.odd = true
			return
		}
		*to = n
	}
}

// number reads a number into to.
func (s *scan) number(to *float64) {
	if raw := s.rawNumber(); raw != nil {
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			s.odd = true
			return
		}
		*to = n
	}
}

func (s *scan) rawNumber() []byte {
	if c := s.peek(); c == '-' || c >= '0' && c <= '9' {
		return s.raw()
	}
	s.other()
	return nil
}

// pass goes behind a value.
func (s *scan) pass() {
	switch s.peek() {
	case '"':
		s.passText()
	case '{':
		for more := s.open('}'); more; more = s.next('}') {
			if s.name(); !s.bad {
				s.pass()
			}
		}
	case '[':
		for more := s.open(']'); more; more = s.next(']') {
			s.pass()
		}
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.passNumber()
	}
}

func (s *scan) word(word string) {
	if !bytes.HasPrefix(s.doc[s.at:], []byte(word)) {
		s.bad = true
		return
	}
	s.at += len(word)
}

func (s *scan) passNumber() {
	if s.at < len(s.doc) && s.doc[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.doc) && s.doc[s.at] == '0' {
		s.at++
	} else {
		s.digits()
	}
	if s.at < len(s.doc) && s.doc[s.at] == '.' {
		s.at++
		s.digits()
	}
	if s.at < len(s.doc) && s.doc[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.doc) && (s.doc[s.at] == '+' || s.doc[s.at] == '-') {
			s.at++
		}
		s.digits()
	}
}

// digits goes behind one digit or more.
func (s *scan) digits() {
	began := s.at
	for s.at < len(s.doc) && s.doc[s.at] >= '0' && s.doc[s.at] <= '9' {
		s.at++
	}
	s.bad = s.bad || s.at == began
}

// passText goes behind a text.
func (s *scan) passText() {
	s.at++
	for !s.bad {
		s.plain()
		if s.at == len(s.doc) {
			s.bad = true
			return
		}
		switch c := s.doc[s.at]; c {
		case '"':
			s.at++
			return
		case '\\':
			s.at++
			s.escape()
		default: // a control character
			s.bad = true
		}
	}
}

// plain goes to the next byte of a text that is a quote, a backslash or a control character. It looks at eight bytes at a time.
func (s *scan) plain() {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s.doc)-s.at >= 8; s.at += 8 {
		w := binary.LittleEndian.Uint64(s.doc[s.at:])
		quote, back := w^('"'*ones), w^('\\'*ones)
		// The lowest byte that is set here is right; a higher one may be set by a borrow.
		if found := ((w-' '*ones)&^w | (quote-ones)&^quote | (back-ones)&^back) & tops; found != 0 {
			s.at += bits.TrailingZeros64(found) / 8
			return
		}
	}
	for s.at < len(s.doc) && s.doc[s.at] >= ' ' && s.doc[s.at] != '"' && s.doc[s.at] != '\\' {
		s.at++
	}
}

func (s *scan) escape() {
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
	case 'u':
		if hex(s.doc[s.at+1:]) < 0 {
			s.bad = true
			return
		}
		s.at += 5
	default:
		s.bad = true
	}
}

// hex returns the number in the first four bytes, -1 when there is none.
func hex(doc []byte) (n rune) {
	if len(doc) < 4 {
		return -1
	}
	for _, c := range doc[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		n = n<<4 | rune(c)
	}
	return n
}

// plain reports whether a text stands in a document as it is.
func plain(text []byte) bool { return bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) }

// unquote decodes a text as it stands in a document, with its quotes. Bytes that are not UTF-8 become U+FFFD, as does half a pair.
func unquote(raw []byte) string {
	text := raw[1 : len(raw)-1]
	if plain(text) {
		return string(text)
	}
	if !utf8.Valid(text) {
		var decoded string
		_ = json.Unmarshal(raw, &decoded)
		return decoded
	}
	out := make([]byte, 0, len(text))
	for {
		n := bytes.IndexByte(text, '\\')
		if n < 0 {
			return string(append(out, text...))
		}
		out = append(out, text[:n]...)
		c := text[n+1]
		text = text[n+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex(text)
			text = text[4:]
			if utf16.IsSurrogate(r) {
				second := rune(-1)
				if len(text) >= 6 && text[0] == '\\' && text[1] == 'u' {
					second = hex(text[2:])
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					text = text[6:]
				}
			}
			out = utf8.AppendRune(out, r)
			continue
		}
		out = append(out, c)
	}
}
