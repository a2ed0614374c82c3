// Package graph is what a store must give so that Cypher can be run over it.
//
// The interface is small and asks in bulk, so that a store over SQL can answer
// each call with one indexed statement: a scan by labels and property
// conditions, an expansion of many nodes at once, and the rest of many nodes by
// their ids. Package graphtest checks an implementation against the promises
// written here.
//
// A Graph serves one query at a time unless the implementation says more, and
// every call of one query must see the same snapshot.
package graph

import (
	"context"
	"iter"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Graph is a store of nodes and relationships. Ids are numbers of the store's
// choosing, stable while the query runs, one space for nodes and one for
// relationships. Values returned are never changed by the caller, and the store
// must not change them either.
type Graph interface {
	// Scan streams the nodes that match filter, each once, in any order, with
	// Loaded set. It must not leave out a node that matches; it may return
	// nodes that do not meet a Condition, since the caller checks every one
	// again, but only nodes that have all labels. It must stop reading when the
	// loop over it ends early. Other calls may be made while a scan is open.
	Scan(ctx context.Context, filter Filter) iter.Seq2[*value.Node, error]

	// Estimate is about how many nodes Scan would give for filter, cheaply: from
	// counts or statistics, not by scanning. It decides where a pattern starts,
	// never the result. In filter the Value of a Condition is nil when it will
	// be known only later. It must be at least 0.
	Estimate(ctx context.Context, filter Filter) float64

	// Expand calls yield for every relationship at the nodes hop.From that has
	// the wanted direction and type. With direction Both a relationship between
	// two nodes of From comes once for each of them, a loop once. Nodes that do
	// not exist have no relationships. From holds no id twice. Relationships
	// carry their properties; the neighbour may be a bare id (Loaded unset). If
	// hop.To is set, neighbours that lack one of its labels may be left out, and
	// so may those that do not meet its conditions, as the caller checks again.
	// An error from yield ends the expansion and is returned as it is.
	Expand(ctx context.Context, hop Hop, yield func(Edge) error) error

	// Nodes returns the nodes with these ids, Loaded set, in any order. An id
	// that does not exist is left out.
	Nodes(ctx context.Context, ids []int64) ([]*value.Node, error)
}

// PropertySelector is a Graph that can read less. SelectProperties returns the same
// graph, whose nodes have of their properties those alone that are wanted, and
// Partial set. A query asks that one for what its text names, and the whole one
// for the rest.
type PropertySelector interface {
	Graph
	SelectProperties(wanted Wanted) Graph
}

// Wanted are properties by name, each with the labels of the nodes that it is
// wanted of: one of them is enough. Nil is of every node.
type Wanted map[string][]string

// Of reports whether a property of a node with these labels is wanted.
func (w Wanted) Of(labels []string, property string) bool {
	among, named := w[property]
	return named && (among == nil || slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(among, l) }))
}

// NeighbourChecker is a Graph that can tell where a hop leads anywhere without
// reading what is there. HaveNeighbour returns those of hop.From that have a
// relationship of the wanted direction and type to a node that meets all of
// hop.To; ok is false when it cannot tell exactly, and the caller has to expand
// and look.
type NeighbourChecker interface {
	Graph
	HaveNeighbour(ctx context.Context, hop Hop) (found []int64, ok bool, err error)
}

// NeighbourCounter is a Graph that can count neighbours without telling them
// apart. CountNeighbours calls yield with how many of the relationships at a node of hop.From lead to
// nodes that have the same labels and the same values of properties; several
// counts may be of the same ones. ok is false, and nothing given, when it would
// be no faster than to give each, or not exact.
type NeighbourCounter interface {
	Graph
	CountNeighbours(ctx context.Context, hop Hop, properties []string, yield func(Count) error) (ok bool, err error)
}

// Count is a number of relationships at the node From, and what the nodes they
// lead to have in common; that Node has no id.
type Count struct {
	From int64
	Node *value.Node
	N    int64 // at least 1
}

// LeadChecker is a Graph whose Scan can check, too, where nodes lead. ChecksLead
// reports whether it keeps exactly to a lead of nodes with these labels; only such
// leads are part of a Filter, and they are not checked again.
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

// Lead says that a hop from the node leads to at least one node that meets all
// of Hop.To, or to none. Hop.From is not used.
type Lead struct {
	Hop  Hop
	None bool
}

// Condition is a comparison of one property with a value, in the sense of the
// language: a missing property meets no condition, values of different types
// are not equal and do not compare, 1 equals 1.0.
type Condition struct {
	Property string
	Op       Op
	Value    any // for In a list; for Exists nil
}

// Op is how a property is compared.
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
	Exists // the property is there
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

// Hop asks for the relationships of many nodes.
type Hop struct {
	From      []int64
	Direction Direction
	Types     []string // any of these; empty means every type
	To        *Filter  // a hint about the neighbours, may be nil
	Load      bool     // a hint: the properties of the neighbours will be asked for
}

// Edge is one relationship seen from the node From.
type Edge struct {
	From         int64
	Relationship *value.Relationship
	Node         *value.Node // the other end; for a loop the node itself
}
