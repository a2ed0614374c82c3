package function

import "slices"

func lists() []Function {
	return []Function{
		{Name: "head", Group: Lists, Signature: "head(list)", Does: "the first element, null when there is none", Min: 1, Max: 1, Params: []Types{List}, Result: Any, Call: head},
		{Name: "last", Group: Lists, Signature: "last(list)", Does: "the last element, null when there is none", Min: 1, Max: 1, Params: []Types{List}, Result: Any, Call: last},
		{Name: "tail", Group: Lists, Signature: "tail(list)", Does: "all elements but the first", Min: 1, Max: 1, Params: []Types{List}, Result: List, Call: tail},
		{Name: "range", Group: Lists, Signature: "range(from, to [, step])", Does: "the integers from one to the other, both included", Min: 2, Max: 3, Result: List, Nulls: true, Call: rangeList},
		{Name: "reverse", Group: Lists, Signature: "reverse(list | string)", Does: "the same backwards", Min: 1, Max: 1, Params: []Types{List | String}, Result: List | String, Call: reverse},
	}
}

func head(_ Env, args []any) (any, error) {
	l, ok := args[0].([]any)
	switch {
	case !ok:
		return nil, badType("head", args[0], "a list")
	case len(l) == 0:
		return nil, nil
	}
	return l[0], nil
}

func last(_ Env, args []any) (any, error) {
	l, ok := args[0].([]any)
	switch {
	case !ok:
		return nil, badType("last", args[0], "a list")
	case len(l) == 0:
		return nil, nil
	}
	return l[len(l)-1], nil
}

func tail(_ Env, args []any) (any, error) {
	l, ok := args[0].([]any)
	switch {
	case !ok:
		return nil, badType("tail", args[0], "a list")
	case len(l) == 0:
		return l, nil
	}
	return l[1:], nil
}

// rangeList counts from args[0] to args[1] by args[2] without overflow.
func rangeList(env Env, args []any) (any, error) {
	bounds := [3]int64{0, 0, 1}
	for i, a := range args {
		n, ok := a.(int64)
		if !ok {
			return nil, argumentError("InvalidArgumentType", "range() takes integers")
		}
		bounds[i] = n
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return nil, argumentError("NumberOutOfRange", "the step of range() cannot be 0")
	}
	if step > 0 && from > to || step < 0 && from < to {
		return []any{}, nil
	}
	var span, stride uint64 // unsigned: the distance may exceed an int64
	if step > 0 {
		span, stride = uint64(to)-uint64(from), uint64(step)
	} else {
		span, stride = uint64(from)-uint64(to), -uint64(step)
	}
	count := span/stride + 1
	if count == 0 || count > 1<<32 {
		count = 1 << 32
	}
	if err := env.Charge(int(count * 24)); err != nil {
		return nil, err
	}
	list := make([]any, 0, count)
	for i := uint64(0); i < count; i++ {
		if err := env.Step(); err != nil {
			return nil, err
		}
		list = append(list, from+int64(i)*step)
	}
	return list, nil
}

func reverse(_ Env, args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		r := []rune(v)
		slices.Reverse(r)
		return string(r), nil
	case []any:
		r := slices.Clone(v)
		slices.Reverse(r)
		return r, nil
	}
	return nil, badType("reverse", args[0], "a list or a string")
}
