package function

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func conversions() []Function {
	entry := func(name, does string, result Types, f func(any) (any, bool)) []Function {
		return []Function{
			{Name: name, Group: Conversion, Signature: name + "(value)", Does: does, Min: 1, Max: 1, Result: result,
				Call: func(_ Env, args []any) (any, error) {
					v, ok := f(args[0])
					if !ok {
						return nil, badValue(name, args[0])
					}
					return v, nil
				}},
			{Name: name + "OrNull", Group: Conversion, Signature: name + "OrNull(value)", Does: "the same, null for types it cannot convert", Min: 1, Max: 1, Result: result,
				Call: func(_ Env, args []any) (any, error) {
					v, _ := f(args[0])
					return v, nil
				}},
		}
	}
	return slices.Concat(
		entry("toBoolean", "true or false from a string or an integer, null when it says neither", Boolean, toBoolean),
		entry("toFloat", "a float from a string or a number", Float, toFloat),
		entry("toInteger", "an integer from a string or a number, fractions cut off", Integer, toInteger),
		entry("toString", "a string from a string, a number, a boolean, a date, a time or a duration", String, toString))
}

// Each conversion returns false for a type that it does not accept.

func toBoolean(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case int64:
		return v != 0, true
	case string:
		switch strings.ToLower(v) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
		return nil, true
	}
	return nil, false
}

func toFloat(v any) (any, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || strings.ContainsAny(v, "xXpP_iInN") {
			return nil, true
		}
		return f, true
	}
	return nil, false
}

func toInteger(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1), true
		}
		return int64(0), true
	case int64:
		return v, true
	case float64:
		return floatToInteger(v), true
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n, true
		}
		if f, _ := toFloat(v); f != nil {
			return floatToInteger(f.(float64)), true
		}
		return nil, true
	}
	return nil, false
}

// floatToInteger cuts the fraction off; it returns null when the result does not fit an int64.
func floatToInteger(f float64) any {
	if math.IsNaN(f) || f < -9223372036854775808.0 || f >= 9223372036854775808.0 {
		return nil
	}
	return int64(f)
}

func toString(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool, int64, float64:
		return value.Format(v), true
	case temporal.Value:
		return v.String(), true
	}
	return nil, false
}
