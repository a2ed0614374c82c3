package function

import (
	"strings"
	"unicode"
)

func stringFunctions() []Function {
	plain := func(name, does string, f func(string) string) Function {
		return one(Function{Name: name, Group: Strings, Signature: name + "(string)", Does: does, Params: []Types{String}, Result: String}, "a string",
			func(_ Env, v any) (any, error) { return f(v.(string)), nil })
	}
	left := func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }
	right := func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
	return []Function{
		{Name: "left", Group: Strings, Signature: "left(string, n)", Does: "the first n characters", Min: 2, Max: 2, Params: []Types{String, Integer}, Result: String, Call: leftOf},
		plain("ltrim", "without white space at the start", left),
		{Name: "replace", Group: Strings, Signature: "replace(string, search, replacement)", Does: "with every occurrence replaced", Min: 3, Max: 3, Params: []Types{String, String, String}, Result: String, Call: replace},
		{Name: "right", Group: Strings, Signature: "right(string, n)", Does: "the last n characters", Min: 2, Max: 2, Params: []Types{String, Integer}, Result: String, Call: rightOf},
		plain("rtrim", "without white space at the end", right),
		{Name: "split", Group: Strings, Signature: "split(string, separator)", Does: "the parts between separators", Min: 2, Max: 2, Params: []Types{String, String}, Result: List, Call: split},
		{Name: "substring", Group: Strings, Signature: "substring(string, start [, length])", Does: "a part, counted in characters from 0", Min: 2, Max: 3, Params: []Types{String, Integer, Integer}, Result: String, Call: substring},
		plain("toLower", "in lower case", strings.ToLower),
		plain("lower", "the same as toLower", strings.ToLower),
		plain("toUpper", "in upper case", strings.ToUpper),
		plain("upper", "the same as toUpper", strings.ToUpper),
		plain("trim", "without white space at both ends", func(s string) string { return left(right(s)) }),
	}
}

// stringAnd returns the string and the non-negative integers that follow it.
func stringAnd(name string, args []any) ([]rune, []int64, error) {
	s, ok := args[0].(string)
	if !ok {
		return nil, nil, badType(name, args[0], "a string first")
	}
	numbers := make([]int64, 0, 2)
	for _, a := range args[1:] {
		n, ok := a.(int64)
		if !ok {
			return nil, nil, badType(name, a, "an integer after the string")
		}
		if n < 0 {
			return nil, nil, argumentError("NegativeIntegerArgument", "%s() takes no negative number", name)
		}
		numbers = append(numbers, n)
	}
	return []rune(s), numbers, nil
}

func leftOf(_ Env, args []any) (any, error) {
	s, n, err := stringAnd("left", args)
	if err != nil {
		return nil, err
	}
	return string(s[:min(int64(len(s)), n[0])]), nil
}

func rightOf(_ Env, args []any) (any, error) {
	s, n, err := stringAnd("right", args)
	if err != nil {
		return nil, err
	}
	return string(s[max(0, int64(len(s))-n[0]):]), nil
}

func substring(_ Env, args []any) (any, error) {
	s, n, err := stringAnd("substring", args)
	if err != nil {
		return nil, err
	}
	start := min(n[0], int64(len(s)))
	end := int64(len(s))
	if len(n) == 2 {
		end = start + min(n[1], end-start)
	}
	return string(s[start:end]), nil
}

func allStrings(name string, args []any) ([]string, error) {
	list := make([]string, len(args))
	for i, a := range args {
		s, ok := a.(string)
		if !ok {
			return nil, badType(name, a, "strings")
		}
		list[i] = s
	}
	return list, nil
}

func replace(env Env, args []any) (any, error) {
	s, err := allStrings("replace", args)
	if err != nil {
		return nil, err
	}
	if grown := len(s[2]) - len(s[1]); grown > 0 {
		if err := env.Charge(len(s[0]) + strings.Count(s[0], s[1])*grown); err != nil {
			return nil, err
		}
	}
	return strings.ReplaceAll(s[0], s[1], s[2]), nil
}

func split(env Env, args []any) (any, error) {
	s, err := allStrings("split", args)
	if err != nil {
		return nil, err
	}
	if err := env.Charge(16 * (strings.Count(s[0], s[1]) + 1)); err != nil {
		return nil, err
	}
	return listOf(strings.Split(s[0], s[1])), nil
}
