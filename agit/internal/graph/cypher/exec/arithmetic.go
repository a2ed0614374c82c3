package exec

import (
	"errors"
	"math"
	"math/bits"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func overflow(p syntax.Pos) *syntax.Error {
	return syntax.RuntimeErrorf(p, "ArithmeticError", "IntegerOverflow", "the result does not fit a 64-bit integer")
}

// add is +: the sum of numbers, or strings and lists joined.
func add(x *run, e *syntax.Binary, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	la, okA := a.([]any)
	lb, okB := b.([]any)
	if okA || okB {
		switch {
		case !okA:
			la = []any{a}
		case !okB:
			lb = []any{b}
		}
		check(x.Charge(16 * (len(la) + len(lb))))
		return x.made(append(append(make([]any, 0, len(la)+len(lb)), la...), lb...))
	}
	_, isA := a.(string)
	_, isB := b.(string)
	if isA || isB {
		sa, okA := stringOf(a)
		sb, okB := stringOf(b)
		if !okA || !okB {
			panic(typeError(e.Pos, "+ cannot join %s and %s", value.KindOf(a).Article(), value.KindOf(b).Article()))
		}
		check(x.Charge(len(sa) + len(sb)))
		return sa + sb
	}
	return arithmetic(x, e, a, b)
}

// stringOf returns a string, or the text of a number for concatenation.
func stringOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64, float64:
		return value.Format(v), true
	}
	return "", false
}

// arithmetic is + - * / % ^ on numbers, dates, times and durations; ^ always returns a float, / on integers
// cuts the fraction off.
func arithmetic(_ *run, e *syntax.Binary, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	_, timeA := a.(temporal.Value)
	_, timeB := b.(temporal.Value)
	if timeA || timeB {
		v, err := temporal.Operate(e.Op, a, b)
		switch {
		case errors.Is(err, temporal.ErrOperands):
			panic(untaken(e, a, b))
		case err != nil:
			panic(syntax.RuntimeErrorf(e.Pos, "ArgumentError", "InvalidArgumentValue", "%s", err))
		}
		return v
	}
	ia, intA := a.(int64)
	ib, intB := b.(int64)
	if intA && intB && e.Op != "^" {
		return integers(e, ia, ib)
	}
	fa, okA := function.AsFloat(a)
	fb, okB := function.AsFloat(b)
	if !okA || !okB {
		panic(untaken(e, a, b))
	}
	switch e.Op {
	case "+":
		return fa + fb
	case "-":
		return fa - fb
	case "*":
		return fa * fb
	case "/":
		return fa / fb
	case "%":
		return math.Mod(fa, fb)
	}
	return math.Pow(fa, fb)
}

// untaken is the error for operands of types that an operator does not take.
func untaken(e *syntax.Binary, a, b any) *syntax.Error {
	return typeError(e.Pos, "%s cannot take %s and %s", e.Op, value.KindOf(a).Article(), value.KindOf(b).Article())
}

func integers(e *syntax.Binary, a, b int64) int64 {
	switch e.Op {
	case "+":
		if sum := a + b; (sum > a) == (b > 0) {
			return sum
		}
	case "-":
		if difference := a - b; (difference < a) == (b > 0) {
			return difference
		}
	case "*":
		high, low := bits.Mul64(magnitude(a), magnitude(b))
		negative := (a < 0) != (b < 0)
		if high == 0 && (low <= math.MaxInt64 || negative && low == 1<<63) {
			return a * b
		}
	case "/", "%":
		switch {
		case b == 0:
			panic(syntax.RuntimeErrorf(e.Pos, "ArithmeticError", "DivisionByZero", "%s by zero", e.Op))
		case e.Op == "%" && b == -1:
			return 0
		case e.Op == "%":
			return a % b
		case a != math.MinInt64 || b != -1:
			return a / b
		}
	}
	panic(overflow(e.Pos))
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
