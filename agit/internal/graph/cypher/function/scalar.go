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
		{Name: "size", Group: Scalar, Signature: "size(list | string)", Does: "the number of elements or characters", Min: 1, Max: 1, Params: []Types{List | String}, Result: Integer, Call: size},
		{Name: "isEmpty", Group: Scalar, Signature: "isEmpty(list | map | string)", Does: "whether there is nothing in it", Min: 1, Max: 1, Params: []Types{List | String | Map}, Result: Boolean, Call: isEmpty},
		{Name: "properties", Group: Scalar, Signature: "properties(node | relationship | map)", Does: "the properties as a map", Min: 1, Max: 1, Params: []Types{Node | Relationship | Map}, Result: Map, Call: properties},
		{Name: "keys", Group: Scalar, Signature: "keys(node | relationship | map)", Does: "the names of the properties that are there", Min: 1, Max: 1, Params: []Types{Node | Relationship | Map}, Result: List, Call: keys},
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

func size(_ Env, args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		return int64(utf8.RuneCountInString(v)), nil
	case []any:
		return int64(len(v)), nil
	}
	return nil, badType("size", args[0], "a list or a string")
}

func isEmpty(_ Env, args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		return v == "", nil
	case []any:
		return len(v) == 0, nil
	case map[string]any:
		return len(v) == 0, nil
	}
	return nil, badType("isEmpty", args[0], "a list, a map or a string")
}

func properties(env Env, args []any) (any, error) {
	switch v := args[0].(type) {
	case map[string]any:
		return v, nil
	case *value.Node:
		n, err := env.Node(v)
		if err != nil {
			return nil, err
		}
		return orEmpty(n.Properties), nil
	case *value.Relationship:
		return orEmpty(v.Properties), nil
	}
	return nil, badType("properties", args[0], "a node, a relationship or a map")
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func keys(env Env, args []any) (any, error) {
	m, err := properties(env, args)
	if err != nil {
		return nil, badType("keys", args[0], "a node, a relationship or a map")
	}
	return stringList(value.Keys(m.(map[string]any))), nil
}

func stringList(s []string) []any {
	list := make([]any, len(s))
	for i := range s {
		list[i] = s[i]
	}
	return list
}
