package exec

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// namedProperties lists the properties that the text of a query names. It decides what is read first, never the result: anything else
// that is needed is read later.
type namedProperties struct {
	wanted graph.Wanted
	labels map[int]string // label of a node that has one where it is bound
	slots  map[int]bool   // nodes with a property that is named
	nodes  map[int]bool   // slots with nodes, and paths of them
	whole  bool           // all properties of nodes are needed
}

// selectProperties restricts the graph to the node properties that the query names, if the graph can do that.
func (x *run) selectProperties(q *syntax.Query) {
	x.from = x.graph
	n := &namedProperties{wanted: graph.Wanted{}, slots: map[int]bool{}, nodes: map[int]bool{}}
	for _, part := range q.Parts {
		n.labels = map[int]string{} // each part has slots of its own
		n.clauses(part.Clauses)
		if last, ok := part.Clauses[len(part.Clauses)-1].(*syntax.Projection); ok && last.Limit == nil {
			for _, item := range last.Items {
				n.returned(item.Expr)
			}
		}
	}
	x.direct = n.slots
	g, ok := x.graph.(graph.PropertySelector)
	if !ok || n.whole {
		return
	}
	x.whole.from = x.graph
	x.graph = g.SelectProperties(n.wanted)
	x.from, x.named = x.graph, n.wanted
}

// returned records that nodes are part of every row of the answer.
func (n *namedProperties) returned(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Variable:
		n.whole = n.whole || n.nodes[e.Slot]
	case *syntax.Call:
		if len(e.Args) == 1 && strings.EqualFold(e.Name, "collect") {
			n.returned(e.Args[0])
		}
	}
}

func (n *namedProperties) clauses(clauses []syntax.Clause) {
	for _, clause := range clauses {
		if m, ok := clause.(*syntax.Match); ok {
			n.match(m)
			continue
		}
		for _, e := range clauseExprs(clause) {
			n.expr(e)
		}
	}
}

func (n *namedProperties) match(m *syntax.Match) {
	for _, p := range m.Patterns {
		if p.Path != nil {
			n.nodes[p.Path.Slot] = true
		}
		for _, node := range p.Nodes {
			n.nodes[node.Slot] = true
			if node.Fresh && len(node.Labels) > 0 {
				n.labels[node.Slot] = node.Labels[0]
			}
			if props, ok := node.Props.(*syntax.MapLiteral); ok {
				n.slots[node.Slot] = true
				for _, key := range props.Keys {
					n.want(key, n.labels[node.Slot])
				}
			}
		}
	}
	for _, e := range syntax.MatchExprs(m) {
		n.expr(e)
	}
}

// want records a property of nodes with a label, or of any node when the label is not known.
func (n *namedProperties) want(property, label string) {
	labels, named := n.wanted[property]
	switch {
	case label == "":
		n.wanted[property] = nil
	case !named || labels != nil && !slices.Contains(labels, label):
		n.wanted[property] = append(labels, label)
	}
}

func (n *namedProperties) expr(e syntax.Expr) {
	syntax.Walk(e, func(e syntax.Expr) bool {
		switch e := e.(type) {
		case *syntax.Property:
			v, ok := e.Of.(*syntax.Variable)
			if !ok {
				n.want(e.Key, "")
				break
			}
			n.want(e.Key, n.labels[v.Slot])
			n.slots[v.Slot] = true
		case *syntax.Call:
			n.whole = n.whole || strings.EqualFold(e.Name, "properties") || strings.EqualFold(e.Name, "keys")
		case *syntax.MapProjection:
			n.whole = n.whole || e.All
		case *syntax.PatternPredicate:
			n.match(e.Match)
		case *syntax.PatternComprehension:
			n.match(e.Match)
		case *syntax.Exists:
			for _, part := range e.Query.Parts {
				n.clauses(part.Clauses)
			}
		}
		return true
	})
}
