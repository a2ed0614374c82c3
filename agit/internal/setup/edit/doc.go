// Package edit changes the configuration files of other programs and keeps what
// people wrote in them: comments, order, indentation, line ends, trailing commas.
//
// An edit goes from text to text. It parses first and refuses what does not
// parse, puts in or takes out whole entries at the places the parser names, and
// parses again: the result must hold what was there before and the entry, and
// nothing else may differ. Taking an entry out restores the bytes from before it
// was put in, wherever else the file was changed meanwhile. The package opens no
// file and keeps no state; everything in it is safe for concurrent use.
package edit

import (
	"errors"
	"fmt"
	"strings"
)

// MaxBytes is the size beyond which a file is left alone. Files that people configure by hand are smaller; so is Claude Code's own state
// file.
const MaxBytes = 16 << 20

// maxDepth bounds nesting, since the parsers are recursive.
const maxDepth = 200

// ErrChanged is returned when an edit would have changed more than its own entry.
var ErrChanged = errors.New("the entry cannot be put in or taken out without changing something else")

// Added is what Put wrote besides an entry. Take needs it to restore the bytes from before; with the zero value it judges by the text
// around the entry.
type Added struct {
	Before string `json:"before,omitempty"` // white space in front of the entry
	After  string `json:"after,omitempty"`  // and behind it
	// Made are the containers that were made for the entry, the outermost first. Before and After are then those of the outermost
	// container.
	Made [][]string `json:"made,omitempty"`
	// Text is everything that was put in, if that is one piece.
	Text string `json:"text,omitempty"`
	// Keys are the members that were added to an existing entry, which stays when they are taken out. After is then behind the last of them.
	Keys []string `json:"keys,omitempty"`
}

// Bequeath passes the white space behind the entries of a container on to a remaining entry, when the entry that it was put in with is
// taken out.
func (a *Added) Bequeath(to *Added) {
	if len(a.Made) == 0 && len(to.Made) == 0 && to.After == "" {
		to.After, a.After = a.After, ""
	}
}

// lineEnd returns the line end that most lines of a text have.
func lineEnd(text string) string {
	if 2*strings.Count(text, "\r\n") > strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}

// bom is the byte order mark that some Windows editors put at the beginning of a text.
const bom = "\ufeff"

// readable refuses texts that the parsers should not be given.
func readable(text string) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("it is larger than %d MB", MaxBytes>>20)
	}
	depth := 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString && c == '\n':
			inString = false
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is nested more than %d deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
