package exec

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
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
	keep func(*run, row) (bool, error)
}

// hopFrom returns the hop to ask the store for.
func (e *expansion) hopFrom(ids []int64, to *graph.Filter) graph.Hop {
	return graph.Hop{From: ids, Direction: e.direction, Types: e.hop.pattern.Types, To: to, Load: e.load}
}

// expand is the step for a hop of length one.
func (e *expansion) expand() step { return eachGroup(e.expandGroup) }

// expandGroup expands all rows of a group in one call to the store.
func (e *expansion) expandGroup(x *run, group []row, yield func(row) error) error {
	edges, err := e.edges(x, group)
	if err != nil {
		return err
	}
	for _, r := range group {
		for _, edge := range edges[r[e.from].(*value.Node).ID] {
			if err := x.walk(); err != nil {
				return err
			}
			if !e.fits(r, edge) {
				continue
			}
			next := append(make(row, 0, len(r)), r...)
			next[e.hop.pattern.Slot] = edge.Relationship
			if !e.toBound {
				next[e.to] = x.noted(edge.Node)
			}
			if err := yield(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits reports whether an edge may extend row r.
func (e *expansion) fits(r row, edge graph.Edge) bool {
	if e.toBound || e.to == e.from {
		to, ok := r[e.to].(*value.Node)
		if !ok || to.ID != edge.Node.ID {
			return false
		}
	}
	return !e.uses(r, edge.Relationship.ID)
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
func (e *expansion) hopOf(x *run, group []row) (hop graph.Hop, possible bool, err error) {
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
		return e.hopFrom(ids, nil), true, nil
	}
	to, possible, err := e.target.filter(x, group[0])
	return e.hopFrom(ids, &to), possible, err
}

func (e *expansion) edges(x *run, group []row) (map[int64][]graph.Edge, error) {
	hop, possible, err := e.hopOf(x, group)
	if err != nil || !possible {
		return nil, err
	}
	edges := make(map[int64][]graph.Edge, len(hop.From))
	read := 0
	err = x.graph.Expand(x.ctx, hop, func(edge graph.Edge) error {
		edges[edge.From] = append(edges[edge.From], edge)
		if read += edgeBytes; int64(read)+x.held > x.limits.Memory {
			return x.tooLarge()
		}
		return x.Step()
	})
	if err != nil {
		return nil, cmp.Or(x.alive(), err)
	}
	return edges, nil
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
