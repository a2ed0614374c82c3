package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// eval computes an expression over a row.
type eval func(x *run, r row) any

// compiler turns checked trees into evals and steps.
type compiler struct {
	x       *run                       // for estimates and constant values while planning
	width   int                        // slots of a row, growing as steps need their own
	columns map[syntax.Expr]int        // of the projection being compiled
	weights map[*syntax.Projection]int // slots of the numbers of rows that a row stands for, where it may be several
}

func (c *compiler) slot() int {
	c.width++
	return c.width - 1
}

// at adds the position of the failed expression to err, unless err has one or is nil.
func at(p syntax.Pos, err error) error {
	if err == nil {
		return nil // without room for e
	}
	var e *syntax.Error
	if errors.As(err, &e) && e.Line == 0 && e.Name != LimitName {
		placed := *e
		placed.Line, placed.Column = p.Line, p.Column
		return &placed
	}
	return err
}

func typeError(p syntax.Pos, format string, args ...any) *syntax.Error {
	return syntax.RuntimeErrorf(p, "TypeError", "InvalidArgumentType", "%s", fmt.Sprintf(format, args...))
}

// expr compiles e.
func (c *compiler) expr(e syntax.Expr) eval {
	if slot, ok := c.columns[e]; ok {
		return load(slot)
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return func(*run, row) any { return e.Value }
	case *syntax.Parameter:
		return func(x *run, _ row) any {
			v, ok := x.params[e.Name]
			if !ok {
				panic(syntax.RuntimeErrorf(e.Pos, "ParameterMissing", "MissingParameter", "parameter $%s is not given", e.Name))
			}
			return v
		}
	case *syntax.Variable:
		return load(e.Slot)
	case *syntax.Property:
		of := c.expr(e.Of)
		return func(x *run, r row) any { return x.propertyOf(e.Pos, of(x, r), e.Key) }
	case *syntax.Index:
		return c.index(e)
	case *syntax.Slice:
		return c.slice(e)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Comparison:
		return c.comparison(e)
	case *syntax.HasLabels:
		return c.hasLabels(e)
	case *syntax.ListLiteral:
		items := c.exprs(e.Items)
		return func(x *run, r row) any { return x.made(x.all(items, r)) }
	case *syntax.MapLiteral:
		return c.mapOf(e.Keys, e.Values, nil)
	case *syntax.MapProjection:
		return c.mapProjection(e)
	case *syntax.Call:
		return c.call(e)
	case *syntax.Case:
		return c.caseExpr(e)
	case *syntax.Comprehension:
		return c.comprehension(e)
	case *syntax.Quantifier:
		return c.quantifier(e)
	case *syntax.Reduce:
		return c.reduce(e)
	case *syntax.PatternComprehension:
		return c.patternComprehension(e)
	case *syntax.PatternPredicate:
		return c.exists(c.match(e.Match))
	case *syntax.Exists:
		return c.exists(c.subquery(e.Query))
	}
	return func(*run, row) any {
		panic(syntax.RuntimeErrorf(e.At(), "SyntaxError", "UnexpectedSyntax", "%T cannot be computed", e))
	}
}

// exprs compiles each of list.
func (c *compiler) exprs(list []syntax.Expr) []eval {
	evals := make([]eval, len(list))
	for i, e := range list {
		evals[i] = c.expr(e)
	}
	return evals
}

// all computes each of evals over a row.
func (x *run) all(evals []eval, r row) []any {
	values := make([]any, len(evals))
	for i, of := range evals {
		values[i] = of(x, r)
	}
	return values
}

func load(slot int) eval { return func(_ *run, r row) any { return r[slot] } }

// top compiles an expression whose temporary memory is not counted towards the next expression.
func (c *compiler) top(e syntax.Expr) eval {
	of := c.expr(e)
	return func(x *run, r row) any {
		x.transient = 0
		return of(x, r)
	}
}

// condition compiles a WHERE: true keeps the row, false and null drop it.
func (c *compiler) condition(e syntax.Expr) func(x *run, r row) bool {
	of := c.top(e)
	return func(x *run, r row) bool {
		v := of(x, r)
		keep, ok := v.(bool)
		if !ok && v != nil {
			panic(typeError(e.At(), "a condition must be a Boolean, not %s", value.KindOf(v).Article()))
		}
		return keep
	}
}

func (x *run) propertyOf(p syntax.Pos, v any, key string) any {
	switch v := v.(type) {
	case nil:
		return nil
	case *value.Node:
		n, err := x.nodeWith(v, key)
		check(at(p, err))
		return n.Properties[key]
	case *value.Relationship:
		return v.Properties[key]
	case map[string]any:
		return v[key]
	case temporal.Value:
		if part, ok := temporal.Component(v, key); ok {
			return part
		}
	}
	panic(typeError(p, "%s has no property %s", value.KindOf(v).Article(), key))
}

func (c *compiler) hasLabels(e *syntax.HasLabels) eval {
	of := c.expr(e.X)
	return func(x *run, r row) any {
		switch v := of(x, r).(type) {
		case nil:
			return nil
		case *value.Node:
			if !v.Loaded && v.Labels == nil {
				var err error
				v, err = x.NodeByID(v.ID)
				check(at(e.Pos, err))
			}
			return graph.Filter{Labels: e.Labels}.Matches(v)
		case *value.Relationship:
			return !slices.ContainsFunc(e.Labels, func(label string) bool { return label != v.Type })
		default:
			panic(typeError(e.Pos, "%s has no labels", value.KindOf(v).Article()))
		}
	}
}

// call compiles a function call; aggregations already have columns here.
func (c *compiler) call(e *syntax.Call) eval {
	f := function.Find(e.Name)
	args := c.exprs(e.Args)
	return func(x *run, r row) any {
		values := make([]any, len(args))
		for i, arg := range args {
			if values[i] = arg(x, r); values[i] == nil && !f.Nulls {
				return nil
			}
		}
		v, err := f.Call(x, values)
		check(at(e.Pos, err))
		return v
	}
}

func (c *compiler) caseExpr(e *syntax.Case) eval {
	test, otherwise := eval(func(*run, row) any { return true }), eval(func(*run, row) any { return nil })
	if e.Test != nil {
		test = c.expr(e.Test)
	}
	if e.Else != nil {
		otherwise = c.expr(e.Else)
	}
	when, then := c.exprs(e.When), c.exprs(e.Then)
	return func(x *run, r row) any {
		subject := test(x, r)
		for i := range when {
			if value.Equal(subject, when[i](x, r)) == value.True {
				return then[i](x, r)
			}
		}
		return otherwise(x, r)
	}
}
