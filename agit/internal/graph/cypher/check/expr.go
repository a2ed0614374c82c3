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

func undefined(v *syntax.Variable, s *scope) error {
	e := syntax.Errorf(v.Pos, "UndefinedVariable", "variable %q is not defined", v.Name)
	if near := text.Nearest(v.Name, s.visible()); near != "" {
		e.Message += "; did you mean " + near + "?"
	}
	return e
}

// expr checks e and returns its possible types.
func (c *checker) expr(e syntax.Expr, x context) (function.Types, error) {
	if x.grouping != nil {
		if done, types, err := c.grouped(e, x); done || err != nil {
			return types, err
		}
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return function.TypeOf(e.Value), nil
	case *syntax.Parameter:
		return function.Any, nil
	case *syntax.Variable:
		return c.variable(e, x)
	case *syntax.Property:
		types, err := c.expr(e.Of, x.plain())
		if err == nil && types == function.Path {
			err = syntax.Errorf(e.Pos, "InvalidArgumentType", "a Path has no properties")
		} else if err == nil && types&(function.Map|function.Node|function.Relationship|function.Temporal|function.Path) == 0 {
			f := syntax.Errorf(e.Pos, "InvalidArgumentType", "%s has no property %s", types, e.Key)
			f.Name = "TypeError" // the kit expects this name, although nothing has run yet
			err = f
		}
		return function.Any, err
	case *syntax.ListLiteral:
		return function.List, c.all(e.Items, x.plain())
	case *syntax.MapLiteral:
		return function.Map, c.all(e.Values, x.plain())
	case *syntax.Unary:
		return c.unary(e, x)
	case *syntax.Binary:
		return c.binary(e, x)
	case *syntax.Comparison:
		return function.Boolean, c.all(e.Operands, x.plain())
	case *syntax.IsNull:
		_, err := c.expr(e.X, x.plain())
		return function.Boolean, err
	case *syntax.HasLabels:
		types, err := c.expr(e.X, x.plain())
		if err == nil && types&(function.Node|function.Relationship) == 0 {
			err = syntax.Errorf(e.Pos, "InvalidArgumentType", "%s has no labels", types)
		}
		return function.Boolean, err
	case *syntax.Call:
		return c.call(e, x)
	case *syntax.Exists:
		return function.Boolean, c.exists(e, x)
	case *syntax.PatternPredicate:
		if !x.predicate && !e.Exists {
			return 0, syntax.Errorf(e.Pos, "UnexpectedSyntax", "a pattern can stand only where a condition is expected; use EXISTS(pattern)")
		}
		return function.Boolean, c.patternExpr(e.Match, nil, x, true)
	case *syntax.PatternComprehension:
		return function.List, c.patternExpr(e.Match, e.Map, x, false)
	case *syntax.Comprehension:
		return function.List, c.each(e.Var, e.List, x, []syntax.Expr{e.Where}, e.Map)
	case *syntax.Quantifier:
		return function.Boolean, c.each(e.Var, e.List, x, []syntax.Expr{e.Where}, nil)
	case *syntax.Reduce:
		return c.reduce(e, x)
	case *syntax.Case:
		return function.Any, c.caseExpr(e, x)
	}
	// Index, Slice, MapProjection: only their operands are checked.
	types := function.Any
	if _, ok := e.(*syntax.Slice); ok {
		types = function.List
	}
	return types, c.all(syntax.Children(e), x.plain())
}

func (c *checker) all(list []syntax.Expr, x context) error {
	for _, e := range list {
		if _, err := c.expr(e, x); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) variable(v *syntax.Variable, x context) (function.Types, error) {
	if x.constant {
		return 0, syntax.Errorf(v.Pos, "NonConstantExpression", "%q varies from row to row; a constant is needed", v.Name)
	}
	found, ok := x.scope.find(v.Name)
	if !ok {
		return 0, undefined(v, x.scope)
	}
	v.Slot = found.slot
	return found.types, nil
}

func (c *checker) unary(e *syntax.Unary, x context) (function.Types, error) {
	if e.Op != "NOT" {
		types, err := c.expr(e.X, x.plain())
		if err == nil && types&function.Number == 0 {
			err = syntax.Errorf(e.X.At(), "InvalidArgumentType", "%s needs a number, not %s", e.Op, types)
		}
		return function.Number, err
	}
	return function.Boolean, c.boolean("NOT", e.X, x)
}

func (c *checker) boolean(op string, e syntax.Expr, x context) error {
	types, err := c.expr(e, x)
	if err == nil && types&function.Boolean == 0 {
		err = syntax.Errorf(e.At(), "InvalidArgumentType", "%s needs a Boolean, not %s", op, types)
	}
	return err
}

func (c *checker) binary(e *syntax.Binary, x context) (function.Types, error) {
	switch e.Op {
	case "AND", "OR", "XOR":
		if err := c.boolean(e.Op, e.L, x); err != nil {
			return 0, err
		}
		return function.Boolean, c.boolean(e.Op, e.R, x)
	}
	left, err := c.expr(e.L, x.plain())
	if err != nil {
		return 0, err
	}
	right, err := c.expr(e.R, x.plain())
	if err != nil {
		return 0, err
	}
	for _, side := range [...]struct {
		e     syntax.Expr
		types function.Types
	}{{e.L, left}, {e.R, right}} {
		if strings.Contains("-*/%^", e.Op) && side.types&(function.Number|takes(e.Op)) == 0 {
			return 0, syntax.Errorf(side.e.At(), "InvalidArgumentType", "%s needs numbers, not %s", e.Op, side.types)
		}
	}
	switch e.Op {
	case "IN":
		if right&function.List == 0 {
			return 0, syntax.Errorf(e.R.At(), "InvalidArgumentType", "IN needs a List on its right side, not %s", right)
		}
		return function.Boolean, nil
	case "STARTS WITH", "ENDS WITH", "CONTAINS", "=~":
		return function.Boolean, nil
	case "+":
		return sum(left, right), nil
	}
	return function.Number | takes(e.Op), nil
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

func (c *checker) caseExpr(e *syntax.Case, x context) error {
	if e.Test != nil {
		return c.all(syntax.Children(e), x.plain())
	}
	for i := range e.When {
		if _, err := c.expr(e.When[i], x.conditional()); err != nil {
			return err
		}
		if _, err := c.expr(e.Then[i], x.plain()); err != nil {
			return err
		}
	}
	if e.Else == nil {
		return nil
	}
	_, err := c.expr(e.Else, x.plain())
	return err
}
