package exec

import (
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
	return func(x *run, in stream) stream {
		return func(yield func(row, error) bool) {
			for group, err := range func(y func([]row, error) bool) { batches(in, y) } {
				if err != nil {
					yield(nil, err)
					return
				}
				found, ok, err := p.matching(x, group)
				if !ok && err == nil {
					found, err = matching(x, group, steps, number)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				for i, r := range group {
					if found[i] == want && !yield(r, nil) {
						return
					}
				}
			}
		}
	}
}

// matching returns for each row of group whether steps return a row for it.
func matching(x *run, group []row, steps []step, number int) ([]bool, error) {
	found := make([]bool, len(group))
	last := -1 // the row being matched; its further matches are skipped
	seeds := func(yield func(row, error) bool) {
		for i, r := range group {
			seed := append(make(row, 0, len(r)), r...)
			seed[number] = int64(i)
			if !yield(seed, nil) {
				return
			}
		}
	}
	missing := len(group)
	for r, err := range pipe(x, steps, seeds) {
		if err != nil {
			return nil, err
		}
		if i := int(r[number].(int64)); i != last {
			last = i
			found[i] = true
			if missing--; missing == 0 {
				break
			}
		}
	}
	return found, nil
}

// pipe sends a stream through steps.
func pipe(x *run, steps []step, in stream) stream {
	for _, s := range steps {
		in = s(x, in)
	}
	return in
}

// optional compiles OPTIONAL MATCH: a row without a match passes once, with null in the slots that the match would have bound.
func (c *compiler) optional(m *syntax.Match) step {
	number := c.slot()
	steps := c.match(m)
	fresh := freshSlots(m)
	return func(x *run, in stream) stream {
		return func(yield func(row, error) bool) {
			for group, err := range func(y func([]row, error) bool) { batches(in, y) } {
				if err != nil {
					yield(nil, err)
					return
				}
				if !optionalGroup(x, group, steps, number, fresh, yield) {
					return
				}
			}
		}
	}
}

func optionalGroup(x *run, group []row, steps []step, number int, fresh []int, yield func(row, error) bool) bool {
	seeds := func(yield func(row, error) bool) {
		for i, r := range group {
			seed := append(make(row, 0, len(r)), r...)
			seed[number] = int64(i)
			if !yield(seed, nil) {
				return
			}
		}
	}
	next := 0 // the first row of the group without an output row so far
	unmatched := func(until int) bool {
		for ; next < until; next++ {
			r := append(make(row, 0, len(group[next])), group[next]...)
			for _, slot := range fresh {
				r[slot] = nil
			}
			if !yield(r, nil) {
				return false
			}
		}
		return true
	}
	for r, err := range pipe(x, steps, seeds) {
		if err != nil {
			yield(nil, err)
			return false
		}
		i := int(r[number].(int64))
		if !unmatched(i) {
			return false
		}
		next = i + 1
		if !yield(r, nil) {
			return false
		}
	}
	return unmatched(len(group))
}

func freshSlots(m *syntax.Match) []int {
	var slots []int
	for _, p := range m.Patterns {
		if p.Path != nil {
			slots = append(slots, p.Path.Slot)
		}
		for _, n := range p.Nodes {
			if n.Fresh {
				slots = append(slots, n.Slot)
			}
		}
		for _, r := range p.Rels {
			if r.Fresh {
				slots = append(slots, r.Slot)
			}
		}
	}
	return slots
}
