package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/redact"
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

// longestTold is how many bytes of a message or of an id an error repeats. Longer texts would fill a terminal, or an agent's context, with
// its own input.
const longestTold = 4000

// Brief leaves out the middle of a text that is too long for an error, because most messages end with what was wrong. Secrets are taken out
// of a long text first, since half a secret is not recognised any more.
func Brief(s string) string {
	if len(s) <= longestTold {
		return s
	}
	s = redact.Clean(s)
	if len(s) <= longestTold {
		return s
	}
	head, from := Cut(s, longestTold/2), len(s)-longestTold/2
	for !utf8.RuneStart(s[from]) {
		from++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", head, from-len(head), s[from:])
}

// Each returns a text for each of some things, in their order.
func Each[T any](things []T, of func(T) string) (texts []string) {
	for _, one := range things {
		texts = append(texts, of(one))
	}
	return texts
}

// Few names the first five of many, and how many more there are: "a, b, c, d, e and 2 more". A name with control
// characters is quoted.
func Few(names []string) string {
	const few = 5
	quoted := make([]string, 0, few)
	for _, name := range names[:min(len(names), few)] {
		if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			name = fmt.Sprintf("%q", name)
		}
		quoted = append(quoted, name)
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - few; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// Size formats a number of bytes for people, with one decimal below 10: "900 bytes", "1.2 MB", "512 MB". Units are powers of 1024, as in
// the configuration.
func Size(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return Count(int(bytes), "byte", "bytes")
	}
	value, names := float64(bytes)/unit, []string{"KB", "MB", "GB"}
	for value >= unit-0.5 && len(names) > 1 {
		value, names = value/unit, names[1:]
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, names[0])
	}
	return fmt.Sprintf("%.0f %s", value, names[0])
}
