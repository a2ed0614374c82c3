package check

import (
	"maps"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// projection checks WITH or RETURN over the scope s and returns the scope after it.
func (c *checker) projection(p *syntax.Projection, s *scope) *scope {
	star(p, s)
	for _, item := range p.Items {
		p.Grouped = p.Grouped || aggregates(item.Expr)
	}
	p.Columns = map[syntax.Expr]int{}
	after := newScope(s.outer)
	c.items(p, s, after)
	for _, item := range p.Order {
		c.expr(item.Expr, c.behind(p, s, after, item.Expr))
	}
	c.count(p.Skip)
	c.count(p.Limit)
	c.condition(p.Where, c.behind(p, s, after, nil))
	for _, item := range p.Items {
		if _, ok := item.Expr.(*syntax.Variable); !ok && !item.Alias && !p.Return {
			panic(syntax.Errorf(item.Pos, "NoExpressionAlias", "%s needs a name: … AS name", item.Name))
		}
	}
	return after
}

// star replaces * by the variables in scope, in order of name.
func star(p *syntax.Projection, s *scope) {
	if !p.Star {
		return
	}
	names := slices.Sorted(maps.Keys(s.names))
	if len(names) == 0 && p.Return && s.outer == nil {
		panic(syntax.Errorf(p.Pos, "NoVariablesInScope", "RETURN * needs variables, and there are none"))
	}
	items := make([]*syntax.Item, 0, len(names)+len(p.Items))
	for _, name := range names {
		items = append(items, &syntax.Item{Expr: &syntax.Variable{Pos: p.Pos, Name: name}, Name: name, Pos: p.Pos})
	}
	p.Items = append(items, p.Items...)
}

// items checks the columns. In a grouped projection, columns without aggregation are the keys and come first, because the others may
// use them.
func (c *checker) items(p *syntax.Projection, s, after *scope) {
	seen := map[string]bool{}
	for _, item := range p.Items {
		if seen[item.Name] {
			panic(syntax.Errorf(item.Pos, "ColumnNameConflict", "two columns are named %s", item.Name))
		}
		seen[item.Name] = true
	}
	check := func(item *syntax.Item, x context) {
		types := c.expr(item.Expr, x)
		if v, ok := item.Expr.(*syntax.Variable); ok {
			item.Slot = v.Slot
		} else {
			item.Slot = c.slot()
		}
		after.names[item.Name] = symbol{item.Slot, types}
	}
	var keys, rest []*syntax.Item
	for _, item := range p.Items {
		if aggregates(item.Expr) {
			rest = append(rest, item)
			continue
		}
		check(item, context{scope: s})
		keys = append(keys, item)
	}
	projected := &scope{names: maps.Clone(after.names), outer: s.outer}
	for _, item := range rest {
		g := &grouping{projection: p, columns: keys, inner: s, projected: projected, simple: true}
		check(item, context{scope: s, grouping: g})
	}
}

// behind returns the context of ORDER BY and WHERE after a projection. Without aggregation and DISTINCT they see the variables before and
// after the projection, otherwise only those after it. sortKey is nil for WHERE, which allows no aggregation.
func (c *checker) behind(p *syntax.Projection, s, after *scope, sortKey syntax.Expr) context {
	if !p.Grouped && !p.Distinct {
		return context{scope: &scope{names: after.names, outer: s}}
	}
	g := &grouping{projection: p, columns: p.Items, inner: s, projected: after, sort: true, plain: sortKey == nil}
	g.simple = sortKey != nil && aggregates(sortKey)
	return context{scope: after, grouping: g}
}

// count checks the number of SKIP or LIMIT.
func (c *checker) count(e syntax.Expr) {
	if e == nil {
		return
	}
	types := c.expr(e, context{scope: newScope(nil), constant: true})
	if l, ok := e.(*syntax.Literal); ok {
		switch n, isInteger := l.Value.(int64); {
		case !isInteger:
			panic(syntax.Errorf(l.Pos, "InvalidArgumentType", "SKIP and LIMIT take an Integer"))
		case n < 0:
			panic(syntax.Errorf(l.Pos, "NegativeIntegerArgument", "SKIP and LIMIT take no negative number"))
		}
	}
	if types&function.Number == 0 {
		panic(syntax.Errorf(e.At(), "InvalidArgumentType", "SKIP and LIMIT take an Integer, not %s", types))
	}
}

// aggregates reports whether e holds an aggregation.
func aggregates(e syntax.Expr) bool {
	return syntax.Any(e, func(e syntax.Expr) bool {
		call, ok := e.(*syntax.Call)
		if !ok {
			return false
		}
		f := function.Find(call.Name)
		return f != nil && f.Aggregate
	})
}

// grouping describes how an expression over a grouped or distinct projection is read: subexpressions that were already computed are
// taken from their column.
type grouping struct {
	projection *syntax.Projection
	columns    []*syntax.Item // what may be referred to
	inner      *scope         // the scope before the projection: aggregations see it
	projected  *scope         // the scope after it: subqueries see it
	sort       bool           // an ORDER BY item or WHERE, else a column with aggregation
	simple     bool           // only variables and properties may be referred to
	plain      bool           // no aggregation may stand here: WHERE
}

// grouped checks e when a grouping context needs special rules for it. done is false when the usual rules apply.
func (c *checker) grouped(e syntax.Expr, x context) (done bool, types function.Types) {
	g := x.grouping
	if call, ok := e.(*syntax.Call); ok {
		if f := function.Find(call.Name); f != nil && f.Aggregate {
			return true, c.aggregate(call, f, x)
		}
	}
	switch e := e.(type) {
	case *syntax.Exists, *syntax.PatternComprehension, *syntax.PatternPredicate:
		x.grouping, x.scope = nil, g.projected
		return true, c.expr(e, x)
	case *syntax.Variable:
		if found, ok := x.scope.find(e.Name); ok && (g.sort || local(x.scope, g.inner, e.Name)) {
			e.Slot = found.slot
			return true, found.types
		}
	}
	for _, item := range g.columns {
		if !c.same(e, item.Expr) {
			continue
		}
		if g.simple && !aggregates(e) && !simple(e) {
			panic(syntax.Errorf(e.At(), "AmbiguousAggregationExpression", "name this part in an earlier WITH to use it beside an aggregation"))
		}
		g.projection.Columns[e] = item.Slot
		return true, function.Any
	}
	if v, ok := e.(*syntax.Variable); ok && !g.sort {
		if _, ok := x.scope.find(v.Name); ok {
			panic(syntax.Errorf(v.Pos, "AmbiguousAggregationExpression", "%q is used beside an aggregation but is not a column of its own", v.Name))
		}
	}
	return false, 0
}

func (c *checker) same(a, b syntax.Expr) bool {
	return syntax.Fingerprint(a, c.prints) == syntax.Fingerprint(b, c.prints) && syntax.Same(a, b)
}

// local reports whether name was declared inside s before outer is reached.
func local(s, outer *scope, name string) bool {
	for ; s != nil && s != outer; s = s.outer {
		if _, ok := s.names[name]; ok {
			return true
		}
	}
	return false
}

// simple reports whether e is a constant, a variable or a property of one.
func simple(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Literal, *syntax.Parameter, *syntax.Variable:
		return true
	case *syntax.Property:
		return simple(e.Of)
	}
	return false
}

