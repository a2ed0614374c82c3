package function

import (
	"unicode/utf8"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func scalars() []Function {
	return []Function{
		{Name: "coalesce", Group: Scalar, Signature: "coalesce(value, …)", Does: "the first argument that is not null", Min: 1, Max: -1, Result: Any, Nulls: true, Call: coalesce},
		{Name: "nullIf", Group: Scalar, Signature: "nullIf(a, b)", Does: "null when a = b, else a", Min: 2, Max: 2, Result: Any, Nulls: true, Call: nullIf},
		{Name: "exists", Group: Scalar, Signature: "exists(value)", Does: "whether the value, mostly a property, is not null; EXISTS(pattern) whether the pattern matches", Min: 1, Max: 1, Result: Boolean, Nulls: true,
			Call: func(_ Env, a []any) (any, error) { return a[0] != nil, nil }},
		one(Function{Name: "size", Group: Scalar, Signature: "size(list | string)", Does: "the number of elements or characters", Params: []Types{List | String}, Result: Integer}, "a list or a string", size),
		one(Function{Name: "isEmpty", Group: Scalar, Signature: "isEmpty(list | map | string)", Does: "whether there is nothing in it", Params: []Types{List | String | Map}, Result: Boolean}, "a list, a map or a string", isEmpty),
		one(Function{Name: "properties", Group: Scalar, Signature: "properties(node | relationship | map)", Does: "the properties as a map", Params: []Types{Node | Relationship | Map}, Result: Map}, "a node, a relationship or a map", properties),
		one(Function{Name: "keys", Group: Scalar, Signature: "keys(node | relationship | map)", Does: "the names of its properties", Params: []Types{Node | Relationship | Map}, Result: List}, "a node, a relationship or a map", keys),
	}
}

func coalesce(_ Env, args []any) (any, error) {
	for _, a := range args {
		if a != nil {
			return a, nil
		}
	}
	return nil, nil
}

func nullIf(_ Env, args []any) (any, error) {
	if value.Equal(args[0], args[1]) == value.True {
		return nil, nil
	}
	return args[0], nil
}

func size(_ Env, v any) (any, error) {
	if s, ok := v.(string); ok {
		return int64(utf8.RuneCountInString(s)), nil
	}
	return int64(len(v.([]any))), nil
}

func isEmpty(_ Env, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v == "", nil
	case []any:
		return len(v) == 0, nil
	}
	return len(v.(map[string]any)) == 0, nil
}

func properties(env Env, v any) (any, error) {
	var all map[string]any
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case *value.Node:
		n, err := env.Node(v)
		if err != nil {
			return nil, err
		}
		all = n.Properties
	case *value.Relationship:
		all = v.Properties
	}
	if all == nil {
		all = map[string]any{}
	}
	return all, nil
}

func keys(env Env, v any) (any, error) {
	m, err := properties(env, v)
	if err != nil {
		return nil, err
	}
	return listOf(value.Keys(m.(map[string]any))), nil
}
