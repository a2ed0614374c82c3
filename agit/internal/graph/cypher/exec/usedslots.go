package exec

import "github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"

// slotSet is a set of row slots.
type slotSet map[int]bool

func (s slotSet) within(bound slotSet) bool {
	for slot := range s {
		if !bound[slot] {
			return false
		}
	}
	return true
}

// uses collects the slots that e reads and that are in among, inside
// subqueries too.
func uses(e syntax.Expr, among slotSet) slotSet {
	found := slotSet{}
	note := func(slot int) {
		if among[slot] {
			found[slot] = true
		}
	}
	var visit func(syntax.Expr) bool
	pattern := func(m *syntax.Match) {
		for _, p := range m.Patterns {
			for _, e := range p.Elements() {
				note(e.Slot)
			}
		}
	}
	visit = func(e syntax.Expr) bool {
		switch e := e.(type) {
		case *syntax.Variable:
			note(e.Slot)
		case *syntax.PatternPredicate:
			pattern(e.Match)
		case *syntax.PatternComprehension:
			pattern(e.Match)
		case *syntax.Exists:
			for _, part := range e.Query.Parts {
				for _, clause := range part.Clauses {
					for _, inner := range clauseExprs(clause) {
						syntax.Walk(inner, visit)
					}
					if m, ok := clause.(*syntax.Match); ok {
						pattern(m)
					}
				}
			}
		}
		return true
	}
	syntax.Walk(e, visit)
	return found
}

// clauseExprs returns the expressions that stand directly in a clause.
func clauseExprs(c syntax.Clause) []syntax.Expr {
	switch c := c.(type) {
	case *syntax.Match:
		return syntax.MatchExprs(c)
	case *syntax.Unwind:
		return []syntax.Expr{c.List}
	case *syntax.Projection:
		var found []syntax.Expr
		for _, item := range c.Items {
			found = append(found, item.Expr)
		}
		for _, item := range c.Order {
			found = append(found, item.Expr)
		}
		for _, e := range []syntax.Expr{c.Where, c.Skip, c.Limit} {
			if e != nil {
				found = append(found, e)
			}
		}
		return found
	}
	return nil
}
