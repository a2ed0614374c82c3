package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// aggregation is one aggregate call of a projection.
type aggregation struct {
	call   *syntax.Call
	arg    eval // nil for count(*)
	second eval // the second argument of a percentile
	keeps  bool
}

// group collects the rows with equivalent keys.
type group struct {
	keys   []any
	totals []function.Accumulator
	seen   []map[string]struct{} // for DISTINCT
	sample row                   // the first row, for outer variables of a subquery
}

// aggregate compiles a projection with aggregations: it reads all rows, then returns one row for each group, in the order in which the
// groups first appeared.
func (c *compiler) aggregate(p *syntax.Projection) step {
	columns := c.columns
	c.columns = nil // keys and arguments are computed from the incoming rows
	var keys []eval
	var keySlots []int
	var rest []*syntax.Item // columns that contain aggregations
	for _, item := range p.Items {
		if grouped(item.Expr, columns) {
			rest = append(rest, item)
			continue
		}
		keys = append(keys, c.top(item.Expr))
		keySlots = append(keySlots, item.Slot)
	}
	calls := make([]aggregation, len(p.Aggregates))
	for i, call := range p.Aggregates {
		a := aggregation{call: call, keeps: function.Keeps(call.Name)}
		if !call.Star {
			a.arg = c.top(call.Args[0])
		}
		if len(call.Args) > 1 {
			a.second = c.expr(call.Args[1])
		}
		calls[i] = a
	}
	c.columns = columns
	finish := c.project(rest)
	weigh := func(row) int64 { return 1 }
	if slot, weighted := c.weights[p]; weighted {
		weigh = func(r row) int64 {
			if n, counted := r[slot].(int64); counted {
				return n
			}
			return 1
		}
	}
	return func(x *run, in stream) stream {
		return finish(x, func(yield func(row) bool) {
			for _, g := range collectGroups(x, in, keys, calls, weigh) {
				r := slices.Clone(g.sample)
				for i, slot := range keySlots {
					r[slot] = g.keys[i]
				}
				for i, a := range calls {
					r[a.call.Slot] = g.totals[i].Result()
				}
				if !yield(r) {
					return
				}
			}
		})
	}
}

// grouped reports whether e contains an aggregation that has a column.
func grouped(e syntax.Expr, columns map[syntax.Expr]int) bool {
	return syntax.Any(e, func(e syntax.Expr) bool {
		_, isCall := e.(*syntax.Call)
		_, hasColumn := columns[e]
		return isCall && hasColumn
	})
}

// collectGroups reads all rows; weigh returns how many times each row counts.
func collectGroups(x *run, in stream, keys []eval, calls []aggregation, weigh func(row) int64) []*group {
	byKey := map[string]*group{}
	var order []*group
	var key []byte
	for r := range in {
		values := x.all(keys, r)
		key = key[:0]
		for _, v := range values {
			key = value.AppendKey(key, v)
		}
		g, ok := byKey[string(key)]
		if !ok {
			g = newGroup(x, r, values, calls)
			byKey[string(key)] = g
			order = append(order, g)
			check(x.hold(int64(len(key) + 128 + 16*x.width)))
		}
		g.add(x, r, calls, weigh(r))
	}
	if len(order) == 0 && len(keys) == 0 { // an aggregation over no rows returns one row
		r := x.newRow()
		copy(r, x.seed) // a subquery still sees the outer variables
		return []*group{newGroup(x, r, nil, calls)}
	}
	return order
}

func newGroup(x *run, r row, keys []any, calls []aggregation) *group {
	g := &group{keys: keys, totals: make([]function.Accumulator, len(calls)), seen: make([]map[string]struct{}, len(calls)), sample: r}
	for i, a := range calls {
		var second any
		if a.second != nil {
			second = a.second(x, r)
		}
		var err error
		g.totals[i], err = function.NewAccumulator(a.call.Name, second)
		check(at(a.call.Pos, err))
		if a.call.Distinct {
			g.seen[i] = map[string]struct{}{}
		}
	}
	return g
}

// add adds row r to the group n times.
func (g *group) add(x *run, r row, calls []aggregation, n int64) {
	for i, a := range calls {
		times := n
		var v any
		if a.arg != nil {
			if v = a.arg(x, r); v == nil {
				continue
			}
		}
		if g.seen[i] != nil {
			if !x.firstTime(g.seen[i], value.AppendKey(nil, v)) {
				continue
			}
			times = 1
		}
		if a.keeps {
			x.holdValue(v)
		}
		for range times {
			check(at(a.call.Pos, g.totals[i].Add(v)))
		}
	}
	check(x.Step())
}
