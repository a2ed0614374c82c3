package memoryfile

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/text"

	"github.com/agit-suite/agit/shared/reference"
)

// column is the kind of a column in a table of citations.
type column int

const (
	ignored column = iota
	fileColumn
	lineColumn
	endColumn
	snippetColumn
	verifiedColumn
)

// headless is the order of a table without a head: the one that add writes.
var headless = []column{fileColumn, lineColumn, snippetColumn, verifiedColumn}

// table is the first table of citations in a memory, where add appends.
type table struct {
	columns    []column
	heads      []string
	lead, tail bool // rows begin and end with |
	last       span // its last row, or its head's last line
	quoted     bool // paths stand in backticks
}

// row is one line of a table.
type row struct {
	line  span // without its end
	table *table
	cells []span // of the trimmed cells
	tail  bool   // ends with |
}

// tableLines reads the lines of a paragraph under ## Citations as a table, and reports whether they form one.
func (p *reading) tableLines(lines *text.Segments) bool {
	var rows []row
	for i := range lines.Len() {
		s := lines.At(i)
		line := bytes.TrimRight(p.src[s.Start:s.Stop], "\r\n")
		if bytes.IndexByte(line, '|') < 0 {
			continue
		}
		rows = append(rows, row{line: span{s.Start, s.Start + len(line)}})
	}
	if len(rows) == 0 {
		return false
	}
	t := &table{}
	data := t.read(p.src, rows)
	if data == nil {
		return false
	}
	first := p.m.marks.table == nil
	if first {
		p.m.marks.table = t
	}
	for i := range data {
		p.citationRow(&data[i])
	}
	return true
}

// read splits the lines, finds the head and returns the data rows; nil when the lines are not a table of citations.
func (t *table) read(src []byte, rows []row) []row {
	data, named, ruled := rows, false, -1
	for i, r := range rows {
		if isRule(src[r.line.start:r.line.end]) {
			ruled = i
			break
		}
	}
	head := rows[max(ruled-1, 0)].line
	split := cells(src, head, 0)
	t.lead, t.tail = split.lead, split.tail
	if ruled != 0 {
		named = t.name(src, split.spans)
	}
	switch {
	case ruled >= 0:
		data, t.last = rows[ruled+1:], rows[ruled].line
	case named:
		data, t.last = rows[1:], head
	}
	if !named {
		t.columns, t.heads = headless, nil
	}
	kept := make([]row, 0, len(data))
	for _, r := range data {
		if isRule(src[r.line.start:r.line.end]) {
			continue
		}
		c := cells(src, r.line, len(t.columns))
		if ruled < 0 && !named && !likelyRow(src, c) {
			continue
		}
		r.cells, r.tail, r.table = c.spans, c.tail, t
		t.last, t.lead, t.tail = r.line, c.lead, c.tail
		kept = append(kept, r)
	}
	if len(kept) == 0 && !named {
		return nil
	}
	return kept
}

// likelyRow reports whether a line with a bar, in a table without head or rule, begins with a file name.
func likelyRow(src []byte, c split) bool {
	if len(c.spans) < 2 {
		return false
	}
	path := unquote(src, c.spans[0])
	text := src[path.start:path.end]
	return len(text) > 0 && bytes.IndexByte(text, ' ') < 0 && (reference.FileName(text) || len(reference.Find(text)) > 0)
}

// name reads the names in the head and reports whether the file column is among them.
func (t *table) name(src []byte, head []span) bool {
	t.columns, t.heads = make([]column, len(head)), make([]string, len(head))
	found := false
	for i, s := range head {
		name := strings.Trim(string(src[s.start:s.end]), "*_` ")
		t.heads[i] = name
		c := columnOf(strings.Join(strings.Fields(strings.ToLower(name)), " "))
		t.columns[i] = c
		found = found || c == fileColumn
	}
	return found
}

func columnOf(name string) column {
	switch name {
	case "file", "path", "source", "location", "where", "citation", "file path", "filepath", "files", "reference":
		return fileColumn
	case "line", "lines", "line(s)", "line number", "line no", "line no.", "l", "#", "at", "start", "start line":
		return lineColumn
	case "end", "end line", "to":
		return endColumn
	case "snippet", "code", "text", "content", "quote", "excerpt", "evidence":
		return snippetColumn
	case "verified", "last verified", "date", "checked", "verified on", "verified at", "last checked":
		return verifiedColumn
	}
	return ignored
}

// isRule reports whether a line is the rule under a table's head.
func isRule(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, " \t|:-")) == 0
}

// split is a line split into cells.
type split struct {
	spans      []span
	lead, tail bool
}

