// Package value holds the values of openCypher: their Go forms, equality with unknown, equivalence, ordering across types and text
// form. A value is one of nil, bool, int64, float64, string, []any, map[string]any, *Node, *Relationship, *Path and the types of
// package temporal; From converts other Go values. Values are never changed after they are made, so they are safe for concurrent use.
package value

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Node is a graph node. Properties are valid only when Loaded is set: a store may return nodes with only an ID and load the rest on
// request. Labels are complete once Loaded is set or Labels is not empty.
type Node struct {
	ID         int64
	Loaded     bool
	Partial    bool // Properties has only those that the query selected
	Labels     []string
	Properties map[string]any // no nil values
}

// HasLabel reports whether a loaded node carries label.
func (n *Node) HasLabel(label string) bool {
	return slices.Contains(n.Labels, label)
}

// Relationship is a graph relationship from Start to End.
type Relationship struct {
	ID         int64
	Type       string
	Start, End int64
	Properties map[string]any // no nil values
}

// Other returns the end of r that is not id; for a loop it returns id.
func (r *Relationship) Other(id int64) int64 {
	if r.Start == id {
		return r.End
	}
	return r.Start
}

// Path is a walk: Relationships[i] joins Nodes[i] and Nodes[i+1] in either direction, so it has one more node than relationships.
type Path struct {
	Nodes         []*Node
	Relationships []*Relationship
}

// Kind is the type of a value.
type Kind uint8

// The kinds, in no particular order; see rank for the order between types.
const (
	KindNull Kind = iota
	KindBoolean
	KindInteger
	KindFloat
	KindString
	KindList
	KindMap
	KindNode
	KindRelationship
	KindPath
	KindDateTime
	KindLocalDateTime
	KindDate
	KindTime
	KindLocalTime
	KindDuration
	KindInvalid // not a value of this package
)

var kindNames = [...]string{"Null", "Boolean", "Integer", "Float", "String", "List", "Map", "Node", "Relationship", "Path",
	"DateTime", "LocalDateTime", "Date", "Time", "LocalTime", "Duration", "invalid value"}

// String is the name of the kind as openCypher writes it.
func (k Kind) String() string { return kindNames[k] }

// Article is the name of the kind with its article: "a List", "an Integer".
func (k Kind) Article() string {
	if k == KindInteger || k == KindInvalid {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// KindOf returns the kind of v.
func KindOf(v any) Kind {
	switch v.(type) {
	case nil:
		return KindNull
	case bool:
		return KindBoolean
	case int64:
		return KindInteger
	case float64:
		return KindFloat
	case string:
		return KindString
	case []any:
		return KindList
	case map[string]any:
		return KindMap
	case *Node:
		return KindNode
	case *Relationship:
		return KindRelationship
	case *Path:
		return KindPath
	case temporal.DateTime:
		return KindDateTime
	case temporal.LocalDateTime:
		return KindLocalDateTime
	case temporal.Date:
		return KindDate
	case temporal.Time:
		return KindTime
	case temporal.LocalTime:
		return KindLocalTime
	case temporal.Duration:
		return KindDuration
	}
	return KindInvalid
}
