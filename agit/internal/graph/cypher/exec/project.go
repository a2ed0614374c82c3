package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// projection compiles WITH or RETURN: columns, DISTINCT, ORDER BY, SKIP and
// LIMIT, WHERE, in this order.
func (c *compiler) projection(p *syntax.Projection) []step {
	outer := c.columns
	c.columns = p.Columns
	defer func() { c.columns = outer }()
	var steps []step
	if p.Grouped {
		steps = append(steps, c.aggregate(p))
	} else {
		steps = append(steps, c.project(p.Items))
	}
	if p.Distinct {
		slots := make([]int, len(p.Items))
		for i, item := range p.Items {
			slots[i] = item.Slot
		}
		steps = append(steps, distinct(slots))
	}
	skip, limit := c.count(p.Skip), c.count(p.Limit)
	if len(p.Order) > 0 {
		steps = append(steps, c.sort(p.Order, skip, limit))
	}
	if skip != nil || limit != nil {
		steps = append(steps, page(skip, limit))
	}
	if p.Where != nil {
		for _, e := range syntax.Conjuncts(p.Where) {
			steps = append(steps, c.filter(e))
		}
	}
	return steps
}

// project computes the columns that are not plain variables.
func (c *compiler) project(items []*syntax.Item) step {
	var evals []eval
	var slots []int
	for _, item := range items {
		if _, ok := item.Expr.(*syntax.Variable); ok {
			continue // keeps its slot
		}
		evals = append(evals, c.top(item.Expr))
		slots = append(slots, item.Slot)
	}
	if len(evals) == 0 {
		return func(_ *run, in stream) stream { return in }
	}
	return eachRow(func(x *run, r row, yield func(row) bool) bool {
		r = slices.Clone(r)
		values := x.all(evals, r)
		for i, slot := range slots {
			r[slot] = values[i]
		}
		check(x.Step())
		return yield(r)
	})
}

// distinct drops rows that are equivalent to an earlier row in the given slots.
func distinct(slots []int) step {
	return func(x *run, in stream) stream {
		seen := map[string]struct{}{}
		var key []byte
		return eachRow(func(x *run, r row, yield func(row) bool) bool {
			key = key[:0]
			for _, slot := range slots {
				key = value.AppendKey(key, r[slot])
			}
			return !x.firstTime(seen, key) || yield(r)
		})(x, in)
	}
}

// count compiles the number of SKIP or LIMIT; nil when it is absent.
func (c *compiler) count(e syntax.Expr) func(*run) int64 {
	if e == nil {
		return nil
	}
	of := c.top(e)
	return func(x *run) int64 {
		v := of(x, x.newRow())
		n, ok := v.(int64)
		switch {
		case !ok:
			panic(syntax.RuntimeErrorf(e.At(), "SyntaxError", "InvalidArgumentType", "SKIP and LIMIT take an Integer, not %s", value.KindOf(v).Article()))
		case n < 0:
			panic(syntax.RuntimeErrorf(e.At(), "SyntaxError", "NegativeIntegerArgument", "SKIP and LIMIT take no negative number"))
		}
		return n
	}
}

// bounds evaluates SKIP and LIMIT; most is -1 without LIMIT.
func bounds(x *run, skip, limit func(*run) int64) (first, most int64) {
	most = -1
	if skip != nil {
		first = skip(x)
	}
	if limit != nil {
		most = limit(x)
	}
	return first, most
}

// page is SKIP and LIMIT.
func page(skip, limit func(*run) int64) step {
	return func(x *run, in stream) stream {
		return func(yield func(row) bool) {
			first, most := bounds(x, skip, limit)
			if most == 0 {
				return
			}
			var n int64
			for r := range in {
				if n++; n > first && (!yield(r) || n-first == most) {
					return
				}
			}
		}
	}
}
