package top

import (
	"strings"

	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// span is text of one look; a line is spans beside each other.
type span struct {
	text string
	look term.Style
}

// line is one line of the screen.
type line struct {
	spans    []span
	selected bool
}

// String is the line without looks.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(s.text)
	}
	return strings.TrimRight(b.String(), " ")
}

// longestText bounds what is taken of a text for a cell, in bytes.
const longestText = 400

// clean makes a text one that keeps its cell: no control characters, nothing that
// reorders or hides others, and no variation selectors, on which terminals disagree.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 0xfe00 && r <= 0xfe0f {
			return -1
		}
		return r
	}, s)
	return text.Visible(s, longestText)
}

// column says what may become of a column where the rows are wider than the screen.
type column struct {
	most  int  // cells it takes at most; 0 is any number
	flex  bool // narrowed first, down to least
	cut   bool // narrowed when that is not enough, down to least
	least int
	drop  int  // left out when all that is not enough, the highest number first; 0 never
	right bool // aligned, as numbers are
}

const gap = 2

// widths are the columns' widths in a screen of width cells; 0 leaves one out. They
// follow from all rows and not from those in sight, so that nothing moves by scrolling.
func widths(columns []column, rows []row, width int) []int {
	w := make([]int, len(columns))
	for _, r := range rows {
		for i, c := range r.cells {
			w[i] = max(w[i], term.Width(c.text))
			if most := columns[i].most; most > 0 {
				w[i] = min(w[i], most)
			}
		}
	}
	over := -width - gap
	for _, n := range w {
		if n > 0 {
			over += n + gap
		}
	}
	narrow := func(which func(column) bool) {
		for i, c := range columns {
			if over > 0 && which(c) && w[i] > c.least {
				by := min(over, w[i]-c.least)
				w[i], over = w[i]-by, over-by
			}
		}
	}
	narrow(func(c column) bool { return c.flex })
	narrow(func(c column) bool { return c.cut })
	for drop := len(columns); over > 0 && drop > 0; drop-- {
		for i, c := range columns {
			if c.drop == drop && w[i] > 0 && over > 0 {
				over -= w[i] + gap
				w[i] = 0
			}
		}
	}
	for i := len(w) - 1; i >= 0 && over > 0; i-- { // a screen narrower than what is never left out
		if by := min(over, max(0, w[i]-4)); by > 0 {
			w[i], over = w[i]-by, over-by
		}
	}
	if over < 0 { // what was narrowed may have room again
		for i, c := range columns {
			if c.flex && w[i] > 0 {
				longest := 0
				for _, r := range rows {
					longest = max(longest, term.Width(r.cells[i].text))
				}
				more := min(-over, longest-w[i])
				if more > 0 {
					w[i], over = w[i]+more, over+more
				}
			}
		}
	}
	return w
}

// laid is a row in columns of these widths.
func laid(r row, columns []column, widths []int) []span {
	var spans []span
	for i, c := range r.cells {
		if widths[i] == 0 {
			continue
		}
		s := term.Truncate(c.text, widths[i])
		pad := strings.Repeat(" ", max(0, widths[i]-term.Width(s)))
		if columns[i].right {
			s, pad = pad+s, ""
		}
		spans = append(spans, span{s, c.look}, span{pad + strings.Repeat(" ", gap), term.Plain})
	}
	return spans
}
