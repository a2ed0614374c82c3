package exec

import (
	"math"
	"regexp"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// truth converts v to a truth value; only booleans and null have one.
func truth(p syntax.Pos, op string, v any) value.Truth {
	switch v := v.(type) {
	case nil:
		return value.Unknown
	case bool:
		return value.Of(v)
	}
	panic(typeError(p, "%s needs a Boolean, not %s", op, value.KindOf(v).Article()))
}

func (c *compiler) unary(e *syntax.Unary) eval {
	of := c.expr(e.X)
	switch e.Op {
	case "NOT":
		return func(x *run, r row) any { return truth(e.Pos, "NOT", of(x, r)).Not().Value() }
	case "IS NULL":
		return func(x *run, r row) any { return of(x, r) == nil }
	case "IS NOT NULL":
		return func(x *run, r row) any { return of(x, r) != nil }
	}
	return func(x *run, r row) any {
		v := of(x, r)
		switch n := v.(type) {
		case nil:
		case int64:
			if e.Op == "-" {
				if n == math.MinInt64 {
					panic(overflow(e.Pos))
				}
				return -n
			}
		case float64:
			if e.Op == "-" {
				return -n
			}
		default:
			panic(typeError(e.Pos, "%s needs a number, not %s", e.Op, value.KindOf(v).Article()))
		}
		return v
	}
}

func (c *compiler) binary(e *syntax.Binary) eval {
	left, right := c.expr(e.L), c.expr(e.R)
	switch e.Op {
	case "AND", "OR":
		return logic(e, left, right)
	}
	apply := map[string]func(*run, *syntax.Binary, any, any) any{
		"XOR": xor, "IN": in, "+": add, "-": arithmetic, "*": arithmetic, "/": arithmetic, "%": arithmetic, "^": arithmetic,
		"STARTS WITH": stringTest, "ENDS WITH": stringTest, "CONTAINS": stringTest, "=~": stringTest,
	}[e.Op]
	return func(x *run, r row) any {
		a := left(x, r)
		return apply(x, e, a, right(x, r))
	}
}

// logic compiles AND and OR. When one side alone decides, the other may be unknown, and an unneeded right side is not computed.
func logic(e *syntax.Binary, left, right eval) eval {
	decides := value.Of(e.Op == "OR")
	return func(x *run, r row) any {
		a := truth(e.Pos, e.Op, left(x, r))
		if a == decides {
			return a.Value()
		}
		b := truth(e.R.At(), e.Op, right(x, r))
		if b == decides || a != value.Unknown {
			return b.Value()
		}
		return nil
	}
}

func xor(_ *run, e *syntax.Binary, a, b any) any {
	ta, tb := truth(e.L.At(), e.Op, a), truth(e.R.At(), e.Op, b)
	if ta == value.Unknown || tb == value.Unknown {
		return nil
	}
	return ta != tb
}

func in(x *run, e *syntax.Binary, a, b any) any {
	if b == nil {
		return nil
	}
	list, ok := b.([]any)
	if !ok {
		panic(typeError(e.R.At(), "IN needs a List on its right side, not %s", value.KindOf(b).Article()))
	}
	result := value.False
	for _, item := range list {
		check(x.Step())
		switch value.Equal(a, item) {
		case value.True:
			return true
		case value.Unknown:
			result = value.Unknown
		}
	}
	return result.Value()
}

// stringTest returns null for anything but strings.
func stringTest(_ *run, e *syntax.Binary, a, b any) any {
	s, ok := a.(string)
	t, okT := b.(string)
	if !ok || !okT {
		return nil
	}
	switch e.Op {
	case "STARTS WITH":
		return strings.HasPrefix(s, t)
	case "ENDS WITH":
		return strings.HasSuffix(s, t)
	case "CONTAINS":
		return strings.Contains(s, t)
	}
	pattern, err := regexp.Compile("^(?:" + t + ")$")
	if err != nil {
		panic(syntax.RuntimeErrorf(e.R.At(), "ArgumentError", "InvalidArgumentValue", "%q is not a regular expression", t))
	}
	return pattern.MatchString(s)
}

func (c *compiler) comparison(e *syntax.Comparison) eval {
	operands := c.exprs(e.Operands)
	return func(x *run, r row) any {
		left := operands[0](x, r)
		result := value.True
		for i, op := range e.Ops {
			right := operands[i+1](x, r)
			switch value.Holds(op, left, right) {
			case value.False:
				return false
			case value.Unknown:
				result = value.Unknown
			}
			left = right
		}
		return result.Value()
	}
}
