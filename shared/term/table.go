package term

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Column describes one column of a Table, and how it shrinks when the table is wider than the terminal.
type Column struct {
	Title string
	// Flex marks text that is wrapped. Columns without a mark stay in one piece,
	// so that ids can be copied, unless nothing else gives way.
	Flex bool
	// Short marks ids, keys and branches that people can read and type without their end: they are cut with an ellipsis. A text with both
	// marks is narrowed as text is, and cut, so that its row stays one line.
	Short bool
	// Below marks text that is read after the row, such as what to do about it. When the table is wider than the terminal, the text stands
	// under its row with the title, and the other columns take the room. Where that is not enough, other columns follow it there: first
	// text, then from the right, and never the first column.
	Below bool
	// Spare marks what a narrow terminal can do without: the column is left out where the table is wider than it.
	Spare bool
	// Right aligns numbers.
	Right bool
	// Style returns the style of a cell from its text; nil is Plain.
	Style func(cell string) Style
}

// Table is rows of text under headings: aligned columns for people on a
// terminal, tab-separated values without headings, padding or colour elsewhere.
type Table struct {
	columns []Column
	rows    [][]string
	before  [2][]int // widths and longest words of rows that Follow printed
}

const columnGap = "  "

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

// Follow prints one row now, without headings. On a terminal it is aligned with the rows before it, as far as their widths show.
func (t *Table) Follow(s *Streams, cells ...string) error {
	t.rows = t.rows[:0]
	t.Add(cells...)
	w := bufio.NewWriter(s.Out)
	if s.OutTTY {
		t.steady()
		widths, words := t.natural()
		t.before = [2][]int{widths, words}
		rows, below := t.split(s.Columns)
		widths = rows.widths(s.Columns)
		rows.writeRow(w, s, rows.rows[0], widths, rows.style)
		below.writeNotes(w, s, 0, indent(widths, s.Columns))
	} else {
		t.writeTabbed(w)
	}
	t.rows = t.rows[:0]
	return w.Flush()
}

func (t *Table) writeTabbed(w io.StringWriter) {
	for _, row := range t.rows {
		_, _ = w.WriteString(strings.Join(row, "\t") + "\n")
	}
}

// filled returns the table without the columns that are empty in every row, which would only take room from the others.
func (t *Table) filled() *Table {
	next := -1
	return t.without(func(Column) bool {
		next++
		return !slices.ContainsFunc(t.rows, func(row []string) bool { return row[next] != "" })
	})
}

// without returns the table without some of its columns.
func (t *Table) without(dropped func(Column) bool) *Table {
	var kept []int
	for i, c := range t.columns {
		if !dropped(c) {
			kept = append(kept, i)
		}
	}
	if len(kept) == len(t.columns) {
		return t
	}
	out := &Table{rows: make([][]string, len(t.rows))}
	for _, i := range kept {
		out.columns = append(out.columns, t.columns[i])
		for n := range t.before {
			if t.before[n] != nil {
				out.before[n] = append(out.before[n], t.before[n][i])
			}
		}
		for n, row := range t.rows {
			out.rows[n] = append(out.rows[n], row[i])
		}
	}
	return out
}

func (t *Table) writeAligned(w io.StringWriter, s *Streams) {
	t.steady()
	t, below := t.filled().fewer(s.Columns).split(s.Columns)
	widths := t.widths(s.Columns)
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = strings.ToUpper(c.Title)
	}
	t.writeRow(w, s, heads, widths, func(int, string) Style { return Dim })
	for n, row := range t.rows {
		t.writeRow(w, s, row, widths, t.style)
		below.writeNotes(w, s, n, indent(widths, s.Columns))
	}
}

// fewer returns the table without its spare columns when it is limited to limit cells.
func (t *Table) fewer(limit int) *Table {
	if natural, _ := t.natural(); limit <= 0 || across(natural) <= limit {
		return t
	}
	return t.without(func(c Column) bool { return c.Spare })
}

