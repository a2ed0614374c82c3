// Package text holds the suite's rules for names and texts from people: which are accepted, that secrets are taken out of
// them, how names are compared, and which known name an unknown one was probably meant to be.
//
// It keeps no state and is safe for concurrent use.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// Limits of what is stored, in bytes.
const (
	MaxName = 200
	MaxBody = 64 << 10
)

// Name accepts a name as given, or returns an error. A name is one line of 1 to MaxName bytes of UTF-8, without control characters and not
// padded with white space. Spaces inside, quotes, leading dashes and any script are fine. field names the parameter in the error. Secrets
// are taken out.
func Name(field, s string) (string, error) {
	s, err := VerbatimName(field, s)
	return redact.Stored(s), err
}

// VerbatimName is Name with the secrets left in, for callers that take them out
// and count them.
func VerbatimName(field, s string) (string, error) {
	switch {
	case s == "":
		return "", fault.Validation(field, "%s is empty", field).WithHint("give a name")
	case len(s) > MaxName:
		return "", fault.Validation(field, "%s is %d bytes long, the limit is %d", field, len(s), MaxName).WithHint("give a shorter one")
	case !utf8.ValidString(s):
		return "", fault.Validation(field, "%s %q is not valid UTF-8", field, s).WithHint("give it in UTF-8")
	case strings.ContainsFunc(s, hidden):
		return "", fault.Validation(field, "%s %q holds a control or invisible character", field, s).WithHint("give a name of one visible line")
	case strings.TrimSpace(s) != s:
		return "", fault.Validation(field, "%s %q begins or ends with white space", field, s).WithHint("give it without")
	}
	return s, nil
}

// Body accepts a text of several lines and at most MaxBody bytes of UTF-8, or returns an error. White space around it is dropped, and
// secrets are taken out. It may be empty.
func Body(field, s string) (string, error) {
	s, err := Verbatim(field, s)
	return redact.Stored(s), err
}

// Verbatim is Body with the secrets left in, for callers that take them out and
// count them, or were told to keep them.
func Verbatim(field, s string) (string, error) {
	switch {
	case len(s) > MaxBody:
		return "", fault.Validation(field, "%s is %d bytes long, the limit is %d", field, len(s), MaxBody).WithHint("give a shorter text")
	case !utf8.ValidString(s):
		return "", fault.Validation(field, "%s is not valid UTF-8", field).WithHint("give it in UTF-8")
	case strings.ContainsRune(s, 0):
		return "", fault.Validation(field, "%s holds a NUL character", field).WithHint("give it without")
	}
	return strings.TrimSpace(s), nil
}

// hidden are characters that can make one name look like another or drive a terminal: controls, line separators, bidirectional overrides,
// and characters without width.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		(r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069') ||
		r == '\u200b' || (r >= '\u2060' && r <= '\u2064') || r == '\ufeff' || Tag(r)
}

// Key folds a name for comparison without case.
func Key(name string) string { return strings.ToLower(name) }

// FirstLine returns the first line of a text, cut to at most limit bytes at a
// character's edge.
func FirstLine(s string, limit int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimSpace(s)
	return Cut(s, limit)
}

// InRow returns the first line of s for a table: at most limit bytes, up to the end of a word, with " …" where s has more.
func InRow(s string, limit int) string {
	first := FirstLine(s, limit)
	if len(first) == len(strings.TrimSpace(s)) {
		return first
	}
	if at := strings.LastIndexByte(first, ' '); at > 0 && len(FirstLine(s, len(s))) > len(first) {
		first = strings.TrimSpace(first[:at])
	}
	return first + " …"
}

// Cut shortens s to at most limit bytes at a character's edge.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Count writes a number with its noun: "1 task", "2 tasks".
func Count(n int, one, many string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, one, many))
}

// Plural returns the word that goes with a number: "is" or "are".
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
