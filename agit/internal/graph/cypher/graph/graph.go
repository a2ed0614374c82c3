// Package graph is the interface of a store that Cypher queries run over. It is small and asks in bulk, so that a store over SQL can
// answer each call with one indexed statement; package graphtest checks an implementation against the contract written here. A Graph
// serves one query at a time unless the implementation allows more, and every call of one query must see the same snapshot.
package graph

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Graph is a store of nodes and relationships. The store chooses the ids, which stay the same while the query runs; node ids and
// relationship ids are separate. Neither the caller nor the store may change a returned value.
type Graph interface {
	// Scan streams the nodes that match filter, each once, in any order, with Loaded set. It must return every node that matches. It
	// may also return nodes that do not meet a Condition, because the caller checks conditions again, but never a node that lacks one
	// of the labels. It must stop reading when the loop over it ends early. Other calls may be made while a scan is open.
	Scan(ctx context.Context, filter Filter) iter.Seq2[*value.Node, error]

	// Estimate returns roughly how many nodes Scan would return for filter, at least 0. It should use counts or statistics and not
	// scan. It decides where a pattern starts, never the result. The Value of a Condition in filter is nil when it is not known yet.
	Estimate(ctx context.Context, filter Filter) float64

	// Expand calls yield for every relationship at the nodes hop.From that has the wanted direction and type. With direction Both, a
	// relationship between two nodes of From is yielded once for each of them, and a loop once. Nodes that do not exist have no
	// relationships. From has no duplicates. Relationships carry their properties; the neighbour may be a bare id (Loaded unset). If
	// hop.To is set, neighbours that lack one of its labels or do not meet its conditions may be left out; the caller checks again. An
	// error from yield ends the expansion and is returned unchanged.
	Expand(ctx context.Context, hop Hop, yield func(Edge) error) error

	// Nodes returns the nodes with these ids, Loaded set, in any order. An id
	// that does not exist is left out.
	Nodes(ctx context.Context, ids []int64) ([]*value.Node, error)
}

// PropertySelector is a Graph that can read fewer properties. SelectProperties returns the same graph; its nodes have only the wanted
// properties, and Partial is set. A query uses that graph for the properties that its text names, and the whole graph for the rest.
type PropertySelector interface {
	Graph
	SelectProperties(wanted Wanted) Graph
}

// Wanted holds property names, each with the labels of the nodes whose property is needed; a node needs one of the labels. Nil labels
// mean every node.
type Wanted map[string][]string

// Of reports whether a property of a node with these labels is wanted.
func (w Wanted) Of(labels []string, property string) bool {
	among, named := w[property]
	return named && (among == nil || slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(among, l) }))
}

// NeighbourChecker is a Graph that can test where a hop leads without reading the neighbours. HaveNeighbour returns the nodes of
// hop.From that have a relationship of the wanted direction and type to a node that meets all of hop.To. ok is false when it cannot
// answer exactly; the caller then has to expand the hop.
type NeighbourChecker interface {
	Graph
	HaveNeighbour(ctx context.Context, hop Hop) (found []int64, ok bool, err error)
}

// NeighbourCounter is a Graph that can count equal neighbours. CountNeighbours calls yield with the number of relationships from a node
// of hop.From to nodes that have the same labels and the same values of properties. It may yield several counts for the same labels and
// values. ok is false, and nothing is yielded, when counting is not exact or not faster than returning each neighbour.
type NeighbourCounter interface {
	Graph
	CountNeighbours(ctx context.Context, hop Hop, properties []string, yield func(Count) error) (ok bool, err error)
}

// Count is the number of relationships from the node From to equal nodes. Node holds their common labels and properties and has no id.
type Count struct {
	From int64
	Node *value.Node
	N    int64 // at least 1
}

// LeadChecker is a Graph whose Scan can also check Leads. ChecksLead reports whether Scan checks a lead of nodes with these labels
// exactly. A Filter contains only such leads, and they are not checked again.
type LeadChecker interface {
	Graph
	ChecksLead(labels []string, lead Lead) bool
}

// Filter describes nodes: all Labels, all Conditions and all Leads hold.
type Filter struct {
	Labels     []string
	Conditions []Condition
	Leads      []Lead
}

// Lead is the condition that a hop from the node leads to at least one node that meets all of Hop.To, or to none. Hop.From is not used.
type Lead struct {
	Hop  Hop
	None bool
}

// Condition compares one property with a value by the rules of the language: a missing property meets no condition, values of different
// types are not equal and do not compare, and 1 equals 1.0.
type Condition struct {
	Property string
	Op       Op
	Value    any // a list for In; nil for Exists
}

// Op is a comparison operator.
type Op uint8

// The operators.
const (
	Equal Op = iota
	In
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	StartsWith
	NotEqual
	Exists // the property exists
)

// String is the operator as the language writes it.
func (o Op) String() string {
	return [...]string{"=", "IN", "<", "<=", ">", ">=", "STARTS WITH", "<>", "IS NOT NULL"}[o]
}

// Direction of a relationship seen from the node expanded.
type Direction uint8

// The directions.
const (
	Both Direction = iota
	Outgoing
	Incoming
)

// Reverse is the direction seen from the other node.
func (d Direction) Reverse() Direction {
	switch d {
	case Outgoing:
		return Incoming
	case Incoming:
		return Outgoing
	}
	return Both
}

// Hop asks for the relationships of many nodes.
type Hop struct {
	From      []int64
	Direction Direction
	Types     []string // any of these; empty means every type
	To        *Filter  // a hint about the neighbours, may be nil
	Load      bool     // a hint: the properties of the neighbours will be used
}

// Edge is one relationship seen from the node From.
type Edge struct {
	From         int64
	Relationship *value.Relationship
	Node         *value.Node // the other end; for a loop the node itself
}

// Meets reports whether property value v (nil when missing) meets c, exactly as the language compares. A store without an index may use
// it.
func (c Condition) Meets(v any) bool {
	if v == nil {
		return false
	}
	switch c.Op {
	case In:
		list, _ := c.Value.([]any)
		for _, item := range list {
			if value.Equal(v, item) == value.True {
				return true
			}
		}
		return false
	case StartsWith:
		s, ok := v.(string)
		prefix, okPrefix := c.Value.(string)
		return ok && okPrefix && strings.HasPrefix(s, prefix)
	case Exists:
		return true
	}
	return value.Holds(c.Op.String(), v, c.Value) == value.True
}

// Matches reports whether the loaded node n matches f.
func (f Filter) Matches(n *value.Node) bool {
	for _, label := range f.Labels {
		if !n.HasLabel(label) {
			return false
		}
	}
	for _, c := range f.Conditions {
		if !c.Meets(n.Properties[c.Property]) {
			return false
		}
	}
	return true
}
