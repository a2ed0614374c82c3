package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

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
