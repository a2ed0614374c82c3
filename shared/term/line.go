package term

import (
	"io"
	"slices"
	"strings"
)

// hanging is the widest first cell beside which a line that is too long goes on.
const hanging = 16

// Line prints one line of the result with control characters escaped. Two spaces separate the cells on a terminal, tabs in a pipe. A line
// with text that is wider than the terminal is wrapped between words, beside its first cell where that is short. Names and paths are not.
func (s *Streams) Line(cells ...string) error {
	if whole := Escape(strings.Join(cells, columnGap)); s.OutTTY && s.Columns > 0 && Width(whole) > s.Columns && slices.ContainsFunc(cells, isText) {
		first, rest := "", whole
		if len(cells) > 1 {
			first = Escape(cells[0]) + columnGap
			if Width(first) > hanging {
				first = ""
			}
			rest = strings.TrimPrefix(whole, first)
		}
		lines := strings.Split(wrapSaid(rest, s.Columns-Width(first), 0), "\n")
		for i := range lines {
			lines[i] = strings.Trim(lines[i], " ")
		}
		return s.Text(first + strings.Join(lines, "\n"+strings.Repeat(" ", Width(first))) + "\n")
	}
	painted := make([]Painted, len(cells))
	for i, cell := range cells {
		painted[i] = s.Plain(cell)
	}
	return s.Row(painted...)
}

// Lines prints a line for each row of cells.
func (s *Streams) Lines(rows ...[]string) error {
	for _, cells := range rows {
		if err := s.Line(cells...); err != nil {
			return err
		}
	}
	return nil
}

func isText(cell string) bool { return strings.Contains(strings.TrimSpace(cell), " ") }

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
