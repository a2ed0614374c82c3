package function

import (
	"strconv"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func entities() []Function {
	return []Function{
		one(Function{Name: "id", Group: Entities, Signature: "id(node | relationship)", Does: "the number that stands for it while the query runs", Params: []Types{Node | Relationship}, Result: Integer}, "",
			func(_ Env, v any) (any, error) { return id(v), nil }),
		one(Function{Name: "elementId", Group: Entities, Signature: "elementId(node | relationship)", Does: "the same as a string", Params: []Types{Node | Relationship}, Result: String}, "",
			func(_ Env, v any) (any, error) { return strconv.FormatInt(id(v), 10), nil }),
		one(Function{Name: "labels", Group: Entities, Signature: "labels(node)", Does: "the labels of a node", Params: []Types{Node}, Result: List}, "", labels),
		one(Function{Name: "type", Group: Entities, Signature: "type(relationship)", Does: "the type of a relationship", Params: []Types{Relationship}, Result: String}, "",
			func(_ Env, v any) (any, error) { return v.(*value.Relationship).Type, nil }),
		one(Function{Name: "startNode", Group: Entities, Signature: "startNode(relationship)", Does: "the node it leaves", Params: []Types{Relationship}, Result: Node}, "",
			func(env Env, v any) (any, error) { return env.NodeByID(v.(*value.Relationship).Start) }),
		one(Function{Name: "endNode", Group: Entities, Signature: "endNode(relationship)", Does: "the node it enters", Params: []Types{Relationship}, Result: Node}, "",
			func(env Env, v any) (any, error) { return env.NodeByID(v.(*value.Relationship).End) }),
		one(Function{Name: "nodes", Group: Entities, Signature: "nodes(path)", Does: "the nodes along a path", Params: []Types{Path}, Result: List}, "",
			func(_ Env, v any) (any, error) { return listOf(v.(*value.Path).Nodes), nil }),
		one(Function{Name: "relationships", Group: Entities, Signature: "relationships(path)", Does: "the relationships along a path", Params: []Types{Path}, Result: List}, "",
			func(_ Env, v any) (any, error) { return listOf(v.(*value.Path).Relationships), nil }),
		one(Function{Name: "length", Group: Entities, Signature: "length(path)", Does: "the number of relationships of a path", Params: []Types{Path}, Result: Integer}, "a path; size() counts lists and strings",
			func(_ Env, v any) (any, error) { return int64(len(v.(*value.Path).Relationships)), nil }),
	}
}

func id(v any) int64 {
	if n, ok := v.(*value.Node); ok {
		return n.ID
	}
	return v.(*value.Relationship).ID
}

func labels(env Env, v any) (any, error) {
	n := v.(*value.Node)
	if n.Loaded || n.Labels != nil {
		return listOf(n.Labels), nil
	}
	n, err := env.NodeByID(n.ID)
	if err != nil {
		return nil, err
	}
	return listOf(n.Labels), nil
}

// listOf returns a list of the language.
func listOf[T any](items []T) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = item
	}
	return list
}
