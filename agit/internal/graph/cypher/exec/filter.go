package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// filter compiles a step that keeps the rows for which e is true. Existence tests are answered for many rows at once.
func (c *compiler) filter(e syntax.Expr) step {
	inner, want := positive(e)
	switch inner := inner.(type) {
	case *syntax.PatternPredicate:
		return c.semi(c.match(inner.Match), want, c.existenceOf(inner.Match))
	case *syntax.Exists:
		if onlyMatches(inner.Query) {
			return c.semi(c.subquery(inner.Query), want, c.existenceOf(onlyMatch(inner.Query)))
		}
	}
	return keepRows(c.condition(e))
}

// positive returns e without a surrounding NOT, and whether there was no NOT.
func positive(e syntax.Expr) (inner syntax.Expr, want bool) {
	if not, ok := e.(*syntax.Unary); ok && not.Op == "NOT" {
		return not.X, false
	}
	return e, true
}

// onlyMatches reports whether a subquery has only MATCH clauses and a plain RETURN. Such a subquery may run over several rows at once.
func onlyMatches(q *syntax.Query) bool {
	if len(q.Parts) != 1 {
		return false
	}
	for _, clause := range q.Parts[0].Clauses {
		switch clause := clause.(type) {
		case *syntax.Match, *syntax.Unwind:
		case *syntax.Projection:
			if !clause.Return || clause.Grouped || clause.Skip != nil || clause.Limit != nil {
				return false
			}
		}
	}
	return true
}

// semi keeps the rows for which steps return at least one row (or none, when want is false). Rows run in groups; each carries its
// number.
func (c *compiler) semi(steps []step, want bool, p *existence) step {
	number := c.slot()
	return eachGroup(func(x *run, group []row, yield func(row) bool) bool {
		found, ok := p.matching(x, group)
		if !ok {
			found = matching(x, group, steps, number)
		}
		for i, r := range group {
			if found[i] == want && !yield(r) {
				return false
			}
		}
		return true
	})
}

// matching returns for each row of group whether steps return a row for it.
func matching(x *run, group []row, steps []step, number int) []bool {
	found := make([]bool, len(group))
	last := -1 // the row being matched; its further matches are skipped
	missing := len(group)
	for r := range pipe(x, steps, numbered(group, number)) {
		if i := int(r[number].(int64)); i != last {
			last = i
			found[i] = true
			if missing--; missing == 0 {
				break
			}
		}
	}
	return found
}

// numbered streams copies of the rows of a group, with the number of each at slot.
func numbered(group []row, slot int) stream {
	return func(yield func(row) bool) {
		for i, r := range group {
			if !yield(r.with(slot, int64(i))) {
				return
			}
		}
	}
}

// optional compiles OPTIONAL MATCH: a row without a match passes once, with null in the slots that the match would have bound.
func (c *compiler) optional(m *syntax.Match) step {
	number := c.slot()
	steps := c.match(m)
	fresh := freshSlots(m)
	return eachGroup(func(x *run, group []row, yield func(row) bool) bool {
		next := 0 // the first row of the group without an output row so far
		unmatched := func(until int) bool {
			for ; next < until; next++ {
				r := slices.Clone(group[next])
				for _, slot := range fresh {
					r[slot] = nil
				}
				if !yield(r) {
					return false
				}
			}
			return true
		}
		for r := range pipe(x, steps, numbered(group, number)) {
			i := int(r[number].(int64))
			if !unmatched(i) {
				return false
			}
			next = i + 1
			if !yield(r) {
				return false
			}
		}
		return unmatched(len(group))
	})
}

func freshSlots(m *syntax.Match) []int {
	var slots []int
	for _, p := range m.Patterns {
		if p.Path != nil {
			slots = append(slots, p.Path.Slot)
		}
		for _, e := range p.Elements() {
			if e.Fresh {
				slots = append(slots, e.Slot)
			}
		}
	}
	return slots
}
