package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

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
