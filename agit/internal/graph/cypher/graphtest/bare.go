package graphtest

import (
	"context"
	"iter"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Bare wraps a graph with the least that a Graph may do: neighbours are bare ids, scans and expansions ignore every condition that may
// be ignored, estimates are useless, and nodes have only the properties that a query names. Queries must return the same over it.
func Bare(g graph.Graph) graph.Graph { return bare{Graph: g} }

type bare struct {
	graph.Graph
	only graph.Wanted // nil for all
}

// SelectProperties implements graph.PropertySelector.
func (b bare) SelectProperties(wanted graph.Wanted) graph.Graph { return bare{b.Graph, wanted} }

func (b bare) strip(n *value.Node) *value.Node {
	if n == nil || b.only == nil {
		return n
	}
	part := &value.Node{ID: n.ID, Loaded: true, Partial: true, Labels: n.Labels, Properties: map[string]any{}}
	for name, v := range n.Properties {
		if b.only.Of(n.Labels, name) {
			part.Properties[name] = v
		}
	}
	return part
}

func (b bare) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for n, err := range b.Graph.Scan(ctx, graph.Filter{Labels: filter.Labels}) {
			if !yield(b.strip(n), err) {
				return
			}
		}
	}
}

func (b bare) Nodes(ctx context.Context, ids []int64) ([]*value.Node, error) {
	nodes, err := b.Graph.Nodes(ctx, ids)
	for i := range nodes {
		nodes[i] = b.strip(nodes[i])
	}
	return nodes, err
}

func (bare) Estimate(context.Context, graph.Filter) float64 { return 1 }

func (b bare) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	hop.To = nil
	return b.Graph.Expand(ctx, hop, func(e graph.Edge) error {
		e.Node = &value.Node{ID: e.Node.ID}
		return yield(e)
	})
}
