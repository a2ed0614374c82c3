package text

import (
	"fmt"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/redact"
)

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
