package exec

import (
	"math"
	"regexp"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// truth converts v to a truth value; only booleans and null have one.
func truth(p syntax.Pos, op string, v any) (value.Truth, error) {
	switch v := v.(type) {
	case nil:
		return value.Unknown, nil
	case bool:
		return value.Of(v), nil
	}
	return 0, typeError(p, "%s needs a Boolean, not %s", op, value.KindOf(v).Article())
}

func (c *compiler) unary(e *syntax.Unary) eval {
	of := c.expr(e.X)
	if e.Op == "NOT" {
		return func(x *run, r row) (any, error) {
			v, err := of(x, r)
			if err != nil {
				return nil, err
			}
			t, err := truth(e.Pos, "NOT", v)
			return t.Not().Value(), err
		}
	}
	return func(x *run, r row) (any, error) {
		v, err := of(x, r)
		if err != nil || v == nil {
			return nil, err
		}
		switch n := v.(type) {
		case int64:
			if e.Op == "-" {
				if n == math.MinInt64 {
					return nil, overflow(e.Pos)
				}
				return -n, nil
			}
			return n, nil
		case float64:
			if e.Op == "-" {
				return -n, nil
			}
			return n, nil
		}
		return nil, typeError(e.Pos, "%s needs a number, not %s", e.Op, value.KindOf(v).Article())
	}
}

func (c *compiler) binary(e *syntax.Binary) eval {
	left, right := c.expr(e.L), c.expr(e.R)
	switch e.Op {
	case "AND", "OR":
		return logic(e, left, right)
	}
	apply := map[string]func(*run, *syntax.Binary, any, any) (any, error){
		"XOR": xor, "IN": in, "+": add, "-": arithmetic, "*": arithmetic, "/": arithmetic, "%": arithmetic, "^": arithmetic,
		"STARTS WITH": stringTest, "ENDS WITH": stringTest, "CONTAINS": stringTest, "=~": stringTest,
	}[e.Op]
	return func(x *run, r row) (any, error) {
		a, err := left(x, r)
		if err != nil {
			return nil, err
		}
		b, err := right(x, r)
		if err != nil {
			return nil, err
		}
		return apply(x, e, a, b)
	}
}

// logic compiles AND and OR. When one side alone decides, the other may be unknown, and an unneeded right side is not computed.
func logic(e *syntax.Binary, left, right eval) eval {
	decides := value.Of(e.Op == "OR")
	return func(x *run, r row) (any, error) {
		v, err := left(x, r)
		if err != nil {
			return nil, err
		}
		a, err := truth(e.Pos, e.Op, v)
		if err != nil || a == decides {
			return a.Value(), err
		}
		if v, err = right(x, r); err != nil {
			return nil, err
		}
		b, err := truth(e.R.At(), e.Op, v)
		switch {
		case err != nil:
			return nil, err
		case b == decides || a != value.Unknown:
			return b.Value(), nil
		}
		return nil, nil
	}
}

func xor(_ *run, e *syntax.Binary, a, b any) (any, error) {
	ta, err := truth(e.L.At(), e.Op, a)
	if err != nil {
		return nil, err
	}
	tb, err := truth(e.R.At(), e.Op, b)
	if err != nil || ta == value.Unknown || tb == value.Unknown {
		return nil, err
	}
	return ta != tb, nil
}

func in(x *run, e *syntax.Binary, a, b any) (any, error) {
	if b == nil {
		return nil, nil
	}
	list, ok := b.([]any)
	if !ok {
		return nil, typeError(e.R.At(), "IN needs a List on its right side, not %s", value.KindOf(b).Article())
	}
	result := value.False
	for _, item := range list {
		if err := x.Step(); err != nil {
			return nil, err
		}
		switch value.Equal(a, item) {
		case value.True:
			return true, nil
		case value.Unknown:
			result = value.Unknown
		}
	}
	return result.Value(), nil
}

// stringTest returns null for anything but strings.
func stringTest(_ *run, e *syntax.Binary, a, b any) (any, error) {
	s, ok := a.(string)
	t, okT := b.(string)
	if !ok || !okT {
		return nil, nil
	}
	switch e.Op {
	case "STARTS WITH":
		return strings.HasPrefix(s, t), nil
	case "ENDS WITH":
		return strings.HasSuffix(s, t), nil
	case "CONTAINS":
		return strings.Contains(s, t), nil
	}
	pattern, err := regexp.Compile("^(?:" + t + ")$")
	if err != nil {
		return nil, syntax.RuntimeErrorf(e.R.At(), "ArgumentError", "InvalidArgumentValue", "%q is not a regular expression", t)
	}
	return pattern.MatchString(s), nil
}

func (c *compiler) comparison(e *syntax.Comparison) eval {
	operands := c.exprs(e.Operands)
	return func(x *run, r row) (any, error) {
		left, err := operands[0](x, r)
		if err != nil {
			return nil, err
		}
		result := value.True
		for i, op := range e.Ops {
			right, err := operands[i+1](x, r)
			if err != nil {
				return nil, err
			}
			switch compare(op, left, right) {
			case value.False:
				return false, nil
			case value.Unknown:
				result = value.Unknown
			}
			left = right
		}
		return result.Value(), nil
	}
}

func compare(op string, a, b any) value.Truth {
	switch op {
	case "=":
		return value.Equal(a, b)
	case "<>":
		return value.Equal(a, b).Not()
	}
	order, known := value.Compare(a, b)
	if known != value.True {
		return known
	}
	switch op {
	case "<":
		return value.Of(order < 0)
	case "<=":
		return value.Of(order <= 0)
	case ">":
		return value.Of(order > 0)
	}
	return value.Of(order >= 0)
}
