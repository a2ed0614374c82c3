package term

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// mostLines is how many lines a text is wrapped to; a longer text is too long for a cell of a table, and ends with an ellipsis.
const mostLines = 50

// Wrap breaks text into lines of at most width cells: between words; within a
// word that is too long, behind a separator of paths and names, else anywhere.
func Wrap(text string, width int) []string {
	if len(text) <= width || width < 1 || Width(text) <= width {
		return []string{text}
	}
	var lines []string
	for rest := strings.TrimLeft(text, " "); rest != ""; {
		if len(lines) == mostLines-1 {
			return append(lines, Truncate(rest, width))
		}
		line := fitting(rest, width)
		lines = append(lines, strings.TrimRight(line, " "))
		rest = strings.TrimLeft(rest[len(line):], " ")
	}
	return lines
}

// fitting returns the beginning of text that fits on a line.
func fitting(text string, width int) string {
	head := displaywidth.TruncateString(text, width, "")
	if head == "" { // a character wider than the line
		_, size := utf8.DecodeRuneInString(text)
		head = text[:size]
	}
	if len(head) == len(text) || text[len(head)] == ' ' {
		return head
	}
	if at := strings.LastIndexByte(head, ' '); at > 0 {
		return head[:at+1]
	}
	if at := strings.LastIndexAny(head, "/,;|-_.:"); at > len(head)/3 {
		return head[:at+1]
	}
	return head
}

// longestWord is the width of the widest word of text.
func longestWord(text string) int {
	widest := 0
	for word := range strings.SplitSeq(text, " ") {
		widest = max(widest, Width(word))
	}
	return widest
}
