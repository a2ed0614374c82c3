package conflict

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines is a range of line numbers from 1, both ends included. A pure insertion
// after line n of the base is the empty range {n+1, n}.
type Lines struct{ First, Last int }

// String returns "12", "12-20", or "+13" for an insertion before line 13.
func (l Lines) String() string {
	switch {
	case l.Last < l.First:
		return "+" + strconv.Itoa(l.First)
	case l.First == l.Last:
		return strconv.Itoa(l.First)
	default:
		return fmt.Sprintf("%d-%d", l.First, l.Last)
	}
}

// MarshalJSON returns the range as String does.
func (l Lines) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// FormatLines joins ranges with commas, as stored in the registry.
func FormatLines(all []Lines) string {
	parts := make([]string, len(all))
	for i, l := range all {
		parts[i] = l.String()
	}
	return strings.Join(parts, ",")
}

// plain reports whether a path can be shown as it is.
func plain(path string) bool {
	if !utf8.ValidString(path) || strings.HasPrefix(path, `"`) {
		return false
	}
	return strings.IndexFunc(path, unicode.IsControl) < 0
}
