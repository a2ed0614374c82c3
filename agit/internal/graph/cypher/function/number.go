package function

import (
	"math"
	"math/big"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

func numbers() []Function {
	return []Function{
		one(Function{Name: "abs", Group: Numbers, Signature: "abs(number)", Does: "without its sign", Params: []Types{Number}, Result: Number}, "a number", abs),
		floating("ceil", Numbers, "the smallest whole number that is not smaller, as a float", math.Ceil),
		floating("floor", Numbers, "the largest whole number that is not larger, as a float", math.Floor),
		one(Function{Name: "isNaN", Group: Numbers, Signature: "isNaN(number)", Does: "whether it is not a number", Params: []Types{Number}, Result: Boolean}, "a number",
			func(_ Env, v any) (any, error) {
				x, _ := AsFloat(v)
				return math.IsNaN(x), nil
			}),
		{Name: "rand", Group: Numbers, Signature: "rand()", Does: "a random float from 0 up to, not including, 1", Result: Float, Random: true,
			Call: func(env Env, _ []any) (any, error) { return env.Random(), nil }},
		{Name: "round", Group: Numbers, Signature: "round(number [, places])", Does: "the nearest number with that many decimal places (0); halves go up, of decimal places away from 0", Min: 1, Max: 2, Params: []Types{Number, Integer}, Result: Float, Call: round},
		one(Function{Name: "sign", Group: Numbers, Signature: "sign(number)", Does: "-1, 0 or 1", Params: []Types{Number}, Result: Integer}, "a number", sign),
		floating("sqrt", Numbers, "the square root", math.Sqrt),
	}
}

func trigonometry() []Function {
	constant := func(name, does string, f float64) Function {
		return Function{Name: name, Group: Trigonometry, Signature: name + "()", Does: does, Result: Float,
			Call: func(Env, []any) (any, error) { return f, nil }}
	}
	return []Function{
		floating("acos", Trigonometry, "arc cosine", math.Acos),
		floating("asin", Trigonometry, "arc sine", math.Asin),
		floating("atan", Trigonometry, "arc tangent", math.Atan),
		{Name: "atan2", Group: Trigonometry, Signature: "atan2(y, x)", Does: "arc tangent of y/x in the right quadrant", Min: 2, Max: 2, Params: []Types{Number, Number}, Result: Float, Call: atan2},
		floating("cos", Trigonometry, "cosine", math.Cos),
		floating("cot", Trigonometry, "cotangent", func(x float64) float64 { return 1 / math.Tan(x) }),
		floating("degrees", Trigonometry, "radians as degrees", func(x float64) float64 { return x * 180 / math.Pi }),
		constant("e", "the base of natural logarithms", math.E),
		floating("exp", Trigonometry, "e to the power of the number", math.Exp),
		floating("haversin", Trigonometry, "half the versine", func(x float64) float64 { return (1 - math.Cos(x)) / 2 }),
		floating("log", Trigonometry, "natural logarithm", math.Log),
		floating("log10", Trigonometry, "logarithm to base 10", math.Log10),
		constant("pi", "the ratio of a circle's circumference to its diameter", math.Pi),
		floating("radians", Trigonometry, "degrees as radians", func(x float64) float64 { return x * math.Pi / 180 }),
		floating("sin", Trigonometry, "sine", math.Sin),
		floating("tan", Trigonometry, "tangent", math.Tan),
	}
}

// floating makes a function from one number to a float.
func floating(name, group, does string, f func(float64) float64) Function {
	return one(Function{Name: name, Group: group, Signature: name + "(number)", Does: does, Params: []Types{Number}, Result: Float}, "a number",
		func(_ Env, v any) (any, error) {
			x, _ := AsFloat(v)
			return f(x), nil
		})
}

// AsFloat returns a number as a float.
func AsFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func abs(_ Env, v any) (any, error) {
	n, whole := v.(int64)
	switch {
	case !whole:
		return math.Abs(v.(float64)), nil
	case n == math.MinInt64:
		return nil, syntax.RuntimeErrorf(syntax.Pos{}, "ArithmeticError", "IntegerOverflow", "abs(%d) does not fit a 64-bit integer", n)
	}
	return max(n, -n), nil
}

func sign(_ Env, v any) (any, error) {
	switch x, _ := AsFloat(v); {
	case x > 0:
		return int64(1), nil
	case x < 0:
		return int64(-1), nil
	}
	return int64(0), nil
}

func round(_ Env, args []any) (any, error) {
	x, ok := AsFloat(args[0])
	if !ok {
		return nil, badType("round", args[0], "a number")
	}
	if len(args) == 1 {
		return nearest(x), nil
	}
	places, ok := args[1].(int64)
	if !ok || places < 0 || places > 15 {
		return nil, argumentError("NumberOutOfRange", "round() takes 0 to 15 decimal places")
	}
	if places == 0 {
		return nearest(x), nil
	}
	return roundDecimal(x, int(places)), nil
}

// nearest returns the whole number nearest to x; a tie goes up. Adding a half and taking the floor would be wrong where the sum is
// rounded: for the largest number below a half, and for odd numbers above 2^52.
func nearest(x float64) float64 {
	whole := math.Floor(x)
	if x-whole >= 0.5 {
		return whole + 1
	}
	return whole
}

// roundDecimal rounds the shortest decimal number that reads as x, as a person would who sees 1.005. A tie goes away from zero.
func roundDecimal(x float64, places int) float64 {
	written, finite := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	if !finite || x == 0 {
		return x
	}
	rounded, err := strconv.ParseFloat(written.FloatString(places), 64)
	if err != nil {
		return x
	}
	return rounded
}

func atan2(_ Env, args []any) (any, error) {
	y, okY := AsFloat(args[0])
	x, okX := AsFloat(args[1])
	if !okX || !okY {
		return nil, badType("atan2", args[0], "two numbers")
	}
	return math.Atan2(y, x), nil
}
