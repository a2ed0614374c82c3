package term

import (
	"io"
	"strings"
)

// Line prints one line of the result: the cells apart by two spaces on a
// terminal, by tabs in a pipe, with control characters escaped.
func (s *Streams) Line(cells ...string) error {
	apart := "\t"
	if s.OutTTY {
		apart = "  "
	}
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = Escape(cell)
	}
	_, err := io.WriteString(s.Out, strings.Join(escaped, apart)+"\n")
	return err
}

// Text prints several lines of the result, with control characters other than
// line breaks escaped.
func (s *Streams) Text(text string) error {
	_, err := io.WriteString(s.Out, EscapeText(text))
	return err
}
