package top

import (
	"strings"

	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// span is text with one look; a line is a sequence of spans.
type span struct {
	text string
	look term.Style
}

// line is one line of the screen.
type line struct {
	spans    []span
	selected bool
}

// longestText bounds how much of a text a cell takes, in bytes.
const longestText = 400

// clean makes a text safe for its cell: without control characters, without characters that reorder or hide others, and without variation
// selectors, which terminals treat differently.
func clean(s string) string {
	return text.Visible(term.Steady(s), longestText)
}

// column is how a column shrinks when the rows are wider than the screen. Step by step, from 1, columns are narrowed and left out until the
// rows fit.
type column struct {
	most   int // most cells it takes; 0 is any number
	ample  int // width to which it is narrowed before any other column, and beyond which it is widened after all others; 0 is any number
	least  int // what it is narrowed to
	narrow int // the step at which it is narrowed to least; 0 never
	drop   int // the step at which it is left out; 0 never
	scant  int // width that it keeps on a screen narrower than any step expects, before columns are left out; 0 keeps nothing
	right  bool
}

const (
	gap        = 2
	steps      = 7
	leastFirst = 6
)

// widths returns the columns' widths in a screen of width cells; a width of 0 leaves a column out. The widths depend on all rows, not only
// on those in sight, so that scrolling moves nothing.
func widths(columns []column, rows []row, width int) []int {
	w, natural := make([]int, len(columns)), make([]int, len(columns))
	for _, r := range rows {
		for i, c := range r.cells {
			if natural[i] = max(natural[i], term.Width(c.text)); columns[i].most > 0 {
				natural[i] = min(natural[i], columns[i].most)
			}
		}
	}
	copy(w, natural)
	over := -width - gap
	for _, n := range w {
		if n > 0 {
			over += n + gap
		}
	}
	wanted := make([]int, len(columns)) // of ample room
	for i, c := range columns {
		wanted[i] = natural[i]
		if c.ample > 0 {
			wanted[i] = min(natural[i], c.ample)
		}
		if by := min(over, w[i]-wanted[i]); by > 0 {
			w[i], over = w[i]-by, over-by
		}
	}
	for step := 1; step <= steps && over > 0; step++ {
		for i, c := range columns {
			if c.narrow == step && w[i] > c.least {
				by := min(over, w[i]-c.least)
				w[i], over = w[i]-by, over-by
			}
			if c.drop == step && w[i] > 0 && over > 0 {
				w[i], over = 0, over-w[i]-gap
			}
		}
	}
	if by := min(over, w[0]-leastFirst); by > 0 { // narrower than any useful screen: the first columns stay
		w[0], over = w[0]-by, over-by
	}
	for i, c := range columns {
		if c.scant > 0 && over > 0 && w[i]-c.scant >= over {
			w[i], over = w[i]-over, 0
		}
	}
	for i := len(w) - 1; i > 1 && over > 0; i-- {
		if w[i] > 0 {
			w[i], over = 0, over-w[i]-gap
		}
	}
	if len(w) > 1 {
		if by := min(over, max(0, w[1]-leastFirst)); by > 0 {
			w[1], over = w[1]-by, over-by
		}
	}
	for step := steps; step > 0; step-- { // a column left out may have made room: the column narrowed last gets it first
		for i, c := range columns {
			if more := min(-over, wanted[i]-w[i]); c.narrow == step && w[i] > 0 && more > 0 {
				w[i], over = w[i]+more, over+more
			}
		}
	}
	for i := range columns {
		if more := min(-over, natural[i]-w[i]); wanted[i] < natural[i] && w[i] > 0 && more > 0 {
			w[i], over = w[i]+more, over+more
		}
	}
	return w
}

// laid returns a row in columns of these widths.
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
