package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// earlyLimit is ORDER BY with LIMIT ahead of the OPTIONAL MATCHes that stand between,
// none when it has to wait: they give at least one row for every row, in order,
// so where the keys are known already no row beyond the first ones comes out.
func (c *compiler) earlyLimit(clauses []syntax.Clause) []step {
	late := slotSet{} // what is known only after the matches
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

// ranks reports whether p sorts and cuts off rows by nothing that is late or
// made by p itself.
func ranks(p *syntax.Projection, late slotSet) bool {
	if p.Limit == nil || len(p.Order) == 0 || p.Grouped || p.Distinct || len(p.Columns) > 0 || varies(p.Limit) || varies(p.Skip) {
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
