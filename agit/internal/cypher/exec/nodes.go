package exec

import (
	"github.com/agit-suite/agit/agit/internal/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
)

const (
	// batch is how many nodes are expanded or loaded in one call to the store:
	// enough to make the cost of a statement small, few enough to fit its
	// parameter limits.
	batch = 512
	// cached is how many loaded nodes are kept before the cache starts anew.
	cached = 50_000
)

// Node implements function.Env: n with its labels and properties.
func (x *run) Node(n *value.Node) (*value.Node, error) {
	if n.Loaded {
		return n, nil
	}
	return x.NodeByID(n.ID)
}

// NodeByID loads a node, and with it others that will likely be asked for.
func (x *run) NodeByID(id int64) (*value.Node, error) {
	if n, ok := x.loaded[id]; ok {
		return n, nil
	}
	ids := append(make([]int64, 0, batch), id)
	delete(x.pending, id)
	for other := range x.pending {
		if len(ids) == batch {
			break
		}
		delete(x.pending, other)
		ids = append(ids, other)
	}
	if err := x.fetch(ids); err != nil {
		return nil, err
	}
	n, ok := x.loaded[id]
	if !ok {
		return nil, syntax.RuntimeErrorf(syntax.Pos{}, "EntityNotFound", "DeletedEntityAccess", "node %d does not exist", id)
	}
	return n, nil
}

func (x *run) fetch(ids []int64) error {
	nodes, err := x.graph.Nodes(x.ctx, ids)
	if err != nil {
		return err
	}
	if x.loaded == nil || len(x.loaded) > cached {
		x.loaded = make(map[int64]*value.Node, len(nodes))
	}
	for _, n := range nodes {
		x.loaded[n.ID] = n
	}
	return x.alive()
}

// noted remembers n as one that may have to be loaded.
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

// complete gives v with every node in it loaded.
func (x *run) complete(v any) (any, error) {
	switch v := v.(type) {
	case *value.Node:
		return x.Node(v)
	case []any:
		if !bare(v) {
			return v, nil
		}
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = x.complete(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		if !bare(v) {
			return v, nil
		}
		m := make(map[string]any, len(v))
		for key, item := range v {
			var err error
			if m[key], err = x.complete(item); err != nil {
				return nil, err
			}
		}
		return m, nil
	case *value.Path:
		if !bare(v) {
			return v, nil
		}
		p := &value.Path{Nodes: make([]*value.Node, len(v.Nodes)), Relationships: v.Relationships}
		for i, n := range v.Nodes {
			var err error
			if p.Nodes[i], err = x.Node(n); err != nil {
				return nil, err
			}
		}
		return p, nil
	}
	return v, nil
}

// bare reports whether a node in v is not loaded.
func bare(v any) bool {
	switch v := v.(type) {
	case *value.Node:
		return !v.Loaded
	case []any:
		for _, item := range v {
			if bare(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if bare(item) {
				return true
			}
		}
	case *value.Path:
		for _, n := range v.Nodes {
			if !n.Loaded {
				return true
			}
		}
	}
	return false
}
