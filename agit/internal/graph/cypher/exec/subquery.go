package exec

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// subquery compiles the body of EXISTS { } to steps over the rows around it.
func (c *compiler) subquery(q *syntax.Query) []step {
	if len(q.Parts) == 1 {
		return c.clauses(q.Parts[0].Clauses)
	}
	parts := make([][]step, len(q.Parts)) // joined: only the existence of a row counts
	for i, part := range q.Parts {
		parts[i] = c.clauses(part.Clauses)
	}
	return []step{func(x *run, in stream) stream {
		return func(yield func(row, error) bool) {
			for r, err := range in {
				if err != nil {
					yield(nil, err)
					return
				}
				for _, steps := range parts {
					for out, err := range pipe(x, steps, one(r)) {
						if !yield(out, err) || err != nil {
							return
						}
					}
				}
			}
		}
	}}
}

// one is the stream of a copy of r.
func one(r row) stream {
	return func(yield func(row, error) bool) {
		yield(append(make(row, 0, len(r)), r...), nil)
	}
}

// exists compiles the test whether steps return a row.
func (c *compiler) exists(steps []step) eval {
	return func(x *run, r row) (any, error) {
		transient, seed := x.transient, x.seed
		x.seed = r
		defer func() { x.transient, x.seed = transient, seed }()
		for _, err := range pipe(x, steps, one(r)) {
			return err == nil, err
		}
		return false, nil
	}
}

// patternComprehension collects one value for every match of the pattern.
func (c *compiler) patternComprehension(e *syntax.PatternComprehension) eval {
	steps := c.match(e.Match)
	body := c.expr(e.Map)
	return func(x *run, r row) (any, error) {
		list := []any{}
		for match, err := range pipe(x, steps, one(r)) {
			if err != nil {
				return nil, err
			}
			v, err := body(x, match)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			if err := x.Charge(16); err != nil {
				return nil, err
			}
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
	return func(x *run, in stream) stream {
		return func(yield func(row, error) bool) {
			for r, err := range in {
				var v any
				if err == nil {
					v, err = of(x, r)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if v == nil {
					continue
				}
				list, ok := v.([]any)
				if !ok {
					list = []any{v}
				}
				for _, item := range list {
					if err := x.Step(); err != nil {
						yield(nil, err)
						return
					}
					next := append(make(row, 0, len(r)), r...)
					next[u.As.Slot] = item
					if !yield(next, nil) {
						return
					}
				}
			}
		}
	}
}