// split returns the table without the columns that stand below its rows when it is limited to limit cells, and a table of those columns
// alone: those that are meant to, and as many others as keep the rest from being cut within words.
func (t *Table) split(limit int) (rows, below *Table) {
	natural, words := t.natural()
	if limit <= 0 || across(natural) <= limit {
		return t, &Table{}
	}
	moved := make([]bool, len(t.columns))
	least := make([]int, 0, len(t.columns))
	for i, c := range t.columns {
		moved[i] = c.Below
		least = append(least, min(natural[i], t.least(i, words[i])))
	}
	for {
		var left []int
		last, text := 0, 0 // the last column that may move, and the last one of text
		for i, c := range t.columns {
			if moved[i] {
				continue
			}
			if len(left) > 0 {
				last = i
				if c.Flex {
					text = i
				}
			}
			left = append(left, least[i])
		}
		if across(left) <= limit || len(left) < 2 {
			break
		}
		moved[cmp.Or(text, last)] = true
	}
	at, kept := -1, -1
	return t.without(func(Column) bool { at++; return moved[at] }), t.without(func(Column) bool { kept++; return !moved[kept] })
}

// least returns the width below which column i is not narrowed while another column can stand below the rows.
func (t *Table) least(i, word int) int {
	c := t.columns[i]
	width := word
	switch {
	case c.Short && c.Flex:
		width = tightText
	case c.Flex:
		width = leastText
	case c.Short:
		width = leastShort
	}
	return max(width, Width(c.Title))
}

// indent returns how many cells the text below a row is indented: it begins under the second column, where that leaves the text enough
// room to read well.
func indent(widths []int, limit int) int {
	if len(widths) > 1 {
		if cells := widths[0] + len(columnGap); limit-cells >= roomyText {
			return cells
		}
	}
	return len(columnGap)
}

// writeNotes prints the cells of row n behind their titles: each text on lines of its own, and the others beside each other.
func (t *Table) writeNotes(w io.StringWriter, s *Streams, n, indent int) {
	room, used := s.Columns-indent, 0
	for i, c := range t.columns {
		text := t.rows[n][i]
		if text == "" {
			continue
		}
		if c.Title != "" {
			text = strings.ToLower(c.Title) + ": " + text
		}
		style := t.style(i, t.rows[n][i])
		if used > 0 && !c.Flex && used+len(columnGap)+Width(text) <= room {
			_, _ = w.WriteString(columnGap + string(s.Paint(style, text)))
			used += len(columnGap) + Width(text)
			continue
		}
		lines := Wrap(text, room)
		if c.Short {
			lines = []string{Truncate(text, room)}
		}
		for _, line := range lines {
			if used > 0 {
				_, _ = w.WriteString("\n")
			}
			_, _ = w.WriteString(strings.Repeat(" ", indent) + string(s.Paint(style, line)))
			used = Width(line)
		}
		if c.Flex {
			used = room
		}
	}
	if used > 0 {
		_, _ = w.WriteString("\n")
	}
}

func (t *Table) style(column int, cell string) Style {
	if f := t.columns[column].Style; f != nil {
		return f(cell)
	}
	return Plain
}

// writeRow prints a row on as many lines as its longest cell takes.
func (t *Table) writeRow(w io.StringWriter, s *Streams, cells []string, widths []int, style func(int, string) Style) {
	lines := make([][]string, len(cells))
	height := 1
	for i, cell := range cells {
		if t.columns[i].Short {
			lines[i] = []string{Truncate(cell, widths[i])}
		} else {
			lines[i] = Wrap(cell, widths[i])
		}
		height = max(height, len(lines[i]))
	}
	for n := range height {
		var b strings.Builder
		blank := 0 // cells owed to the columns before
		for i := range cells {
			text := ""
			if n < len(lines[i]) {
				text = lines[i][n]
			}
			pad := max(0, widths[i]-Width(text))
			if text != "" {
				if t.columns[i].Right {
					blank, pad = blank+pad, 0
				}
				b.WriteString(strings.Repeat(" ", blank))
				b.WriteString(string(s.Paint(style(i, cells[i]), text)))
				blank = 0
			}
			blank += pad + len(columnGap)
		}
		_, _ = w.WriteString(b.String() + "\n")
	}
}

