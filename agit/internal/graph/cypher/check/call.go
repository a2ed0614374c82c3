package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/shared/text"
)

// call checks a function call that is not an aggregation.
func (c *checker) call(call *syntax.Call, x context) (function.Types, error) {
	f := function.Find(call.Name)
	switch {
	case f == nil:
		e := syntax.Errorf(call.Pos, "UnknownFunction", "there is no function %s", call.Name)
		if near := text.Nearest(call.Name, function.Names()); near != "" {
			e.Message += "; did you mean " + near + "?"
		}
		return 0, e
	case f.Aggregate && x.aggregate:
		return 0, syntax.Errorf(call.Pos, "NestedAggregation", "%s() stands inside another aggregation", f.Name)
	case f.Aggregate:
		return 0, syntax.Errorf(call.Pos, "InvalidAggregation", "%s() can stand only in WITH and RETURN", f.Name)
	case f.Random && x.aggregate:
		return 0, syntax.Errorf(call.Pos, "NonConstantExpression", "%s() cannot stand inside an aggregation", f.Name)
	case call.Distinct:
		return 0, syntax.Errorf(call.Pos, "UnexpectedSyntax", "DISTINCT makes sense only in an aggregation, not in %s()", f.Name)
	}
	return f.Result, c.arguments(call, f, x.plain())
}

func (c *checker) arguments(call *syntax.Call, f *function.Function, x context) error {
	n := len(call.Args)
	if !call.Star && (n < f.Min || f.Max >= 0 && n > f.Max) {
		return syntax.Errorf(call.Pos, "InvalidNumberOfArguments", "%s does not fit %d arguments", f.Signature, n)
	}
	for i, arg := range call.Args {
		types, err := c.expr(arg, x)
		if err != nil {
			return err
		}
		if i < len(f.Params) && types&f.Params[i] == 0 {
			return syntax.Errorf(arg.At(), "InvalidArgumentType", "%s takes %s, not %s", f.Signature, f.Params[i], types)
		}
	}
	return nil
}

// each checks an expression that declares v for every element of list.
func (c *checker) each(v *syntax.Variable, list syntax.Expr, x context, where []syntax.Expr, body syntax.Expr) error {
	types, err := c.expr(list, x.plain())
	if err != nil {
		return err
	}
	if types&function.List == 0 {
		return syntax.Errorf(list.At(), "InvalidArgumentType", "IN needs a List, not %s", types)
	}
	inner := x.plain()
	inner.local = true
	inner.scope = newScope(x.scope)
	c.declare(inner.scope, v, elements(list))
	for _, w := range where {
		if err := c.condition(w, inner); err != nil {
			return err
		}
	}
	if body == nil {
		return nil
	}
	_, err = c.expr(body, inner)
	return err
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

func (c *checker) reduce(e *syntax.Reduce, x context) (function.Types, error) {
	if err := c.all([]syntax.Expr{e.Init, e.List}, x.plain()); err != nil {
		return 0, err
	}
	inner := x.plain()
	inner.local = true
	inner.scope = newScope(x.scope)
	c.declare(inner.scope, e.Acc, function.Any)
	c.declare(inner.scope, e.Var, elements(e.List))
	_, err := c.expr(e.Body, inner)
	return function.Any, err
}

// exists checks the body of EXISTS { }, which sees the variables around it.
func (c *checker) exists(e *syntax.Exists, x context) error {
	for _, part := range e.Query.Parts {
		columns, err := c.part(part, newScope(x.scope))
		if err != nil {
			return err
		}
		if len(e.Query.Parts) > 1 {
			if err := sameColumns(e.Query, columns, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// patternExpr checks a pattern inside an expression; with closed set it must not declare a variable.
func (c *checker) patternExpr(m *syntax.Match, body syntax.Expr, x context, closed bool) error {
	inner := newScope(x.scope)
	if err := c.patterns(m.Patterns, inner, closed); err != nil {
		return err
	}
	if err := c.conditions(m, inner); err != nil {
		return err
	}
	if body == nil {
		return nil
	}
	_, err := c.expr(body, context{scope: inner, local: true})
	return err
}
