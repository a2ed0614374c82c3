package memoryfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/reference"
	"github.com/agit-suite/agit/shared/text"
)

// Place is the target of a citation.
type Place struct {
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`     // from 1; 0 cites the file as a whole
	EndLine int    `json:"end_line,omitempty"` // of a range, else 0
}

// Edit collects changes of one memory; Bytes applies them all. Everything but
// the bytes changed stays as it is.
type Edit struct {
	m       *Memory
	changes []change
	rows    []string // appended to the table
	items   []string // appended to the metadata
}

// change replaces a range by text.
type change struct {
	span
	text string
}

// Edit begins a change of the memory, which must have been parsed with All.
func (m *Memory) Edit() *Edit { return &Edit{m: m} }

func (e *Edit) replace(s span, text string) {
	shared := slices.ContainsFunc(e.changes, func(c change) bool { return c.span == s }) // two references share a path
	if !shared && string(e.m.src[s.start:s.end]) != text {
		e.changes = append(e.changes, change{s, text})
	}
}

// Move points a citation, or a reference in prose, to another place.
func (e *Edit) Move(c Citation, to Place) error {
	if c.Form == Cite {
		if c.destination.none() {
			return fmt.Errorf("the link's address stands elsewhere in the memory")
		}
		e.replace(c.destination, linkTo(to))
		return nil
	}
	if to.Path != c.Path {
		path, err := e.pathText(c, to.Path)
		if err != nil {
			return err
		}
		e.replace(c.path, path)
	}
	if !c.line.none() && to.Line > 0 {
		e.replace(c.line, strconv.Itoa(to.Line))
		if !c.end.none() {
			e.replace(c.end, strconv.Itoa(max(to.EndLine, to.Line)))
		}
	}
	return nil
}

// Nameable reports whether a memory can name a path at all: the path must be text of one line without a backtick.
func Nameable(path string) bool {
	return utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool { return unicode.IsControl(r) || r == '`' })
}

// pathText writes a path where another one stood.
func (e *Edit) pathText(c Citation, path string) (string, error) {
	if !Nameable(path) {
		return "", fmt.Errorf("the path %q cannot be written into markdown", path)
	}
	if c.Form == Table {
		return strings.ReplaceAll(path, "|", `\|`), nil
	}
	if c.linked {
		if e.m.src[c.path.start] == '/' {
			path = "/" + path
		}
		return linkTo(Place{Path: path}), nil
	}
	if _, ok := reference.Whole([]byte(path + ":1")); ok && c.whole {
		return path, nil
	}
	if found := reference.Find([]byte(path + ":1")); len(found) != 1 || found[0].Path != reference.Clean(path) {
		return "", fmt.Errorf("the path %q cannot be written as path:line", path)
	}
	return path, nil
}

