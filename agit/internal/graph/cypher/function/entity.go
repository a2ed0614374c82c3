package function

import (
	"strconv"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func entities() []Function {
	return []Function{
		{Name: "id", Group: Entities, Signature: "id(node | relationship)", Does: "the number that stands for it while the query runs", Min: 1, Max: 1, Params: []Types{Node | Relationship}, Result: Integer, Call: id},
		{Name: "elementId", Group: Entities, Signature: "elementId(node | relationship)", Does: "the same as a string", Min: 1, Max: 1, Params: []Types{Node | Relationship}, Result: String, Call: elementID},
		{Name: "labels", Group: Entities, Signature: "labels(node)", Does: "the labels of a node", Min: 1, Max: 1, Params: []Types{Node}, Result: List, Call: labels},
		{Name: "type", Group: Entities, Signature: "type(relationship)", Does: "the type of a relationship", Min: 1, Max: 1, Params: []Types{Relationship}, Result: String, Call: relationshipType},
		{Name: "startNode", Group: Entities, Signature: "startNode(relationship)", Does: "the node it leaves", Min: 1, Max: 1, Params: []Types{Relationship}, Result: Node, Call: startNode},
		{Name: "endNode", Group: Entities, Signature: "endNode(relationship)", Does: "the node it enters", Min: 1, Max: 1, Params: []Types{Relationship}, Result: Node, Call: endNode},
		{Name: "nodes", Group: Entities, Signature: "nodes(path)", Does: "the nodes along a path", Min: 1, Max: 1, Params: []Types{Path}, Result: List, Call: nodes},
		{Name: "relationships", Group: Entities, Signature: "relationships(path)", Does: "the relationships along a path", Min: 1, Max: 1, Params: []Types{Path}, Result: List, Call: relationships},
		{Name: "length", Group: Entities, Signature: "length(path)", Does: "the number of relationships of a path", Min: 1, Max: 1, Params: []Types{Path}, Result: Integer, Call: length},
	}
}

func id(_ Env, args []any) (any, error) {
	switch v := args[0].(type) {
	case *value.Node:
		return v.ID, nil
	case *value.Relationship:
		return v.ID, nil
	}
	return nil, badValue("id", args[0])
}

func elementID(env Env, args []any) (any, error) {
	v, err := id(env, args)
	if err != nil {
		return nil, badValue("elementId", args[0])
	}
	return strconv.FormatInt(v.(int64), 10), nil
}

func labels(env Env, args []any) (any, error) {
	n, ok := args[0].(*value.Node)
	if !ok {
		return nil, badValue("labels", args[0])
	}
	if n.Loaded || n.Labels != nil {
		return stringList(n.Labels), nil
	}
	n, err := env.NodeByID(n.ID)
	if err != nil {
		return nil, err
	}
	return stringList(n.Labels), nil
}

func relationshipType(_ Env, args []any) (any, error) {
	if r, ok := args[0].(*value.Relationship); ok {
		return r.Type, nil
	}
	return nil, badValue("type", args[0])
}

func startNode(env Env, args []any) (any, error) {
	if r, ok := args[0].(*value.Relationship); ok {
		return env.NodeByID(r.Start)
	}
	return nil, badValue("startNode", args[0])
}

func endNode(env Env, args []any) (any, error) {
	if r, ok := args[0].(*value.Relationship); ok {
		return env.NodeByID(r.End)
	}
	return nil, badValue("endNode", args[0])
}

func nodes(_ Env, args []any) (any, error) {
	p, ok := args[0].(*value.Path)
	if !ok {
		return nil, badValue("nodes", args[0])
	}
	list := make([]any, len(p.Nodes))
	for i, n := range p.Nodes {
		list[i] = n
	}
	return list, nil
}

func relationships(_ Env, args []any) (any, error) {
	p, ok := args[0].(*value.Path)
	if !ok {
		return nil, badValue("relationships", args[0])
	}
	list := make([]any, len(p.Relationships))
	for i, r := range p.Relationships {
		list[i] = r
	}
	return list, nil
}

func length(_ Env, args []any) (any, error) {
	if p, ok := args[0].(*value.Path); ok {
		return int64(len(p.Relationships)), nil
	}
	return nil, badType("length", args[0], "a path; size() counts lists and strings")
}