// Below these widths the kinds of columns are not narrowed while others can be.
const (
	roomyText  = 40 // what reads well
	leastShort = 12 // tells ids apart
	leastText  = 20
	tightText  = 12 // holds an id
	leastCell  = 4
)

// widths starts with each column at its natural width, and narrows columns, kind by kind, until the table fits into limit cells.
func (t *Table) widths(limit int) []int {
	widths, words := t.natural()
	total := across(widths)
	if limit <= 0 || total <= limit {
		return widths
	}
	over := total - limit
	text := func(c Column) bool { return c.Flex }
	short := func(c Column) bool { return c.Short && !c.Flex }
	rest := func(c Column) bool { return !c.Flex && !c.Short }
	titled := func(width int) func(int) int { // headings stay in one piece
		return func(i int) int { return max(width, Width(t.columns[i].Title)) }
	}
	over = t.narrow(widths, over, text, titled(roomyText))
	over = t.narrow(widths, over, short, titled(leastShort))
	over = t.narrow(widths, over, text, titled(leastText))
	over = t.narrow(widths, over, text, titled(tightText))
	over = t.narrow(widths, over, rest, func(i int) int { return t.least(i, words[i]) })
	t.narrow(widths, over, func(Column) bool { return true }, func(int) int { return leastCell })
	return widths
}

// across returns how many cells columns of these widths take.
func across(widths []int) int {
	total := len(columnGap) * max(0, len(widths)-1)
	for _, width := range widths {
		total += width
	}
	return total
}

// natural returns how wide each column is, and its longest word.
func (t *Table) natural() (widths, words []int) {
	widths, words = make([]int, len(t.columns)), make([]int, len(t.columns))
	copy(widths, t.before[0])
	copy(words, t.before[1])
	for i, c := range t.columns {
		widths[i] = max(widths[i], Width(c.Title))
		words[i] = max(words[i], longestWord(c.Title))
		for _, row := range t.rows {
			widths[i] = max(widths[i], Width(row[i]))
			words[i] = max(words[i], longestWord(row[i]))
		}
	}
	return widths, words
}

// narrow removes over cells from the columns of a kind, always from the widest column and never below the least width. It returns how many
// it could not remove.
func (t *Table) narrow(widths []int, over int, kind func(Column) bool, least func(int) int) int {
	for over > 0 {
		widest, next := -1, 0
		for i, c := range t.columns {
			switch {
			case !kind(c) || widths[i] <= least(i):
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
			return over
		}
		// Cut down to the second widest, or by one cell when they are equal, so that a huge cell does not cost one loop per character.
		cut := min(over, max(1, widths[widest]-max(next, least(widest))))
		widths[widest] -= cut
		over -= cut
	}
	return 0
}

// Width returns the number of terminal cells of text: 0 for combining marks, 2 for wide characters, and the width of one character for
// characters that joiners join (https://www.unicode.org/reports/tr11, tr29). Right-to-left text takes as many cells as its letters.
func Width(text string) int { return displaywidth.String(text) }

// Steady returns text without variation selectors, which turn a character into an emoji or back: terminals disagree about its width then.
// In columns the character is shown as it is without them.
func Steady(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xfe00 && r <= 0xfe0f {
			return -1
		}
		return r
	}, text)
}

// steady applies Steady to the cells of all rows.
func (t *Table) steady() {
	for _, row := range t.rows {
		for i := range row {
			row[i] = Steady(row[i])
		}
	}
}

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

// TruncateStart is Truncate at the beginning, for paths: their ends tell them apart.
func TruncateStart(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	runes := []rune(text)
	for len(runes) > 0 && Width(string(runes)) > width-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}
