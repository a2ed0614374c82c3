package exec

import "github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"

// subquery compiles the body of EXISTS { } to steps over the rows around it.
func (c *compiler) subquery(q *syntax.Query) []step {
	if len(q.Parts) == 1 {
		return c.clauses(q.Parts[0].Clauses)
	}
	parts := make([][]step, len(q.Parts)) // joined: only the existence of a row counts
	for i, part := range q.Parts {
		parts[i] = c.clauses(part.Clauses)
	}
	return []step{eachRow(func(x *run, r row, yield func(row) bool) bool {
		for _, steps := range parts {
			for out := range pipe(x, steps, one(r)) {
				if !yield(out) {
					return false
				}
			}
		}
		return true
	})}
}

// exists compiles the test whether steps return a row.
func (c *compiler) exists(steps []step) eval {
	return func(x *run, r row) any {
		transient, seed := x.transient, x.seed
		x.seed = r
		found := false
		for range pipe(x, steps, one(r)) {
			found = true
			break
		}
		x.transient, x.seed = transient, seed
		return found
	}
}

// patternComprehension collects one value for every match of the pattern.
func (c *compiler) patternComprehension(e *syntax.PatternComprehension) eval {
	steps := c.match(e.Match)
	body := c.expr(e.Map)
	return func(x *run, r row) any {
		list := []any{}
		for match := range pipe(x, steps, one(r)) {
			list = append(list, body(x, match))
			check(x.Charge(16))
		}
		return x.made(list)
	}
}

// clauses compiles clauses in order.
func (c *compiler) clauses(clauses []syntax.Clause) []step {
	var steps []step
	for i, clause := range clauses {
		switch clause := clause.(type) {
		case *syntax.Match:
			if clause.Optional {
				steps = append(append(steps, c.earlyLimit(clauses[i:])...), c.optional(clause))
			} else {
				steps = append(steps, c.matchFor(clause, followedBy(clauses[i:]))...)
			}
		case *syntax.Unwind:
			steps = append(steps, c.unwind(clause))
		case *syntax.Projection:
			steps = append(steps, c.projection(clause)...)
		}
	}
	return steps
}

// followedBy returns the projection after the first clause; nil when another kind of clause follows.
func followedBy(clauses []syntax.Clause) *syntax.Projection {
	if len(clauses) < 2 {
		return nil
	}
	next, _ := clauses[1].(*syntax.Projection)
	return next
}

// unwind returns one row for each element of a list. Null has no elements; any other value counts as a list of itself.
func (c *compiler) unwind(u *syntax.Unwind) step {
	of := c.top(u.List)
	return eachRow(func(x *run, r row, yield func(row) bool) bool {
		v := of(x, r)
		if v == nil {
			return true
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			check(x.Step())
			if !yield(r.with(u.As.Slot, item)) {
				return false
			}
		}
		return true
	})
}
