package term

import (
	"bufio"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Column describes one column of a Table.
type Column struct {
	Title string
	// Flex marks a column that may be cut short, with an ellipsis, when the
	// table is wider than the terminal. Ids and paths people copy are not flex.
	Flex bool
	// Right aligns numbers.
	Right bool
	// Style gives the look of a cell from its text; nil is Plain.
	Style func(cell string) Style
}

// Table is rows of text under headings: aligned columns for people on a
// terminal, tab-separated values without headings, padding or colour elsewhere.
type Table struct {
	columns []Column
	rows    [][]string
}

const (
	columnGap    = "  "
	smallestFlex = 8 // a column cut below this says nothing any more
)

// NewTable makes an empty table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Add appends a row. Missing cells are empty, extra ones are dropped.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.columns))
	for i := range row {
		if i < len(cells) {
			row[i] = Escape(cells[i])
		}
	}
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// WriteTo prints the table on s.Out. A table without rows prints nothing.
func (t *Table) WriteTo(s *Streams) error {
	if len(t.rows) == 0 {
		return nil
	}
	w := bufio.NewWriter(s.Out)
	if s.OutTTY {
		t.writeAligned(w, s)
	} else {
		t.writeTabbed(w)
	}
	return w.Flush()
}

func (t *Table) writeTabbed(w io.StringWriter) {
	for _, row := range t.rows {
		_, _ = w.WriteString(strings.Join(row, "\t") + "\n")
	}
}

func (t *Table) writeAligned(w io.StringWriter, s *Streams) {
	widths := t.widths(s.Columns)
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = strings.ToUpper(c.Title)
	}
	t.writeRow(w, s, heads, widths, func(int, string) Style { return Dim })
	for _, row := range t.rows {
		t.writeRow(w, s, row, widths, t.style)
	}
}

func (t *Table) style(column int, cell string) Style {
	if f := t.columns[column].Style; f != nil {
		return f(cell)
	}
	return Plain
}

func (t *Table) writeRow(w io.StringWriter, s *Streams, cells []string, widths []int, style func(int, string) Style) {
	var b strings.Builder
	last := len(cells) - 1
	for last > 0 && cells[last] == "" {
		last-- // no trailing blanks
	}
	for i := 0; i <= last; i++ {
		if i > 0 {
			b.WriteString(columnGap)
		}
		shown := Truncate(cells[i], widths[i])
		pad := strings.Repeat(" ", max(0, widths[i]-Width(shown)))
		painted := s.Paint(style(i, cells[i]), shown)
		switch {
		case t.columns[i].Right:
			b.WriteString(pad + painted)
		case i == last:
			b.WriteString(painted)
		default:
			b.WriteString(painted + pad)
		}
	}
	b.WriteByte('\n')
	_, _ = w.WriteString(b.String())
}

// widths gives each column its natural width, then takes cells from the widest
// flexible column until the table fits.
func (t *Table) widths(limit int) []int {
	widths := make([]int, len(t.columns))
	total := len(columnGap) * max(0, len(widths)-1)
	for i, c := range t.columns {
		widths[i] = Width(c.Title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], Width(row[i]))
		}
		total += widths[i]
	}
	for limit > 0 && total > limit {
		widest, next := -1, smallestFlex
		for i, c := range t.columns {
			switch {
			case !c.Flex || widths[i] <= smallestFlex:
			case widest < 0 || widths[i] > widths[widest]:
				if widest >= 0 {
					next = max(next, widths[widest])
				}
				widest = i
			default:
				next = max(next, widths[i])
			}
		}
		if widest < 0 {
			break // nothing gives: let the terminal wrap it
		}
		// Down to the second widest, or one cell where they are equal, so that
		// a huge cell costs no loop per character.
		cut := min(total-limit, max(1, widths[widest]-next))
		widths[widest] -= cut
		total -= cut
	}
	return widths
}

// Width is the number of terminal cells text takes.
func Width(text string) int { return displaywidth.String(text) }

// Truncate cuts text to at most width cells, ending it with an ellipsis when
// something was cut.
func Truncate(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return displaywidth.TruncateString(text, width, "…")
}
