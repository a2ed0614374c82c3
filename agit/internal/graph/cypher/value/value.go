// Package value holds the values of openCypher: their Go forms, equality with
// unknown, equivalence, ordering across types and text form.
//
// A value is one of nil, bool, int64, float64, string, []any, map[string]any,
// *Node, *Relationship, *Path and the types of package temporal, and nothing else; From brings other Go values
// into this form. The package knows neither queries nor stores. Values are
// never changed after they are made, so they are safe for concurrent use.
package value

import "github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"

// Node is a graph node. Properties mean something only when Loaded is set; a
// store may hand out nodes that carry no more than their ID and give the rest
// when asked. Labels are all of them once Loaded is set or there is one.
type Node struct {
	ID         int64
	Loaded     bool
	Partial    bool // Properties are only those that the store was asked for
	Labels     []string
	Properties map[string]any // no nil values
}

// HasLabel reports whether a loaded node carries label.
func (n *Node) HasLabel(label string) bool {
	for _, l := range n.Labels {
		if l == label {
			return true
		}
	}
	return false
}

// Relationship is a graph relationship from Start to End.
type Relationship struct {
	ID         int64
	Type       string
	Start, End int64
	Properties map[string]any // no nil values
}

// Other is the end of r that is not id; for a loop it is id itself.
func (r *Relationship) Other(id int64) int64 {
	if r.Start == id {
		return r.End
	}
	return r.Start
}

// Path is a walk: Relationships[i] joins Nodes[i] and Nodes[i+1] in either
// direction, so there is one node more than there are relationships.
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

// KindOf tells v's kind.
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