// linkTo is the address of a cite link.
func linkTo(to Place) string {
	var b strings.Builder
	for i := range len(to.Path) {
		switch c := to.Path[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte(`#?%()<>\[]"`, c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	if to.Line > 0 {
		fmt.Fprintf(&b, "#L%d", to.Line)
		if to.EndLine > to.Line {
			fmt.Fprintf(&b, "-L%d", to.EndLine)
		}
	}
	return b.String()
}

// Quote is a snippet, with neighbouring lines where they are needed to distinguish it from equal text.
type Quote struct {
	Snippet string `json:"snippet,omitempty"`
	After   string `json:"after,omitempty"` // a line close above the snippet
	Before  string `json:"before,omitempty"`
}

// Cell writes the quote as a table's cell.
func (q Quote) Cell() string {
	cell := SnippetCell(q.Snippet)
	for _, side := range []struct{ word, line string }{{"after", q.After}, {"before", q.Before}} {
		if text := SnippetCell(side.line); text != "" && cell != "" {
			cell += " " + side.word + " " + text
		}
	}
	return cell
}

// Quote replaces a citation's snippet in the table; a table without a column for it stays as it is.
func (e *Edit) Quote(c Citation, q Quote) {
	if cell, ok := e.cell(c, snippetColumn); ok {
		e.replace(cell, q.Cell())
	}
}

// Verified writes the day on which a citation was found true into the table, if it has a column for that.
func (e *Edit) Verified(c Citation, day string) {
	if cell, ok := e.cell(c, verifiedColumn); ok {
		if cell.start == cell.end { // keep one space on both sides
			e.fill(cell, day)
			return
		}
		e.replace(cell, day)
	} else if c.row != nil {
		e.extend(c.row, slices.Index(c.row.table.columns, verifiedColumn), day)
	}
}

// extend adds the cells that a row is too short for.
func (e *Edit) extend(r *row, at int, text string) {
	if at < len(r.cells) {
		return
	}
	missing, end := at-len(r.cells), span{r.line.end, r.line.end}
	for end.start > r.line.start && (e.m.src[end.start-1] == ' ' || e.m.src[end.start-1] == '\t') {
		end.start--
	}
	if r.tail {
		e.replace(end, strings.Repeat("  |", missing)+" "+text+" |")
		return
	}
	e.replace(end, strings.Repeat(" | ", missing)+" | "+text)
}

// fill writes into an empty cell, which may have no space for text.
func (e *Edit) fill(cell span, text string) {
	before, after := " ", " "
	if cell.start > 0 && e.m.src[cell.start-1] == ' ' {
		before = ""
	}
	if cell.end < len(e.m.src) && e.m.src[cell.end] == ' ' {
		after = ""
	}
	e.replace(cell, before+text+after)
}

// cell finds the cell of a citation's row under a column.
func (e *Edit) cell(c Citation, want column) (span, bool) {
	if c.row == nil {
		return span{}, false
	}
	at := slices.Index(c.row.table.columns, want)
	if at < 0 {
		return span{}, false
	}
	if at < len(c.row.cells) {
		return c.row.cells[at], true
	}
	return span{}, false
}

// Add appends a row to the table of citations, and creates table and section when they are missing. day may be empty.
func (e *Edit) Add(to Place, quote Quote, day string) error {
	path := to.Path
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) || path != strings.TrimSpace(path) || path == "" {
		return fmt.Errorf("the path %q cannot be written into a table", path)
	}
	line := ""
	if to.Line > 0 {
		line = strconv.Itoa(to.Line)
		if to.EndLine > to.Line {
			line += "-" + strconv.Itoa(to.EndLine)
		}
	}
	t := e.m.marks.table
	if t == nil {
		t = &table{columns: headless, lead: true, tail: true}
	}
	e.rows = append(e.rows, t.row(path, line, quote.Cell(), day))
	return nil
}

// row writes a row in the order and style of the table.
func (t *table) row(path, line, snippet, day string) string {
	path = strings.ReplaceAll(path, "|", `\|`)
	if line != "" && !slices.Contains(t.columns, lineColumn) {
		path, line = path+":"+line, ""
	}
	if t.quoted && !strings.Contains(path, "`") {
		path = "`" + path + "`"
	}
	cells := make([]string, len(t.columns))
	left := map[column]string{fileColumn: path, lineColumn: line, snippetColumn: snippet, verifiedColumn: day}
	for i, c := range t.columns {
		cells[i] = left[c]
		delete(left, c)
	}
	text := strings.Join(cells, " | ")
	if t.lead || len(cells) < 2 {
		text = "| " + text
	}
	if t.tail || cells[len(cells)-1] == "" || len(cells) < 2 {
		text += " |"
	}
	return text
}

// maxSnippet bounds the quoted part of a line, in bytes.
const maxSnippet = 200

// SnippetCell writes a snippet as a table's cell: code, one piece for each line.
func SnippetCell(snippet string) string {
	var pieces []string
	for line := range strings.SplitSeq(snippet, "\n") {
		if text := Quotable(line); text != "" {
			pieces = append(pieces, codeSpan(strings.ReplaceAll(text, "|", `\|`)))
		}
	}
	return strings.Join(pieces, "<br>")
}

// Quotable returns the part of a line of code that a table can hold: with white space folded, cut at a control character or after
// maxSnippet bytes.
func Quotable(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }); i >= 0 {
		line = line[:i]
	}
	if len(line) > maxSnippet {
		if end := wordEnd(line); end > 0 {
			line = line[:end]
		} else {
			line = text.Cut(line, maxSnippet-len(goesOn)) + goesOn
		}
	}
	return strings.TrimSpace(line)
}

// goesOn marks a quote that is cut within a word: half a word would be read as another word.
const goesOn = "…"

