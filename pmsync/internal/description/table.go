package description

import (
	"slices"
	"strings"
)

// typedTable reads a table made of lines. Each line has a "|"; and either the second line is a delimiter (|---|---|), or every line begins
// with a "|".
func typedTable(lines [][]Span) (Block, int) {
	if !hasBar(lines[0]) {
		return Block{}, 0
	}
	delimited := len(lines) > 1 && isDelimiter(Text(lines[1]))
	if !delimited && !strings.HasPrefix(Text(lines[0]), "|") {
		return Block{}, 0
	}
	table := Block{Kind: Table}
	i := 0
	for ; i < len(lines); i++ {
		if !hasBar(lines[i]) || !delimited && !strings.HasPrefix(Text(lines[i]), "|") {
			break
		}
		if isDelimiter(Text(lines[i])) {
			continue
		}
		row := Block{Kind: Row}
		for _, cell := range cells(lines[i]) {
			row.Children = append(row.Children, Block{Kind: Cell, Head: delimited && i == 0, Children: paragraph(unprotect(cell))})
		}
		table.Children = append(table.Children, row)
	}
	return table, i
}

func hasBar(line []Span) bool {
	return slices.ContainsFunc(line, func(s Span) bool { return s.Style&Mono == 0 && strings.Contains(s.Text, "|") })
}

func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|:- ") == ""
}

// cells cuts a line at its bars. The bars at both ends are borders.
func cells(line []Span) [][]Span {
	var out [][]Span
	var cell []Span
	for _, s := range line {
		for s.Style&Mono == 0 {
			before, after, found := strings.Cut(s.Text, "|")
			if !found {
				break
			}
			if before != "" {
				cell = append(cell, Span{before, s.Style, s.Link})
			}
			out = append(out, Trim(cell))
			cell = nil
			s.Text = after
		}
		if s.Text != "" {
			cell = append(cell, s)
		}
	}
	if cell = Trim(cell); len(cell) > 0 {
		out = append(out, cell)
	}
	if len(out) > 0 && len(out[0]) == 0 {
		out = out[1:]
	}
	return out
}

var signs = strings.NewReplacer(escapedBar, "|", cellBreak, "\n")

// unprotect restores escaped bars, and line breaks inside cells.
func unprotect(spans []Span) []Span {
	for i := range spans {
		if strings.Contains(spans[i].Text, "\uFDD0"[:2]) {
			spans[i].Text = signs.Replace(spans[i].Text)
		}
	}
	return spans
}
