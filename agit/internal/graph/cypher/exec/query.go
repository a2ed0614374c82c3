package exec

import (
	"context"
	"iter"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Rows runs a checked query over g and streams its rows, one value per column of
// q.Columns. params must be values of package value. The stream ends after the
// first error.
func Rows(ctx context.Context, g graph.Graph, q *syntax.Query, params map[string]any, limits Limits) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		limits = limits.withDefaults()
		ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, errTime)
		defer cancel()
		x := &run{ctx: ctx, graph: g, params: params, limits: limits}
		if err := x.query(q, func(r []any) bool { return yield(r, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// query runs all parts of a query, until yield returns false.
func (x *run) query(q *syntax.Query, yield func([]any) bool) (err error) {
	defer catch(&err)
	rows := 0
	var seen map[string]struct{}
	if len(q.All) > 0 && !q.All[0] {
		seen = map[string]struct{}{}
	}
	x.selectProperties(q)
	for _, part := range q.Parts {
		for r := range x.part(part, q.Columns) {
			if seen != nil && !x.firstTime(seen, value.AppendKey(nil, r)) {
				continue
			}
			if rows++; rows > x.limits.Rows {
				return limitError("RowLimit", "the query returns more than %d rows", x.limits.Rows)
			}
			if !yield(r) {
				return nil
			}
		}
	}
	return nil
}

// part plans and runs one part of a query. Every node in its rows is loaded.
func (x *run) part(part *syntax.Part, columns []string) iter.Seq[[]any] {
	c := &compiler{x: x, width: part.Slots, weights: map[*syntax.Projection]int{}}
	steps := c.clauses(part.Clauses)
	x.width = c.width
	check(x.alive())
	last := part.Clauses[len(part.Clauses)-1].(*syntax.Projection)
	slots := make([]int, len(columns))
	for i, name := range columns {
		for _, item := range last.Items {
			if item.Name == name {
				slots[i] = item.Slot
			}
		}
	}
	return func(yield func([]any) bool) {
		for r := range pipe(x, steps, one(x.newRow())) {
			out := make([]any, len(slots))
			for i, slot := range slots {
				out[i] = x.complete(r[slot])
			}
			if !yield(out) {
				return
			}
		}
	}
}
