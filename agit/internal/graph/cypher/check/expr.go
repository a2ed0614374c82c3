package check

import (
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/shared/text"
)

// context holds what an expression may refer to and contain.
type context struct {
	scope     *scope
	predicate bool      // a pattern may stand here as a predicate
	grouping  *grouping // set for a projection whose columns and aggregations may be used; nil elsewhere
	constant  bool      // no variables allowed: SKIP and LIMIT
	aggregate bool      // inside an aggregation
	local     bool      // inside a comprehension
}

// plain is x for a subexpression in which patterns are not predicates.
func (x context) plain() context {
	x.predicate = false
	return x
}

// conditional is x for a subexpression in which patterns are predicates.
func (x context) conditional() context {
	x.predicate = true
	return x
}

func undefined(v *syntax.Variable, s *scope) *syntax.Error {
	return suggest(syntax.Errorf(v.Pos, "UndefinedVariable", "variable %q is not defined", v.Name), v.Name, s.visible())
}

// suggest adds to e the known name that is nearest to an unknown one.
func suggest(e *syntax.Error, name string, known []string) *syntax.Error {
	if near := text.Nearest(name, known); near != "" {
		e.Message += "; did you mean " + near + "?"
	}
	return e
}

// expr checks e and returns its possible types.
func (c *checker) expr(e syntax.Expr, x context) function.Types {
	if x.grouping != nil {
		if done, types := c.grouped(e, x); done {
			return types
		}
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return function.TypeOf(e.Value)
	case *syntax.Parameter:
		return function.Any
	case *syntax.Variable:
		return c.variable(e, x)
	case *syntax.Property:
		types := c.expr(e.Of, x.plain())
		if types == function.Path {
			panic(syntax.Errorf(e.Pos, "InvalidArgumentType", "a Path has no properties"))
		}
		if types&(function.Map|function.Node|function.Relationship|function.Temporal|function.Path) == 0 {
			f := syntax.Errorf(e.Pos, "InvalidArgumentType", "%s has no property %s", types, e.Key)
			f.Name = "TypeError" // the kit expects this name, although nothing has run yet
			panic(f)
		}
		return function.Any
	case *syntax.ListLiteral:
		c.all(e.Items, x.plain())
		return function.List
	case *syntax.MapLiteral:
		c.all(e.Values, x.plain())
		return function.Map
	case *syntax.Unary:
		return c.unary(e, x)
	case *syntax.Binary:
		return c.binary(e, x)
	case *syntax.Comparison:
		c.all(e.Operands, x.plain())
		return function.Boolean
	case *syntax.HasLabels:
		if types := c.expr(e.X, x.plain()); types&(function.Node|function.Relationship) == 0 {
			panic(syntax.Errorf(e.Pos, "InvalidArgumentType", "%s has no labels", types))
		}
		return function.Boolean
	case *syntax.Call:
		return c.call(e, x)
	case *syntax.Exists:
		c.exists(e, x)
		return function.Boolean
	case *syntax.PatternPredicate:
		if !x.predicate && !e.Exists {
			panic(syntax.Errorf(e.Pos, "UnexpectedSyntax", "a pattern can stand only where a condition is expected; use EXISTS(pattern)"))
		}
		c.patternExpr(e.Match, nil, x, true)
		return function.Boolean
	case *syntax.PatternComprehension:
		c.patternExpr(e.Match, e.Map, x, false)
		return function.List
	case *syntax.Comprehension:
		c.each(e.Var, e.List, x, e.Where, e.Map)
		return function.List
	case *syntax.Quantifier:
		c.each(e.Var, e.List, x, e.Where, nil)
		return function.Boolean
	case *syntax.Reduce:
		c.reduce(e, x)
		return function.Any
	case *syntax.Case:
		c.caseExpr(e, x)
		return function.Any
	}
	// Index, Slice, MapProjection: only their operands are checked.
	c.all(syntax.Children(e), x.plain())
	if _, ok := e.(*syntax.Slice); ok {
		return function.List
	}
	return function.Any
}

func (c *checker) all(list []syntax.Expr, x context) {
	for _, e := range list {
		c.expr(e, x)
	}
}

func (c *checker) variable(v *syntax.Variable, x context) function.Types {
	if x.constant {
		panic(syntax.Errorf(v.Pos, "NonConstantExpression", "%q varies from row to row; a constant is needed", v.Name))
	}
	found, ok := x.scope.find(v.Name)
	if !ok {
		panic(undefined(v, x.scope))
	}
	v.Slot = found.slot
	return found.types
}

func (c *checker) unary(e *syntax.Unary, x context) function.Types {
	if e.Op == "NOT" {
		c.boolean("NOT", e.X, x)
		return function.Boolean
	}
	types := c.expr(e.X, x.plain())
	if e.Op == "IS NULL" || e.Op == "IS NOT NULL" {
		return function.Boolean
	}
	if types&function.Number == 0 {
		panic(syntax.Errorf(e.X.At(), "InvalidArgumentType", "%s needs a number, not %s", e.Op, types))
	}
	return function.Number
}

func (c *checker) boolean(op string, e syntax.Expr, x context) {
	if types := c.expr(e, x); types&function.Boolean == 0 {
		panic(syntax.Errorf(e.At(), "InvalidArgumentType", "%s needs a Boolean, not %s", op, types))
	}
}

func (c *checker) binary(e *syntax.Binary, x context) function.Types {
	switch e.Op {
	case "AND", "OR", "XOR":
		c.boolean(e.Op, e.L, x)
		c.boolean(e.Op, e.R, x)
		return function.Boolean
	}
	left, right := c.expr(e.L, x.plain()), c.expr(e.R, x.plain())
	for _, side := range [...]struct {
		e     syntax.Expr
		types function.Types
	}{{e.L, left}, {e.R, right}} {
		if strings.Contains("-*/%^", e.Op) && side.types&(function.Number|takes(e.Op)) == 0 {
			panic(syntax.Errorf(side.e.At(), "InvalidArgumentType", "%s needs numbers, not %s", e.Op, side.types))
		}
	}
	switch e.Op {
	case "IN":
		if right&function.List == 0 {
			panic(syntax.Errorf(e.R.At(), "InvalidArgumentType", "IN needs a List on its right side, not %s", right))
		}
		return function.Boolean
	case "STARTS WITH", "ENDS WITH", "CONTAINS", "=~":
		return function.Boolean
	case "+":
		return sum(left, right)
	}
	return function.Number | takes(e.Op)
}

// takes returns the types other than numbers that an operator accepts.
func takes(op string) function.Types {
	switch op {
	case "-":
		return function.Temporal
	case "*", "/":
		return function.Duration
	}
	return 0
}

// sum returns the possible result types of +.
func sum(left, right function.Types) function.Types {
	switch {
	case (left|right)&function.List != 0:
		return function.List | function.Number | function.String
	case (left | right) == left&function.Number|right&function.Number:
		return function.Number
	}
	return function.Any
}

func (c *checker) caseExpr(e *syntax.Case, x context) {
	if e.Test != nil {
		c.all(syntax.Children(e), x.plain())
		return
	}
	for i := range e.When {
		c.expr(e.When[i], x.conditional())
		c.expr(e.Then[i], x.plain())
	}
	if e.Else != nil {
		c.expr(e.Else, x.plain())
	}
}

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
