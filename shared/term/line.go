package term

import (
	"io"
	"strings"
)

// Line prints one line of the result with control characters escaped. Two spaces separate the cells on a terminal, tabs in a pipe.
func (s *Streams) Line(cells ...string) error {
	painted := make([]Painted, len(cells))
	for i, cell := range cells {
		painted[i] = s.Plain(cell)
	}
	return s.Row(painted...)
}

// Row is Line for cells that may be painted.
func (s *Streams) Row(cells ...Painted) error {
	apart := "\t"
	if s.OutTTY {
		apart = columnGap
	}
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString(apart)
		}
		b.WriteString(string(cell))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(s.Out, b.String())
	return err
}

// Text prints several lines of the result, with control characters other than
// line breaks escaped.
func (s *Streams) Text(text string) error {
	_, err := io.WriteString(s.Out, EscapeText(text))
	return err
}
