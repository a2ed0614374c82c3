package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// expansion is a step along one hop from a bound node.
type expansion struct {
	hop       *hop
	from, to  int // node slots in walking order
	direction graph.Direction
	reversed  bool // walked against the written direction
	fromBound bool
	toBound   bool
	load      bool  // the properties of the far end will be used
	unique    []int // relationship slots it must differ from
	target    *pushed

	each int // slot of the relationship that keep tests
	keep func(*run, row) bool
}

// hopFrom returns the hop to ask the store for.
func (e *expansion) hopFrom(ids []int64, to *graph.Filter) graph.Hop {
	return graph.Hop{From: ids, Direction: e.direction, Types: e.hop.pattern.Types, To: to, Load: e.load}
}

// expandGroup expands all rows of a group in one call to the store.
func (e *expansion) expandGroup(x *run, group []row, yield func(row) bool) bool {
	edges := e.edges(x, group)
	for _, r := range group {
		for _, edge := range edges[r[e.from].(*value.Node).ID] {
			x.walk()
			if !e.reaches(r, edge.Node.ID) || e.uses(r, edge.Relationship.ID) {
				continue
			}
			next := r.with(e.hop.pattern.Slot, edge.Relationship)
			if !e.toBound {
				next[e.to] = x.noted(edge.Node)
			}
			if !yield(next) {
				return false
			}
		}
	}
	return true
}

// reaches reports whether a node may be the far end of row r.
func (e *expansion) reaches(r row, node int64) bool {
	if !e.toBound && e.to != e.from {
		return true
	}
	to, ok := r[e.to].(*value.Node)
	return ok && to.ID == node
}

// uses reports whether another relationship of the clause is this one already.
func (e *expansion) uses(r row, id int64) bool {
	return slices.ContainsFunc(e.unique, func(slot int) bool { return holds(r[slot], id) })
}

// holds reports whether v is the relationship id or a list that contains it.
func holds(v any, id int64) bool {
	switch v := v.(type) {
	case *value.Relationship:
		return v.ID == id
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holds(item, id) })
	}
	return false
}

// hopOf returns the hop for all rows of a group; possible is false when no node can meet the conditions on the far end.
func (e *expansion) hopOf(x *run, group []row) (hop graph.Hop, possible bool) {
	seen := make(map[int64]struct{}, len(group))
	ids := make([]int64, 0, len(group))
	for _, r := range group {
		id := r[e.from].(*value.Node).ID
		if _, again := seen[id]; !again {
			seen[id] = struct{}{}
			ids = append(ids, id)
		}
	}
	if e.target == nil {
		return e.hopFrom(ids, nil), true
	}
	to := e.target.filter(x, group[0])
	return e.hopFrom(ids, to), to != nil
}

func (e *expansion) edges(x *run, group []row) map[int64][]graph.Edge {
	hop, possible := e.hopOf(x, group)
	if !possible {
		return nil
	}
	edges := make(map[int64][]graph.Edge, len(hop.From))
	read := 0
	x.answered(x.graph.Expand(x.ctx, hop, func(edge graph.Edge) error {
		edges[edge.From] = append(edges[edge.From], edge)
		if read += edgeBytes; int64(read)+x.held > x.limits.Memory {
			return x.tooLarge()
		}
		return x.Step()
	}))
	return edges
}

// sameForAll returns the conditions of f that are equal for all rows; nil when there are none.
func (f *pushed) sameForAll() *pushed {
	same := &pushed{labels: f.labels}
	for _, c := range f.conditions {
		if c.constant {
			same.conditions = append(same.conditions, c)
		}
	}
	if len(same.labels)+len(same.conditions) == 0 {
		return nil
	}
	return same
}

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
