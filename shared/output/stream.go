package output

import (
	"context"
	"io"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Stream prints items as they come, for --follow: NDJSON or table rows.
type Stream[T any] struct {
	p       *Printer
	columns []Column[T]
	widths  []int
}

// NewStream starts a stream. One JSON document cannot be printed of items
// without end, so that -o json is refused here.
func NewStream[T any](p *Printer, columns []Column[T]) (*Stream[T], error) {
	if p.format == JSON {
		return nil, fault.Validation("output", "one JSON document cannot hold items that keep coming").
			WithHint("use -o ndjson")
	}
	s := &Stream[T]{p: p, columns: columns, widths: make([]int, len(columns))}
	for i, c := range columns {
		s.widths[i] = term.Width(c.Title)
	}
	return s, nil
}

// Item prints one item now.
func (s *Stream[T]) Item(ctx context.Context, item T) error {
	if s.p.format == NDJSON {
		return s.p.emit(ctx, item, false)
	}
	row := cells(item, s.columns)
	for i := range row {
		row[i] = term.Escape(row[i])
	}
	_, err := io.WriteString(s.p.s.Out, s.line(row)+"\n")
	return printed(err)
}

// line aligns a row with the widest seen so far; what was printed stays.
func (s *Stream[T]) line(row []string) string {
	if !s.p.s.OutTTY {
		return strings.Join(row, "\t")
	}
	var b strings.Builder
	for i, cell := range row {
		width := term.Width(cell)
		s.widths[i] = max(s.widths[i], width)
		if style := s.columns[i].Style; style != nil {
			cell = string(s.p.s.Paint(style(cell), cell))
		}
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", s.widths[i]-width+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