// cells splits a row at its bars as GFM does. A bar inside backticks counts as text when GFM's way would result in more columns than wanted
// (0: unknown).
func cells(src []byte, line span, want int) split {
	plain := splitRow(src, line, false)
	if want == 0 || len(plain.spans) == want {
		return plain
	}
	if aware := splitRow(src, line, true); len(aware.spans) < len(plain.spans) && len(plain.spans) > want {
		return aware
	}
	return plain
}

func splitRow(src []byte, line span, code bool) (out split) {
	line = trim(src, line)
	at, end := line.start, line.end
	if at < end && src[at] == '|' {
		out.lead = true
		at++
	}
	for i := at; i < end; i++ {
		switch src[i] {
		case '\\':
			if i+1 < end && src[i+1] == '|' {
				i++
			}
		case '`':
			n := run(src[i:end], '`')
			if code {
				if closing := closeCode(src[i+n:end], n); closing >= 0 {
					i += n + closing // to the first closing backtick
				}
			}
			i += n - 1
		case '|':
			out.spans = append(out.spans, trim(src, span{at, i}))
			at = i + 1
			out.tail = i == end-1
		}
	}
	if !out.tail {
		out.spans = append(out.spans, trim(src, span{at, end}))
	}
	return out
}

// run returns how often c is repeated at the start of text.
func run(text []byte, c byte) int { return len(text) - len(bytes.TrimLeft(text, string(rune(c)))) }

// closeCode finds the run of exactly n backticks that ends a code span.
func closeCode(text []byte, n int) int {
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		k := run(text[i:], '`')
		if k == n {
			return i
		}
		i += k
	}
	return -1
}

func trim(src []byte, s span) span {
	s.start = s.end - len(bytes.TrimLeft(src[s.start:s.end], " \t"))
	s.end = s.start + len(bytes.TrimRight(src[s.start:s.end], " \t"))
	return s
}

// citationRow makes a citation of a row, or a problem.
func (p *reading) citationRow(r *row) {
	c := Citation{Form: Table, At: p.lines.of(r.line.start), row: r}
	wrong := ""
	for i, s := range r.cells {
		if i >= len(r.table.columns) {
			break
		}
		raw := p.src[s.start:s.end]
		switch r.table.columns[i] {
		case fileColumn:
			c.path = unquote(p.src, s)
			c.Path = cellText(p.src[c.path.start:c.path.end])
			if c.path != s {
				r.table.quoted = true
			}
			if dest, ok := linkIn(p.src, s); ok {
				c.path, c.Path = dest, cellText(p.src[dest.start:dest.end])
			}
		case lineColumn:
			at := unquote(p.src, s)
			if !c.readLines(p.src, at) {
				wrong = "the line " + strconv.Quote(string(raw)) + " is not a number"
			}
		case endColumn:
			n, digits, ok := number(p.src, unquote(p.src, s))
			if ok {
				c.EndLine, c.end = n, digits
			}
		case snippetColumn:
			c.Snippet, c.After, c.Before = snippetText(string(raw))
		case verifiedColumn:
			c.Verified = strings.Trim(string(raw), "`* ")
		}
	}
	if c.Path == "" {
		if len(bytes.Trim(p.src[r.line.start:r.line.end], "| \t")) > 0 {
			p.problem(c.At, "the row names no file")
		}
		return
	}
	if c.Line == 0 {
		c.placeInPath(p.src)
	}
	if wrong != "" && c.Line == 0 {
		p.problem(c.At, wrong)
		return
	}
	if c.EndLine <= c.Line {
		c.EndLine = 0
	}
	p.m.Citations = append(p.m.Citations, c)
}

func (p *reading) problem(line int, text string) {
	p.m.Problems = append(p.m.Problems, Problem{line, text})
}

// readLines reads a cell such as 12, 12-14, L12 or nothing.
func (c *Citation) readLines(src []byte, s span) bool {
	text := strings.ToLower(string(src[s.start:s.end]))
	switch text {
	case "", "-", "–", "—", "n/a", "none", "*":
		return true
	}
	n, digits, ok := number(src, s)
	if !ok {
		return false
	}
	c.Line, c.line = n, digits
	rest := span{digits.end, s.end}
	for rest.start < rest.end && strings.IndexByte("-–— .L\xe2\x80\x93\x94", src[rest.start]) >= 0 {
		rest.start++
	}
	if rest.start > digits.end && rest.start < rest.end {
		if n, digits, ok := number(src, rest); ok {
			c.EndLine, c.end = n, digits
		}
	}
	return true
}

// number reads digits, perhaps after an L, that begin a place.
func number(src []byte, s span) (n int, digits span, ok bool) {
	n, at, ok := reference.Number(src, reference.Span{Start: s.start, End: s.end})
	return n, spanAt(at, 0), ok
}

