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
	return produce(func(yield func([]any) error) error {
		limits = limits.withDefaults()
		ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, errTime)
		defer cancel()
		rows := 0
		var seen map[string]struct{}
		if len(q.All) > 0 && !q.All[0] {
			seen = map[string]struct{}{}
		}
		x := &run{ctx: ctx, graph: g, params: params, limits: limits}
		x.selectProperties(q)
		for _, part := range q.Parts {
			for r, err := range x.part(part, q.Columns) {
				first := true
				if err == nil && seen != nil {
					first, err = x.firstTime(seen, value.AppendKey(nil, r))
				}
				if !first {
					continue
				}
				if rows++; err == nil && rows > limits.Rows {
					err = limitError("RowLimit", "the query returns more than %d rows", limits.Rows)
				}
				if err == nil {
					err = yield(r)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// part plans and runs one part of a query.
func (x *run) part(part *syntax.Part, columns []string) iter.Seq2[[]any, error] {
	return produce(func(yield func([]any) error) error {
		c := &compiler{x: x, width: part.Slots}
		steps := c.clauses(part.Clauses)
		x.width = c.width
		if err := x.alive(); err != nil {
			return err
		}
		last := part.Clauses[len(part.Clauses)-1].(*syntax.Projection)
		slots := make([]int, len(columns))
		for i, name := range columns {
			for _, item := range last.Items {
				if item.Name == name {
					slots[i] = item.Slot
				}
			}
		}
		for r, err := range pipe(x, steps, one(x.newRow())) {
			var out []any
			if err == nil {
				out, err = x.output(r, slots)
			}
			if err == nil {
				err = yield(out)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// output picks the columns out of a row, with every node in them loaded.
func (x *run) output(r row, slots []int) ([]any, error) {
	out := make([]any, len(slots))
	for i, slot := range slots {
		var err error
		if out[i], err = x.complete(r[slot]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
