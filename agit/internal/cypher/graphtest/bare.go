package graphtest

import (
	"context"
	"iter"

	"github.com/agit-suite/agit/agit/internal/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
)

// Bare wraps a graph so that it gives no more than a Graph must: neighbours are
// bare ids, scans and expansions ignore every condition that may be ignored, and
// estimates say nothing. Queries must answer the same over it.
func Bare(g graph.Graph) graph.Graph { return bare{g} }

type bare struct{ graph.Graph }

func (b bare) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return b.Graph.Scan(ctx, graph.Filter{Labels: filter.Labels})
}

func (bare) Estimate(context.Context, graph.Filter) float64 { return 1 }

func (b bare) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	hop.To = nil
	return b.Graph.Expand(ctx, hop, func(e graph.Edge) error {
		e.Node = &value.Node{ID: e.Node.ID}
		return yield(e)
	})
}
