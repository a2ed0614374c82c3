package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// call checks a function call that is not an aggregation.
func (c *checker) call(call *syntax.Call, x context) function.Types {
	f := function.Find(call.Name)
	switch {
	case f == nil:
		panic(suggest(syntax.Errorf(call.Pos, "UnknownFunction", "there is no function %s", call.Name), call.Name, function.Names()))
	case f.Aggregate && x.aggregate:
		panic(syntax.Errorf(call.Pos, "NestedAggregation", "%s() stands inside another aggregation", f.Name))
	case f.Aggregate:
		panic(syntax.Errorf(call.Pos, "InvalidAggregation", "%s() can stand only in WITH and RETURN", f.Name))
	case f.Random && x.aggregate:
		panic(syntax.Errorf(call.Pos, "NonConstantExpression", "%s() cannot stand inside an aggregation", f.Name))
	case call.Distinct:
		panic(syntax.Errorf(call.Pos, "UnexpectedSyntax", "DISTINCT makes sense only in an aggregation, not in %s()", f.Name))
	}
	c.arguments(call, f, x.plain())
	return f.Result
}

func (c *checker) arguments(call *syntax.Call, f *function.Function, x context) {
	n := len(call.Args)
	if !call.Star && (n < f.Min || f.Max >= 0 && n > f.Max) {
		panic(syntax.Errorf(call.Pos, "InvalidNumberOfArguments", "%s does not fit %d arguments", f.Signature, n))
	}
	for i, arg := range call.Args {
		if types := c.expr(arg, x); i < len(f.Params) && types&f.Params[i] == 0 {
			panic(syntax.Errorf(arg.At(), "InvalidArgumentType", "%s takes %s, not %s", f.Signature, f.Params[i], types))
		}
	}
}

// each checks an expression that declares v for every element of list.
func (c *checker) each(v *syntax.Variable, list syntax.Expr, x context, where, body syntax.Expr) {
	if types := c.expr(list, x.plain()); types&function.List == 0 {
		panic(syntax.Errorf(list.At(), "InvalidArgumentType", "IN needs a List, not %s", types))
	}
	inner := x.plain()
	inner.local = true
	inner.scope = newScope(x.scope)
	c.declare(inner.scope, v, elements(list))
	c.condition(where, inner)
	if body != nil {
		c.expr(body, inner)
	}
}

// elements returns the possible types of a list's elements.
func elements(list syntax.Expr) function.Types {
	literal, ok := list.(*syntax.ListLiteral)
	if !ok || len(literal.Items) == 0 {
		return function.Any
	}
	var types function.Types
	for _, item := range literal.Items {
		switch item := item.(type) {
		case *syntax.Literal:
			types |= function.TypeOf(item.Value)
		case *syntax.ListLiteral:
			types |= function.List
		case *syntax.MapLiteral:
			types |= function.Map
		default:
			return function.Any
		}
	}
	return types
}

func (c *checker) reduce(e *syntax.Reduce, x context) {
	c.all([]syntax.Expr{e.Init, e.List}, x.plain())
	inner := x.plain()
	inner.local = true
	inner.scope = newScope(x.scope)
	c.declare(inner.scope, e.Acc, function.Any)
	c.declare(inner.scope, e.Var, elements(e.List))
	c.expr(e.Body, inner)
}

// exists checks the body of EXISTS { }, which sees the variables around it.
func (c *checker) exists(e *syntax.Exists, x context) {
	for _, part := range e.Query.Parts {
		columns := c.part(part, newScope(x.scope))
		if len(e.Query.Parts) > 1 {
			sameColumns(e.Query, columns, part)
		}
	}
}

// patternExpr checks a pattern inside an expression; with closed set it must not declare a variable.
func (c *checker) patternExpr(m *syntax.Match, body syntax.Expr, x context, closed bool) {
	inner := newScope(x.scope)
	c.patterns(m.Patterns, inner, closed)
	c.conditions(m, inner)
	if body != nil {
		c.expr(body, context{scope: inner, local: true})
	}
}
