package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Visible makes one line of at most limit bytes of what a program said, for people to
// read: control sequences of terminals, control characters and those that only reorder or
// hide others are taken out, and white space becomes single spaces. What is cut off is
// shown by an ellipsis.
func Visible(s string, limit int) string {
	s = controlSequence().ReplaceAllString(strings.ToValidUTF8(Cut(s, maxVisible), ""), "")
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

// maxVisible bounds what Visible looks at, in bytes.
const maxVisible = 16 << 10

// controlSequence is what drives a terminal: CSI, the strings of OSC, DCS, SOS, PM and
// APC, and what else begins with an escape.
var controlSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)`)
})
