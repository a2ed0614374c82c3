package exec

import (
	"container/heap"
	"math"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// sorted is a row with its sort keys and its input position, which keeps equal rows in order.
type sorted struct {
	keys   []any
	row    row
	number int64
	weight int64
}

// sorter holds rows; with most set it keeps only the first ones.
type sorter struct {
	rows       []sorted
	descending []bool
}

func (s *sorter) compare(a, b sorted) int {
	for i := range a.keys {
		c := value.Order(a.keys[i], b.keys[i])
		if s.descending[i] {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return int(min(1, max(-1, a.number-b.number)))
}

// The heap's top is the last row in order, which a better row replaces.
func (s *sorter) Len() int           { return len(s.rows) }
func (s *sorter) Less(i, j int) bool { return s.compare(s.rows[i], s.rows[j]) > 0 }
func (s *sorter) Swap(i, j int)      { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] }
func (s *sorter) Push(v any)         { s.rows = append(s.rows, v.(sorted)) }
func (s *sorter) Pop() any {
	last := s.rows[len(s.rows)-1]
	s.rows = s.rows[:len(s.rows)-1]
	return last
}

// sort compiles ORDER BY. With LIMIT it holds no more rows than can be returned.
func (c *compiler) sort(items []*syntax.SortItem, skip, limit func(*run) int64) step {
	keys := make([]eval, len(items))
	descending := make([]bool, len(items))
	for i, item := range items {
		keys[i], descending[i] = c.top(item.Expr), item.Descending
	}
	return func(x *run, in stream) stream {
		return func(yield func(row) bool) {
			first, most := bounds(x, skip, limit)
			if most >= 0 {
				if most = first + most; most < 0 {
					most = math.MaxInt64
				}
			}
			s := &sorter{descending: descending}
			s.fill(x, in, keys, most)
			slices.SortFunc(s.rows, s.compare)
			for _, r := range s.rows {
				if !yield(r.row) {
					return
				}
			}
		}
	}
}

func (s *sorter) fill(x *run, in stream, keys []eval, most int64) {
	var number int64
	for r := range in {
		number++
		next := sorted{row: r, number: number, keys: x.all(keys, r)}
		if most == 0 {
			continue
		}
		if most > 0 && int64(len(s.rows)) == most {
			if s.compare(next, s.rows[0]) >= 0 {
				continue
			}
			dropped := heap.Pop(s).(sorted)
			x.held -= dropped.weight
		}
		next.weight = int64(24 + 16*len(r))
		for _, v := range r {
			next.weight += x.weigh(v, 0, x.limits.Memory)
		}
		check(x.hold(next.weight))
		if most > 0 {
			heap.Push(s, next)
		} else {
			s.rows = append(s.rows, next)
		}
		check(x.Step())
	}
}

// earlyLimit returns ORDER BY with LIMIT ahead of the OPTIONAL MATCHes before the projection, or no steps when the sort keys are not
// known there. An OPTIONAL MATCH returns at least one row for each row, in order, so rows beyond the first ones never reach the result.
func (c *compiler) earlyLimit(clauses []syntax.Clause) []step {
	late := slotSet{} // slots that only the matches bind
	for _, clause := range clauses {
		switch clause := clause.(type) {
		case *syntax.Match:
			if !clause.Optional {
				return nil
			}
			for _, slot := range freshSlots(clause) {
				late[slot] = true
			}
		case *syntax.Projection:
			if !ranks(clause, late) {
				return nil
			}
			return []step{c.sort(clause.Order, c.count(clause.Skip), c.count(clause.Limit))}
		default:
			return nil
		}
	}
	return nil
}

// ranks reports whether p sorts and limits rows without using a late slot or a value that p computes.
func ranks(p *syntax.Projection, late slotSet) bool {
	if p.Limit == nil || len(p.Order) == 0 || p.Grouped || p.Distinct || varies(p.Limit) || varies(p.Skip) {
		return false
	}
	for _, item := range p.Items {
		if _, kept := item.Expr.(*syntax.Variable); !kept {
			late[item.Slot] = true
		}
	}
	return !slices.ContainsFunc(p.Order, func(item *syntax.SortItem) bool {
		return varies(item.Expr) || len(uses(item.Expr, late)) > 0
	})
}
