package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible reduces the output of a program to one line of at most limit bytes for people. Terminal control sequences, control characters and
// characters that only reorder or hide others are taken out, and white space becomes single spaces. An ellipsis marks a cut.
func Visible(s string, limit int) string {
	s = controlSequence.Regexp().ReplaceAllString(strings.ToValidUTF8(Cut(s, maxVisible), ""), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	return strings.TrimSpace(Cut(s, limit-len("…"))) + "…"
}

// maxVisible bounds how many bytes Visible looks at.
const maxVisible = 16 << 10

// controlSequence matches everything that drives a terminal: CSI, the strings of OSC, DCS, SOS, PM and APC, and any other sequence that
// begins with an escape.
var controlSequence = Pattern{Expr: `\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)`}

// Tag reports whether r is a Unicode tag: an invisible copy of an ASCII character. Models read a sentence of tags; people do not see it.
func Tag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

// ShowTags makes the tags in a JSON document visible, as \U000e0041 in its strings;
// a document without any is returned as it is.
func ShowTags(doc []byte) []byte {
	if !bytes.Contains(doc, tagPrefix) {
		return doc
	}
	var b bytes.Buffer
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		if Tag(r) {
			fmt.Fprintf(&b, `\\U%08x`, r)
		} else {
			b.Write(doc[:size])
		}
		doc = doc[size:]
	}
	return b.Bytes()
}

// tagPrefix is the beginning of the UTF-8 encoding of every tag.
var tagPrefix = []byte("\xf3\xa0")
