package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// boundRelationship compiles a hop whose relationship, or list of relationships, comes from an earlier clause. The step checks the ends
// and binds the unbound ones.
func (e *expansion) boundRelationship() step {
	return eachRow(func(x *run, r row, yield func(row) bool) bool {
		rels, ok := e.relationships(r)
		return !ok || e.try(x, r, rels, yield)
	})
}

// relationships returns the value of the slot as a list; ok is false when it cannot match.
func (e *expansion) relationships(r row) (rels []*value.Relationship, ok bool) {
	p := e.hop.pattern
	given, isList := r[p.Slot].([]any)
	switch {
	case r[p.Slot] == nil:
		return nil, false
	case !p.Variable:
		given = []any{r[p.Slot]}
	case !isList:
		panic(typeError(p.Pos, "a relationship pattern cannot match %s", value.KindOf(r[p.Slot]).Article()))
	}
	for _, item := range given {
		rel, isRel := item.(*value.Relationship)
		if !isRel {
			panic(typeError(p.Pos, "a relationship pattern cannot match %s", value.KindOf(item).Article()))
		}
		rels = append(rels, rel)
	}
	n := int64(len(rels))
	return rels, !p.Variable || n >= p.Min && (p.Max == syntax.Unbounded || n <= p.Max)
}

// try walks along rels from each possible start node.
func (e *expansion) try(x *run, r row, rels []*value.Relationship, yield func(row) bool) bool {
	for i, rel := range rels {
		if len(e.hop.pattern.Types) > 0 && !slices.Contains(e.hop.pattern.Types, rel.Type) {
			return true
		}
		again := func(other *value.Relationship) bool { return other.ID == rel.ID }
		if e.uses(r, rel.ID) || slices.ContainsFunc(rels[:i], again) {
			return true
		}
	}
	var starts []int64
	switch {
	case e.fromBound:
		starts = []int64{r[e.from].(*value.Node).ID}
	case len(rels) == 0:
		return true // a path of length zero from an unbound node has no start to try
	case rels[0].Start == rels[0].End:
		starts = []int64{rels[0].Start}
	default:
		starts = []int64{rels[0].Start, rels[0].End}
	}
	for _, start := range starts {
		nodes, ok := e.along(start, rels)
		if !ok {
			continue
		}
		end := nodes[len(nodes)-1]
		if (e.toBound || e.to == e.from && e.fromBound) && r[e.to].(*value.Node).ID != end || e.to == e.from && start != end {
			continue
		}
		next := slices.Clone(r)
		if !e.fromBound {
			next[e.from] = x.noted(&value.Node{ID: start})
		}
		if !e.toBound {
			next[e.to] = x.noted(&value.Node{ID: end})
		}
		if e.hop.inner >= 0 {
			list := make([]any, len(nodes))
			for i, id := range nodes {
				list[i] = x.noted(&value.Node{ID: id})
			}
			next[e.hop.inner] = list
		}
		if !yield(next) {
			return false
		}
	}
	return true
}

// along walks rels from start in the written direction; ok is false when they do not join up.
func (e *expansion) along(start int64, rels []*value.Relationship) (nodes []int64, ok bool) {
	nodes = append(nodes, start)
	for _, rel := range rels {
		here := nodes[len(nodes)-1]
		forward := rel.Start == here && e.direction != graph.Incoming
		backward := rel.End == here && e.direction != graph.Outgoing
		if !forward && !backward {
			return nil, false
		}
		nodes = append(nodes, rel.Other(here))
	}
	return nodes, true
}
