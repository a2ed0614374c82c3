package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

const (
	// batch is how many nodes are expanded or loaded in one call to the store:
	// enough to make the cost of a statement small, few enough to fit its
	// parameter limits.
	batch = 512
	// cached is how many loaded nodes are kept before the cache is cleared, and cachedBytes how many bytes they may take.
	cached      = 50_000
	cachedBytes = 16 << 20
)

// loader reads nodes by their ids, many at a time.
type loader struct {
	loaded  map[int64]*value.Node
	weighs  int64              // bytes of the loaded nodes
	pending map[int64]struct{} // nodes seen but not loaded, fetched together
	from    graph.Graph
}

// Node implements function.Env: it returns n with its labels and all its properties.
func (x *run) Node(n *value.Node) (*value.Node, error) {
	switch {
	case n.Loaded && !n.Partial:
		return n, nil
	case x.named == nil:
		return x.NodeByID(n.ID)
	}
	return x.whole.load(x, n.ID)
}

// nodeWith returns n with at least the given property.
func (x *run) nodeWith(n *value.Node, property string) (*value.Node, error) {
	if n.Loaded && !n.Partial {
		return n, nil
	}
	if _, named := x.named[property]; !named && x.named != nil {
		return x.Node(n)
	}
	if !n.Loaded {
		var err error
		if n, err = x.NodeByID(n.ID); err != nil {
			return nil, err
		}
	}
	if n.Partial && !x.named.Of(n.Labels, property) {
		return x.Node(n)
	}
	return n, nil
}

// NodeByID implements function.Env: it returns a node with its labels and the properties that the query names.
func (x *run) NodeByID(id int64) (*value.Node, error) { return x.load(x, id) }

// load returns a node. The same read fetches others that will probably be needed.
func (l *loader) load(x *run, id int64) (*value.Node, error) {
	if n, ok := l.loaded[id]; ok {
		return n, nil
	}
	ids := append(make([]int64, 0, batch), id)
	delete(l.pending, id)
	for other := range l.pending {
		if len(ids) == batch {
			break
		}
		delete(l.pending, other)
		ids = append(ids, other)
	}
	if err := l.fetch(x, ids); err != nil {
		return nil, err
	}
	n, ok := l.loaded[id]
	if !ok {
		return nil, syntax.RuntimeErrorf(syntax.Pos{}, "EntityNotFound", "DeletedEntityAccess", "node %d does not exist", id)
	}
	return n, nil
}

func (l *loader) fetch(x *run, ids []int64) error {
	nodes, err := l.from.Nodes(x.ctx, ids)
	if err != nil {
		return err
	}
	if l.loaded == nil || len(l.loaded) > cached || l.weighs > cachedBytes {
		l.loaded = make(map[int64]*value.Node, len(nodes))
		x.held -= l.weighs
		l.weighs = 0
	}
	for _, n := range nodes {
		l.weighs += x.holdValue(n)
		l.loaded[n.ID] = n
	}
	return x.alive()
}

// noted records n as a node that may have to be loaded, and returns it.
func (x *run) noted(n *value.Node) *value.Node {
	if n.Loaded {
		return n
	}
	if known, ok := x.loaded[n.ID]; ok {
		return known
	}
	if x.pending == nil || len(x.pending) > 8*batch {
		x.pending = map[int64]struct{}{}
	}
	x.pending[n.ID] = struct{}{}
	return n
}

// complete returns v with every node in it loaded.
func (x *run) complete(v any) any {
	if !bare(v) {
		return v
	}
	switch v := v.(type) {
	case *value.Node:
		return must(x.Node(v))
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = x.complete(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = x.complete(item)
		}
		return m
	case *value.Path:
		p := &value.Path{Nodes: make([]*value.Node, len(v.Nodes)), Relationships: v.Relationships}
		for i, n := range v.Nodes {
			p.Nodes[i] = must(x.Node(n))
		}
		return p
	}
	return v
}

// bare reports whether a node in v is not loaded.
func bare(v any) bool {
	switch v := v.(type) {
	case *value.Node:
		return !v.Loaded || v.Partial
	case []any:
		return slices.ContainsFunc(v, bare)
	case map[string]any:
		for _, item := range v {
			if bare(item) {
				return true
			}
		}
	case *value.Path:
		return slices.ContainsFunc(v.Nodes, func(n *value.Node) bool { return bare(n) })
	}
	return false
}
