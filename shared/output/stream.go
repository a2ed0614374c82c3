package output

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Stream prints items as they come, for --follow: NDJSON or table rows.
type Stream[T any] struct {
	p       *Printer
	columns []Column[T]
	table   *term.Table
}

// NewStream starts a stream. It refuses -o json, because one JSON document cannot hold items without end.
func NewStream[T any](p *Printer, columns []Column[T]) (*Stream[T], error) {
	if p.format == JSON {
		return nil, fault.Validation("output", "one JSON document cannot hold items that keep coming").
			WithHint("use -o ndjson")
	}
	return &Stream[T]{p: p, columns: columns, table: term.NewTable(heads(columns)...)}, nil
}

// Item prints one item now.
func (s *Stream[T]) Item(ctx context.Context, item T) error {
	if s.p.format == NDJSON {
		return s.p.emit(ctx, item, false)
	}
	return printed(s.table.Follow(s.p.s, cells(item, s.columns)...))
}