// placeInPath reads a cell with file and line together: a.go:12, a.go#L12.
func (c *Citation) placeInPath(src []byte) {
	raw := src[c.path.start:c.path.end]
	for _, r := range reference.Find(raw) {
		if r.PathAt.Start != 0 || r.Stop != len(raw) {
			continue
		}
		offset := c.path.start
		c.Path, c.Line, c.EndLine = r.Path, r.Line, r.EndLine
		c.line, c.end, c.path = spanAt(r.LineAt, offset), spanAt(r.EndAt, offset), spanAt(r.PathAt, offset)
		return
	}
}

// spanAt returns the span in the source of a part of a text that begins at offset.
func spanAt(s reference.Span, offset int) span {
	if s.End == 0 {
		return span{}
	}
	return span{s.Start + offset, s.End + offset}
}

// unquote returns the content of a cell that is one code span, else the cell.
func unquote(src []byte, s span) span {
	raw := src[s.start:s.end]
	n := run(raw, '`')
	if n == 0 || len(raw) < 2*n+1 {
		return s
	}
	if closing := closeCode(raw[n:], n); closing < 0 || n+closing+n != len(raw) {
		return s
	}
	return trim(src, span{s.start + n, s.end - n})
}

// linkIn returns the destination of a cell that is one markdown link.
func linkIn(src []byte, s span) (span, bool) {
	raw := src[s.start:s.end]
	if len(raw) < 5 || raw[0] != '[' || raw[len(raw)-1] != ')' {
		return s, false
	}
	i := bytes.LastIndex(raw, []byte("]("))
	if i < 0 || bytes.ContainsAny(raw[i+2:len(raw)-1], " )(") {
		return s, false
	}
	return span{s.start + i + 2, s.end - 1}, true
}

// cellText removes the escapes that a bar needs in a cell.
func cellText(raw []byte) string { return strings.ReplaceAll(string(raw), `\|`, "|") }

// snippetText reads a snippet's cell: code, or several pieces of code with <br> between them for several lines, or bare text. Behind code
// it may name the lines above and below: `return nil` after `if ok {` before `}`.
func snippetText(cell string) (snippet, after, before string) {
	cell = strings.ReplaceAll(cell, `\|`, "|")
	var lines []string
	for rest := cell; ; {
		code, next, ok := cutCode(rest)
		switch {
		case !ok && run([]byte(rest), '`') == 0:
			return cell, "", ""
		case !ok:
			return strings.Trim(cell, "`"), "", ""
		}
		lines = append(lines, code)
		if rest = next; rest == "" {
			return strings.Join(lines, "\n"), "", ""
		}
		if after, before, ok := besideText(rest); ok {
			return strings.Join(lines, "\n"), after, before
		}
		cut := cutBreak(rest)
		if cut == rest {
			return cell, "", ""
		}
		rest = strings.TrimLeft(cut, " ")
	}
}

// cutCode takes a code span from the start of a text.
func cutCode(text string) (code, rest string, ok bool) {
	n := run([]byte(text), '`')
	if n == 0 {
		return "", text, false
	}
	closing := closeCode([]byte(text[n:]), n)
	if closing < 0 {
		return "", text, false
	}
	return strip(text[n : n+closing]), strings.TrimLeft(text[n+closing+n:], " "), true
}

// besideText reads the text behind a snippet: after `x`, before `y`, or both.
func besideText(text string) (after, before string, ok bool) {
	for text != "" {
		side := &after
		rest, found := strings.CutPrefix(text, "after ")
		if !found {
			side = &before
			rest, found = strings.CutPrefix(text, "before ")
		}
		if !found || *side != "" {
			return "", "", false
		}
		if *side, text, ok = cutCode(rest); !ok {
			return "", "", false
		}
	}
	return after, before, after+before != ""
}

// strip removes one space from both ends of a code span's text, as in CommonMark.
func strip(s string) string {
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		return s[1 : len(s)-1]
	}
	return s
}

func cutBreak(s string) string {
	for _, br := range []string{"<br>", "<br/>", "<br />"} {
		if len(s) >= len(br) && strings.EqualFold(s[:len(br)], br) {
			return s[len(br):]
		}
	}
	return s
}

// SplitPlace reads path:12 or path:12-14 written as one word; the path need not
// look like a file's name.
func SplitPlace(word string) (path string, line, end int, ok bool) {
	i := strings.LastIndexByte(word, ':')
	if i < 1 {
		if i = strings.LastIndex(word, "#L"); i < 1 {
			return word, 0, 0, false
		}
		i++
		word = word[:i-1] + ":" + word[i:]
		i--
	}
	var c Citation
	text := []byte(word)
	if !c.readLines(text, span{i + 1, len(text)}) || c.Line == 0 {
		return word, 0, 0, false
	}
	if c.EndLine <= c.Line {
		c.EndLine = 0
	}
	return word[:i], c.Line, c.EndLine, true
}
