package output

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Printer prints the result of one run.
type Printer struct {
	s      *term.Streams
	format Format
	filter Filter // nil without --jq
	wrote  func() bool
}

// New checks the options, compiles the jq expression if there is one, and returns
// the printer. Its errors are ValidationErrors.
func New(s *term.Streams, o Options) (*Printer, error) {
	format, err := o.Resolve()
	if err != nil {
		return nil, err
	}
	p := &Printer{s: s, format: format, wrote: o.Wrote}
	if o.HasJQ {
		if o.Compile == nil {
			return nil, fault.Validation("jq", "this program prints nothing that --jq can filter").WithHint("leave --jq out")
		}
		if p.filter, err = o.Compile(o.JQ); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Format returns the format in use, for commands that fetch less for people.
func (p *Printer) Format() Format { return p.format }

// Document prints one result: v as JSON, or for people the text that the function people writes.
func (p *Printer) Document(ctx context.Context, v any, people func(*term.Streams) error) error {
	if p.format == Table {
		return people(p.s)
	}
	return p.emit(ctx, v, p.format == JSON)
}

// Column describes how one column of a list's table is made from an item.
type Column[T any] struct {
	Title string
	Value func(T) string
	Flex  bool                         // text that is wrapped on a narrow terminal
	Short bool                         // an id, key or branch that may be cut short there
	Below bool                         // on a narrow terminal stands under its row, after its title
	Right bool                         // numbers
	Style func(cell string) term.Style // the style of the cell, from its text
}

// List prints items: a table with the columns, {plural: items} as JSON, or one item a line as NDJSON. An empty table prints nothing; the
// command reports it with a notice.
func List[T any](ctx context.Context, p *Printer, plural string, items []T, columns []Column[T]) error {
	if items == nil {
		items = []T{}
	}
	return ListDocument(ctx, p, map[string][]T{plural: items}, items, columns)
}

// ListOr is List that prints a notice where there are no items.
func ListOr[T any](ctx context.Context, p *Printer, plural string, items []T, columns []Column[T], none string) error {
	if len(items) == 0 {
		p.s.Notice("%s", none)
	}
	return List(ctx, p, plural, items, columns)
}

// ListDocument is List for a document that holds more than its items, such as counts or where the next page starts; the document holds the
// items too.
func ListDocument[T any](ctx context.Context, p *Printer, document any, items []T, columns []Column[T]) error {
	switch p.format {
	case JSON:
		return p.emit(ctx, document, true)
	case NDJSON:
		for _, item := range items {
			if err := p.emit(ctx, item, false); err != nil {
				return err
			}
		}
		return nil
	}
	t := term.NewTable(heads(columns)...)
	for _, item := range items {
		t.Add(cells(item, columns)...)
	}
	return printed(t.WriteTo(p.s))
}

func heads[T any](columns []Column[T]) []term.Column {
	out := make([]term.Column, len(columns))
	for i, c := range columns {
		out[i] = term.Column{Title: c.Title, Flex: c.Flex, Short: c.Short, Below: c.Below, Right: c.Right, Style: c.Style}
	}
	return out
}

func cells[T any](item T, columns []Column[T]) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Value(item)
	}
	return out
}

// printed wraps the error of writing the result.
func printed(err error) error {
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}

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