// aggregate checks an aggregation: a new one in a column, one of the columns'
// in ORDER BY.
func (c *checker) aggregate(call *syntax.Call, f *function.Function, x context) function.Types {
	g := x.grouping
	if g.plain {
		panic(syntax.Errorf(call.Pos, "InvalidAggregation", "%s() can stand only in WITH and RETURN; name it there and compare the name", f.Name))
	}
	if x.local {
		panic(syntax.Errorf(call.Pos, "InvalidAggregation", "%s() cannot stand inside a comprehension", f.Name))
	}
	for _, known := range g.projection.Aggregates {
		if c.same(call, known) {
			g.projection.Columns[call] = known.Slot
			return f.Result
		}
	}
	inner := context{scope: g.inner, aggregate: true}
	if g.sort {
		inner.scope = x.scope // a variable that is out of scope is reported as undefined
		if !g.projection.Grouped {
			panic(syntax.Errorf(call.Pos, "InvalidAggregation", "%s() is not a column of this projection", f.Name))
		}
	}
	c.arguments(call, f, inner)
	if g.sort {
		panic(syntax.Errorf(call.Pos, "InvalidAggregation", "%s() in ORDER BY must also be a column", f.Name))
	}
	call.Slot = c.slot()
	g.projection.Aggregates = append(g.projection.Aggregates, call)
	g.projection.Columns[call] = call.Slot
	return f.Result
}
