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
		counted(Function{Name: "left", Group: Strings, Signature: "left(string, n)", Does: "the first n characters", Min: 2, Max: 2, Params: []Types{String, Integer}, Result: String},
			func(s []rune, n []int64) []rune { return s[:min(int64(len(s)), n[0])] }),
		plain("ltrim", "without white space at the start", left),
		{Name: "replace", Group: Strings, Signature: "replace(string, search, replacement)", Does: "with every occurrence replaced", Min: 3, Max: 3, Params: []Types{String, String, String}, Result: String, Call: replace},
		counted(Function{Name: "right", Group: Strings, Signature: "right(string, n)", Does: "the last n characters", Min: 2, Max: 2, Params: []Types{String, Integer}, Result: String},
			func(s []rune, n []int64) []rune { return s[max(0, int64(len(s))-n[0]):] }),
		plain("rtrim", "without white space at the end", right),
		{Name: "split", Group: Strings, Signature: "split(string, separator)", Does: "the parts between separators", Min: 2, Max: 2, Params: []Types{String, String}, Result: List, Call: split},
		counted(Function{Name: "substring", Group: Strings, Signature: "substring(string, start [, length])", Does: "a part, counted in characters from 0", Min: 2, Max: 3, Params: []Types{String, Integer, Integer}, Result: String}, substring),
		plain("toLower", "in lower case", strings.ToLower),
		plain("lower", "the same as toLower", strings.ToLower),
		plain("toUpper", "in upper case", strings.ToUpper),
		plain("upper", "the same as toUpper", strings.ToUpper),
		plain("trim", "without white space at both ends", func(s string) string { return left(right(s)) }),
	}
}

// counted returns f as a function that cuts a part out of a string by the numbers that follow it, which are not negative.
func counted(f Function, part func(s []rune, n []int64) []rune) Function {
	f.Call = func(_ Env, args []any) (any, error) {
		s, ok := args[0].(string)
		if !ok {
			return nil, badType(f.Name, args[0], "a string first")
		}
		numbers := make([]int64, len(args)-1)
		for i, a := range args[1:] {
			if numbers[i], ok = a.(int64); !ok {
				return nil, badType(f.Name, a, "an integer after the string")
			}
			if numbers[i] < 0 {
				return nil, argumentError("NegativeIntegerArgument", "%s() takes no negative number", f.Name)
			}
		}
		return string(part([]rune(s), numbers)), nil
	}
	return f
}

func substring(s []rune, n []int64) []rune {
	start, end := min(n[0], int64(len(s))), int64(len(s))
	if len(n) == 2 {
		end = start + min(n[1], end-start)
	}
	return s[start:end]
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
