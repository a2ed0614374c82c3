package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// projection checks WITH or RETURN over the scope s and returns the scope after it.
func (c *checker) projection(p *syntax.Projection, s *scope) (*scope, error) {
	if err := c.star(p, s); err != nil {
		return nil, err
	}
	for _, item := range p.Items {
		p.Grouped = p.Grouped || aggregates(item.Expr)
	}
	p.Columns = map[syntax.Expr]int{}
	after := newScope(s.outer)
	if err := c.items(p, s, after); err != nil {
		return nil, err
	}
	if err := c.order(p, s, after); err != nil {
		return nil, err
	}
	for _, e := range []syntax.Expr{p.Skip, p.Limit} {
		if err := c.count(e); err != nil {
			return nil, err
		}
	}
	if err := c.condition(p.Where, c.behind(p, s, after, nil)); err != nil {
		return nil, err
	}
	return after, aliased(p)
}

// star replaces * by the variables in scope, in order of name.
func (c *checker) star(p *syntax.Projection, s *scope) error {
	if !p.Star {
		return nil
	}
	names := (&scope{names: s.names}).visible()
	if len(names) == 0 && p.Return && s.outer == nil {
		return syntax.Errorf(p.Pos, "NoVariablesInScope", "RETURN * needs variables, and there are none")
	}
	items := make([]*syntax.Item, 0, len(names)+len(p.Items))
	for _, name := range names {
		items = append(items, &syntax.Item{Expr: &syntax.Variable{Pos: p.Pos, Name: name}, Name: name, Pos: p.Pos})
	}
	p.Items = append(items, p.Items...)
	return nil
}

// aliased refuses expressions without a name in WITH.
func aliased(p *syntax.Projection) error {
	for _, item := range p.Items {
		if _, ok := item.Expr.(*syntax.Variable); !ok && !item.Alias && !p.Return {
			return syntax.Errorf(item.Pos, "NoExpressionAlias", "%s needs a name: … AS name", item.Name)
		}
	}
	return nil
}

// items checks the columns. In a grouped projection, columns without aggregation are the keys and come first, because the others may
// use them.
func (c *checker) items(p *syntax.Projection, s, after *scope) error {
	seen := map[string]bool{}
	for _, item := range p.Items {
		if seen[item.Name] {
			return syntax.Errorf(item.Pos, "ColumnNameConflict", "two columns are named %s", item.Name)
		}
		seen[item.Name] = true
	}
	var keys []*syntax.Item
	check := func(item *syntax.Item, x context) error {
		types, err := c.expr(item.Expr, x)
		if err != nil {
			return err
		}
		if v, ok := item.Expr.(*syntax.Variable); ok {
			item.Slot = v.Slot
		} else {
			item.Slot = c.slot()
		}
		after.names[item.Name] = symbol{item.Slot, types}
		return nil
	}
	for _, item := range p.Items {
		if p.Grouped && aggregates(item.Expr) {
			continue
		}
		if err := check(item, context{scope: s}); err != nil {
			return err
		}
		keys = append(keys, item)
	}
	if !p.Grouped {
		return nil
	}
	projected := newScope(s.outer)
	for name, symbol := range after.names {
		projected.names[name] = symbol
	}
	for _, item := range p.Items {
		if !aggregates(item.Expr) {
			continue
		}
		g := &grouping{projection: p, columns: keys, inner: s, projected: projected, simple: true}
		if err := check(item, context{scope: s, grouping: g}); err != nil {
			return err
		}
	}
	return nil
}

// order checks ORDER BY. Without aggregation and DISTINCT it sees the variables before and after the projection, otherwise only those
// after it.
func (c *checker) order(p *syntax.Projection, s, after *scope) error {
	for _, item := range p.Order {
		if _, err := c.expr(item.Expr, c.behind(p, s, after, item.Expr)); err != nil {
			return err
		}
	}
	return nil
}

// behind returns the context of ORDER BY and WHERE after a projection. sortKey is nil for WHERE, which allows no aggregation.
func (c *checker) behind(p *syntax.Projection, s, after *scope, sortKey syntax.Expr) context {
	if !p.Grouped && !p.Distinct {
		return context{scope: &scope{names: after.names, outer: s}}
	}
	g := &grouping{projection: p, columns: p.Items, inner: s, projected: after, sort: true, plain: sortKey == nil}
	g.simple = sortKey != nil && aggregates(sortKey)
	return context{scope: after, grouping: g}
}

// count checks the number of SKIP or LIMIT.
func (c *checker) count(e syntax.Expr) error {
	if e == nil {
		return nil
	}
	types, err := c.expr(e, context{scope: newScope(nil), constant: true})
	if err != nil {
		return err
	}
	if l, ok := e.(*syntax.Literal); ok {
		switch n, isInteger := l.Value.(int64); {
		case !isInteger:
			return syntax.Errorf(l.Pos, "InvalidArgumentType", "SKIP and LIMIT take an Integer")
		case n < 0:
			return syntax.Errorf(l.Pos, "NegativeIntegerArgument", "SKIP and LIMIT take no negative number")
		}
	}
	if types&function.Number == 0 {
		return syntax.Errorf(e.At(), "InvalidArgumentType", "SKIP and LIMIT take an Integer, not %s", types)
	}
	return nil
}

// aggregates reports whether e holds an aggregation.
func aggregates(e syntax.Expr) bool {
	found := false
	syntax.Walk(e, func(e syntax.Expr) bool {
		if call, ok := e.(*syntax.Call); ok {
			if f := function.Find(call.Name); f != nil && f.Aggregate {
				found = true
			}
		}
		return !found
	})
	return found
}
