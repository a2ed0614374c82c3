package exec

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// variableLength compiles a hop of variable length. It walks depth first, one row after the other. The relationships of a node are read
// once per query, together with those of the nodes that wait.
func (e *expansion) variableLength() step {
	return func(x *run, in stream) stream {
		w := &walker{e: e, x: x, near: map[int64][]graph.Edge{}}
		return eachGroup(func(_ *run, group []row, yield func(row) bool) bool {
			w.yield = yield
			w.waiting = w.waiting[:0]
			for _, r := range group {
				w.waiting = append(w.waiting, r[e.from].(*value.Node).ID)
			}
			for _, r := range group {
				if !w.start(r) {
					return false
				}
			}
			return true
		})(x, in)
	}
}

// longest bounds the length of a path, and so the depth of the recursion.
const longest = 100_000

// walker walks from one row's node along paths that use each relationship once. Its methods return false when no more rows are wanted.
type walker struct {
	e       *expansion
	x       *run
	near    map[int64][]graph.Edge // relationships by node, as read
	waiting []int64                // nodes whose relationships will be needed soon
	row     row
	nodes   []*value.Node
	rels    []*value.Relationship
	used    map[int64]struct{}
	yield   func(row) bool
}

func (w *walker) start(r row) bool {
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
func (w *walker) visit() bool {
	length := int64(len(w.rels))
	if length >= w.e.hop.pattern.Min && !w.report() {
		return false
	}
	if most := w.e.hop.pattern.Max; most != syntax.Unbounded && length >= most {
		return true
	}
	if length >= longest {
		panic(limitError("PathLimit", "a path is longer than %d relationships", longest))
	}
	edges := w.edges(w.nodes[len(w.nodes)-1].ID)
	mark := len(w.waiting)
	for _, edge := range edges {
		w.waiting = append(w.waiting, edge.Node.ID)
	}
	for _, edge := range edges {
		if !w.follow(edge) {
			return false
		}
	}
	w.waiting = w.waiting[:mark]
	return true
}

func (w *walker) follow(edge graph.Edge) bool {
	w.x.walk()
	id := edge.Relationship.ID
	if _, seen := w.used[id]; seen {
		return true
	}
	if w.e.keep != nil {
		w.row[w.e.each] = edge.Relationship
		if !w.e.keep(w.x, w.row) {
			return true
		}
	}
	w.used[id] = struct{}{}
	w.nodes = append(w.nodes, edge.Node)
	w.rels = append(w.rels, edge.Relationship)
	more := w.visit()
	w.nodes = w.nodes[:len(w.nodes)-1]
	w.rels = w.rels[:len(w.rels)-1]
	delete(w.used, id)
	return more
}

// edges returns the relationships at a node, and reads those of the waiting nodes with it.
func (w *walker) edges(id int64) []graph.Edge {
	if edges, ok := w.near[id]; ok {
		return edges
	}
	ids := append(make([]int64, 0, 16), id)
	w.near[id] = nil
	for i := len(w.waiting) - 1; i >= max(0, len(w.waiting)-8*batch) && len(ids) < batch; i-- {
		if _, known := w.near[w.waiting[i]]; !known {
			w.near[w.waiting[i]] = nil
			ids = append(ids, w.waiting[i])
		}
	}
	w.x.answered(w.x.graph.Expand(w.x.ctx, w.e.hopFrom(ids, nil), func(edge graph.Edge) error {
		w.near[edge.From] = append(w.near[edge.From], edge)
		if err := w.x.hold(edgeBytes); err != nil {
			return err
		}
		return w.x.Step()
	}))
	check(w.x.hold(int64(64 * len(ids))))
	return w.near[id]
}

// report yields the row for the current path, in the written order.
func (w *walker) report() bool {
	e := w.e
	last := w.nodes[len(w.nodes)-1]
	if !e.reaches(w.row, last.ID) {
		return true
	}
	rels := make([]any, len(w.rels))
	for i, r := range w.rels {
		rels[e.place(i, len(rels))] = r
	}
	next := w.row.with(e.hop.pattern.Slot, rels)
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
