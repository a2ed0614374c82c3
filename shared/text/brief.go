package text

import (
	"fmt"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/redact"
)

// longestTold is how many bytes of a message, or of an id, an error repeats;
// longer ones fill a terminal, or an agent's context, with what it gave itself.
const longestTold = 4000

// Brief leaves out the middle of what is too long for an error: what was wrong
// stands at the end of most messages. Secrets of a long one are taken out first,
// since half of one is not recognised any more.
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
