package term

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text"
)

// Escape makes text safe to print on one line: control characters, invalid bytes, and characters that are invisible or reorder the text
// become visible escapes such as \x1b, \t, \n, \u202e and \U000e0041. A backslash stays as it is, since paths hold them; the result is for
// eyes, not for reading back.
func Escape(text string) string { return escape(text, false) }

// EscapeText is Escape for text of several lines: line feeds and tabs stay.
func EscapeText(text string) string { return escape(text, true) }

func escape(text string, keepLayout bool) string {
	if !needsEscape(text, keepLayout) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case keepLayout && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unsafeRune(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unsafeRune(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unsafeRune(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func needsEscape(text string, keepLayout bool) bool {
	for i, r := range text {
		switch {
		case keepLayout && (r == '\n' || r == '\t'):
		case unsafeRune(r):
			return true
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return true
			}
		}
	}
	return false
}

// unsafeRune reports characters that can drive a terminal or misrepresent the text around them: C0, DEL, C1, line separators, bidirectional
// controls, and characters that are read but not seen. The joiners are not among them, because several scripts and emoji need them.
func unsafeRune(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x2028, r == 0x2029:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	case r == 0x200b, r >= 0x2060 && r <= 0x2064, r >= 0x206a && r <= 0x206f, r == 0xfeff, text.Tag(r):
		return true
	}
	return false
}
