package function

import "slices"

func lists() []Function {
	return []Function{
		one(Function{Name: "head", Group: Lists, Signature: "head(list)", Does: "the first element, null when there is none", Params: []Types{List}, Result: Any}, "a list", head),
		one(Function{Name: "last", Group: Lists, Signature: "last(list)", Does: "the last element, null when there is none", Params: []Types{List}, Result: Any}, "a list", last),
		one(Function{Name: "tail", Group: Lists, Signature: "tail(list)", Does: "all elements but the first", Params: []Types{List}, Result: List}, "a list", tail),
		{Name: "range", Group: Lists, Signature: "range(from, to [, step])", Does: "the integers from one to the other, both included", Min: 2, Max: 3, Result: List, Nulls: true, Call: rangeList},
		one(Function{Name: "reverse", Group: Lists, Signature: "reverse(list | string)", Does: "the same backwards", Params: []Types{List | String}, Result: List | String}, "a list or a string", reverse),
	}
}

func head(_ Env, v any) (any, error) {
	if l := v.([]any); len(l) > 0 {
		return l[0], nil
	}
	return nil, nil
}

func last(_ Env, v any) (any, error) {
	if l := v.([]any); len(l) > 0 {
		return l[len(l)-1], nil
	}
	return nil, nil
}

func tail(_ Env, v any) (any, error) {
	l := v.([]any)
	return l[min(1, len(l)):], nil
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

func reverse(_ Env, v any) (any, error) {
	if s, ok := v.(string); ok {
		r := []rune(s)
		slices.Reverse(r)
		return string(r), nil
	}
	r := slices.Clone(v.([]any))
	slices.Reverse(r)
	return r, nil
}