// wordEnd returns where to cut a long line: after the last whole word within maxSnippet bytes, else after the first word if that is not
// much longer; 0 where no word ends.
func wordEnd(line string) int {
	word := func(at int) bool {
		r, _ := utf8.DecodeRuneInString(line[at:])
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	for at := maxSnippet; at > 0; at-- {
		if utf8.RuneStart(line[at]) && !word(at) {
			return at
		}
	}
	for at := maxSnippet; at < min(len(line), 2*maxSnippet); at++ {
		if utf8.RuneStart(line[at]) && !word(at) {
			return at
		}
	}
	if len(line) < 2*maxSnippet {
		return len(line)
	}
	return 0
}

// codeSpan quotes text with as many backticks as it takes.
func codeSpan(text string) string {
	most := 0
	for i := 0; i < len(text); {
		n := max(run([]byte(text[i:]), '`'), 1)
		if text[i] == '`' {
			most = max(most, n)
		}
		i += n
	}
	fence := strings.Repeat("`", most+1)
	if most > 0 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// Metadata writes the memory's confidence and the time of the check. A negative confidence leaves the old one.
func (e *Edit) Metadata(confidence float64, when time.Time) {
	marks := &e.m.marks
	if confidence >= 0 {
		text := strconv.FormatFloat(confidence, 'f', 2, 64)
		if !marks.confidence.none() {
			if bytes.HasSuffix(e.m.src[marks.confidence.start:marks.confidence.end], []byte("%")) {
				text = strconv.FormatFloat(confidence*100, 'f', 0, 64) + "%"
			}
			e.replace(marks.confidence, text)
		} else {
			e.items = append(e.items, "- **Confidence**: "+text)
		}
	}
	stamp := when.UTC().Format(time.RFC3339)
	if s := marks.lastVerified; !s.none() {
		if s.end-s.start == len(time.DateOnly) {
			stamp = when.UTC().Format(time.DateOnly)
		}
		e.replace(s, stamp)
	} else {
		e.items = append(e.items, "- **Last Verified**: "+stamp)
	}
}

// Changed reports whether Bytes differs from the source.
func (e *Edit) Changed() bool { return len(e.changes)+len(e.rows)+len(e.items) > 0 }

// Bytes is the memory with the changes made.
func (e *Edit) Bytes() []byte {
	changes := slices.Clone(e.changes)
	if len(e.rows) > 0 {
		changes = append(changes, e.rowsAt())
	}
	if len(e.items) > 0 {
		changes = append(changes, e.itemsAt())
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.start - b.start })
	out := make([]byte, 0, len(e.m.src)+256)
	at := 0
	for _, c := range changes {
		out = append(out, e.m.src[at:c.start]...)
		out = append(out, c.text...)
		at = c.end
	}
	return append(out, e.m.src[at:]...)
}

// rowsAt returns where new rows go: after the last row, else into the section, else into a new section before the links and metadata, else
// at the end.
func (e *Edit) rowsAt() change {
	src, marks := e.m.src, &e.m.marks
	if t := marks.table; t != nil {
		return e.below(t.last.end, 1, e.rows)
	}
	lines := append([]string{"| File | Line | Snippet | Verified |", "|------|------|---------|----------|"}, e.rows...)
	if s := marks.citations; s.found {
		return e.below(lastText(src, s.start, s.end), 2, lines)
	}
	if at := marks.firstLinks; at >= 0 {
		eol := lineEnd(src, at)
		text := "## Citations" + eol + eol + strings.Join(lines, eol) + eol + eol
		if at > 0 && !blankBefore(src, at) {
			text = eol + text
		}
		return change{span{at, at}, text}
	}
	return e.atEnd("## Citations", lines)
}

// itemsAt returns where new metadata goes: after its last line, else into its section, else into a section at the end.
func (e *Edit) itemsAt() change {
	marks := &e.m.marks
	if at := marks.lastItem; !at.none() {
		return e.below(at.end, 1, e.items)
	}
	if s := marks.metadata; s.found {
		return e.below(lastText(e.m.src, s.start, s.end), 2, e.items)
	}
	return e.atEnd("## Metadata", e.items)
}

// below adds lines that many lines below the end of a line.
func (e *Edit) below(at, down int, lines []string) change {
	eol := lineEnd(e.m.src, at)
	return change{span{at, at}, strings.Repeat(eol, down) + strings.Join(lines, eol)}
}

// atEnd appends a section, and ends the file the way it ended before.
func (e *Edit) atEnd(heading string, lines []string) change {
	src := e.m.src
	eol := lineEnd(src, len(src))
	text := heading + eol + eol + strings.Join(lines, eol)
	switch {
	case len(bytes.TrimSpace(src[e.m.marks.body:])) == 0 && (len(src) == 0 || src[len(src)-1] == '\n'):
		text += eol
	case src[len(src)-1] != '\n':
		text = eol + eol + text
	case blankBefore(src, len(src)):
		text += eol
	default:
		text = eol + text + eol
	}
	return change{span{len(src), len(src)}, text}
}

// lineEnd returns the line ending used around a place.
func lineEnd(src []byte, at int) string {
	i := bytes.IndexByte(src[min(at, len(src)):], '\n')
	if i >= 0 {
		i += min(at, len(src))
	} else {
		i = bytes.LastIndexByte(src, '\n')
	}
	if i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lastText returns the end of the last line from start on that is not blank.
func lastText(src []byte, start, end int) int {
	end = start + len(bytes.TrimRight(src[start:max(start, end)], " \t\r\n"))
	return endOfLine(src, end)
}

func blankBefore(src []byte, at int) bool {
	line := src[:max(at-1, 0)]
	return len(bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:])) == 0
}

// Intact returns an error when a rewritten memory does not have as many citations, references and problems as before, plus the added
// citations. For example, a row behind an unfinished code block would not be a citation.
func Intact(before, after *Memory, added ...Place) error {
	if len(after.Citations) != len(before.Citations)+len(added) {
		return fmt.Errorf("the memory would hold %d citations, not %d; look for a code block or comment that does not end",
			len(after.Citations), len(before.Citations)+len(added))
	}
	if len(after.References) != len(before.References) || len(after.Problems) != len(before.Problems) {
		return fmt.Errorf("other parts of the memory would be read differently")
	}
	for _, want := range added {
		if !slices.ContainsFunc(after.Citations, func(c Citation) bool { return c.Path == want.Path && c.Line == want.Line }) {
			return fmt.Errorf("the memory's table cannot hold %s", want)
		}
	}
	return nil
}

// String is path:line.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.Path
	case p.EndLine > p.Line:
		return fmt.Sprintf("%s:%d-%d", p.Path, p.Line, p.EndLine)
	}
	return fmt.Sprintf("%s:%d", p.Path, p.Line)
}
