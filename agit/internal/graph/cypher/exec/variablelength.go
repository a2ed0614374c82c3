package exec

import (
	"cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// variableLength compiles a hop of variable length. It walks depth first, one row after the other. The relationships of a node are read
// once per query, together with those of the nodes that wait.
func (e *expansion) variableLength() step {
	return func(x *run, in stream) stream {
		w := &walker{e: e, x: x, near: map[int64][]graph.Edge{}}
		return eachGroup(func(_ *run, group []row, yield func(row) error) error {
			w.yield = yield
			w.waiting = w.waiting[:0]
			for _, r := range group {
				w.waiting = append(w.waiting, r[e.from].(*value.Node).ID)
			}
			for _, r := range group {
				if err := w.start(r); err != nil {
					return err
				}
			}
			return nil
		})(x, in)
	}
}

// longest bounds the length of a path, and so the depth of the recursion.
const longest = 100_000

// walker walks from one row's node along paths that use each relationship once.
type walker struct {
	e       *expansion
	x       *run
	near    map[int64][]graph.Edge // relationships by node, as read
	waiting []int64                // nodes whose relationships will be needed soon
	row     row
	nodes   []*value.Node
	rels    []*value.Relationship
	used    map[int64]struct{}
	yield   func(row) error
}

func (w *walker) start(r row) error {
	w.row = r
	w.nodes = append(w.nodes[:0], r[w.e.from].(*value.Node))
	w.rels = w.rels[:0]
	w.used = make(map[int64]struct{})
	for _, slot := range w.e.unique {
		switch v := r[slot].(type) {
		case *value.Relationship:
			w.used[v.ID] = struct{}{}
		case []any:
			for _, item := range v {
				if rel, ok := item.(*value.Relationship); ok {
					w.used[rel.ID] = struct{}{}
				}
			}
		}
	}
	return w.visit()
}

// visit reports the path if it is long enough and continues the walk.
func (w *walker) visit() error {
	length := int64(len(w.rels))
	if length >= w.e.hop.pattern.Min {
		if err := w.report(); err != nil {
			return err
		}
	}
	if most := w.e.hop.pattern.Max; most != syntax.Unbounded && length >= most {
		return nil
	}
	if length >= longest {
		return limitError("PathLimit", "a path is longer than %d relationships", longest)
	}
	here := w.nodes[len(w.nodes)-1]
	edges, err := w.edges(here.ID)
	if err != nil {
		return err
	}
	mark := len(w.waiting)
	for _, edge := range edges {
		w.waiting = append(w.waiting, edge.Node.ID)
	}
	for _, edge := range edges {
		if err := w.follow(edge); err != nil {
			return err
		}
	}
	w.waiting = w.waiting[:mark]
	return nil
}

func (w *walker) follow(edge graph.Edge) error {
	if err := w.x.walk(); err != nil {
		return err
	}
	id := edge.Relationship.ID
	if _, seen := w.used[id]; seen {
		return nil
	}
	if w.e.keep != nil {
		w.row[w.e.each] = edge.Relationship
		if ok, err := w.e.keep(w.x, w.row); err != nil || !ok {
			return err
		}
	}
	w.used[id] = struct{}{}
	w.nodes = append(w.nodes, edge.Node)
	w.rels = append(w.rels, edge.Relationship)
	err := w.visit()
	w.nodes = w.nodes[:len(w.nodes)-1]
	w.rels = w.rels[:len(w.rels)-1]
	delete(w.used, id)
	return err
}

// edges returns the relationships at a node, and reads those of the waiting nodes with it.
func (w *walker) edges(id int64) ([]graph.Edge, error) {
	if edges, ok := w.near[id]; ok {
		return edges, nil
	}
	ids := append(make([]int64, 0, 16), id)
	w.near[id] = nil
	for i := len(w.waiting) - 1; i >= max(0, len(w.waiting)-8*batch) && len(ids) < batch; i-- {
		if _, known := w.near[w.waiting[i]]; !known {
			w.near[w.waiting[i]] = nil
			ids = append(ids, w.waiting[i])
		}
	}
	err := w.x.graph.Expand(w.x.ctx, w.e.hopFrom(ids, nil), func(edge graph.Edge) error {
		w.near[edge.From] = append(w.near[edge.From], edge)
		if err := w.x.hold(edgeBytes); err != nil {
			return err
		}
		return w.x.Step()
	})
	if err != nil {
		return nil, cmp.Or(w.x.alive(), err)
	}
	return w.near[id], w.x.hold(int64(64 * len(ids)))
}

// report yields the row for the current path, in the written order.
func (w *walker) report() error {
	e := w.e
	last := w.nodes[len(w.nodes)-1]
	if e.toBound || e.to == e.from {
		to, ok := w.row[e.to].(*value.Node)
		if !ok || to.ID != last.ID {
			return nil
		}
	}
	next := append(make(row, 0, len(w.row)), w.row...)
	rels := make([]any, len(w.rels))
	for i, r := range w.rels {
		rels[e.place(i, len(rels))] = r
	}
	next[e.hop.pattern.Slot] = rels
	if !e.toBound {
		next[e.to] = w.x.noted(last)
	}
	if e.hop.inner >= 0 {
		nodes := make([]any, len(w.nodes))
		for i, n := range w.nodes {
			nodes[e.place(i, len(nodes))] = w.x.noted(n)
		}
		next[e.hop.inner] = nodes
	}
	return w.yield(next)
}

// place returns the position in the written order of the i-th of n walked things.
func (e *expansion) place(i, n int) int {
	if e.reversed {
		return n - 1 - i
	}
	return i
}
