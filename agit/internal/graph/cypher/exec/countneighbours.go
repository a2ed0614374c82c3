package exec

import (
	"maps"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// The last hop of a MATCH before an aggregation often needs only properties with few values, as in the count of completed tasks of each
// epic. The store may then count equal neighbours instead of returning each. A row then stands for as many rows as its weight; a null
// weight means one.

// countable returns the properties of e's far node that the rest of the query uses. ok is false when the rest uses more of the node, or
// uses the relationship.
func (p *matcher) countable(e *expansion) (properties []string, ok bool) {
	if _, can := p.c.x.graph.(graph.NeighbourCounter); !can || p.next == nil || !p.next.Grouped || len(p.paths) > 0 || e.toBound || !e.fromBound || e.to == e.from {
		return nil, false
	}
	for slot := range p.nodes {
		if slot != e.to && !p.isBound(slot) {
			return nil, false
		}
	}
	for _, h := range p.hops {
		if !h.done || h != e.hop && !apart(h.pattern, e.hop.pattern) {
			return nil, false
		}
	}
	u := &usage{node: e.to, both: slotSet{e.to: true, e.hop.pattern.Slot: true}, properties: map[string]bool{}}
	for _, q := range p.rest {
		if !q.done {
			u.expr(q.expr)
		}
	}
	for _, expr := range clauseExprs(p.next) {
		u.expr(expr)
	}
	return slices.Collect(maps.Keys(u.properties)), !u.more
}

// apart reports whether no relationship matches both patterns, so that their uniqueness needs no check.
func apart(a, b *syntax.RelPattern) bool {
	shared := slices.ContainsFunc(a.Types, func(name string) bool { return slices.Contains(b.Types, name) })
	return !shared && len(a.Types) > 0 && len(b.Types) > 0
}

// usage collects what expressions use of a node and of the relationship to it.
type usage struct {
	node       int
	both       slotSet
	properties map[string]bool
	more       bool // more than properties, labels and existence
}

func (u *usage) expr(e syntax.Expr) {
	u.more = u.more || varies(e)
	syntax.Walk(e, func(e syntax.Expr) bool {
		switch e := e.(type) {
		case *syntax.Variable:
			u.more = u.more || u.both[e.Slot]
		case *syntax.Property:
			if key, of := propertyAt(e, u.node); of {
				u.properties[key] = true
				return false
			}
		case *syntax.HasLabels:
			v, is := e.X.(*syntax.Variable)
			return !is || v.Slot != u.node
		case *syntax.Call:
			f := function.Find(e.Name)
			u.more = u.more || f.Aggregate && function.Keeps(f.Name) // in the order of the rows
			if f.Name == "count" && len(e.Args) == 1 && !e.Distinct {
				v, is := e.Args[0].(*syntax.Variable)
				return !is || !u.both[v.Slot]
			}
		case *syntax.Exists, *syntax.PatternPredicate, *syntax.PatternComprehension:
			u.more = u.more || len(uses(e, u.both)) > 0
			return false
		}
		return true
	})
}

// countNeighbours compiles a hop whose far ends are counted.
func (e *expansion) countNeighbours(properties []string, weight int) step {
	return eachGroup(func(x *run, group []row, yield func(row) bool) bool {
		hop, possible := e.hopOf(x, group)
		if !possible {
			return true
		}
		counts := make(map[int64][]graph.Count, len(group))
		ok, err := x.graph.(graph.NeighbourCounter).CountNeighbours(x.ctx, hop, properties, func(c graph.Count) error {
			counts[c.From] = append(counts[c.From], c)
			return x.Step()
		})
		check(err)
		if !ok {
			return e.expandGroup(x, group, yield) // the store has to be asked for every neighbour
		}
		for _, r := range group {
			for _, c := range counts[r[e.from].(*value.Node).ID] {
				x.walked += c.N - 1
				x.walk()
				next := slices.Clone(r)
				next[e.hop.pattern.Slot], next[e.to], next[weight] = met, c.Node, c.N
				if !yield(next) {
					return false
				}
			}
		}
		return true
	})
}

// met stands for every counted relationship: the rest of the query only asks whether it exists.
var met = &value.Relationship{}
