// Package memory is a graph in memory: for tests, for small graphs and as the reference for other stores. Filling it is not safe for
// concurrent use; after that, any number of queries may read it at once.
package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Graph is the store. The zero value is empty and ready.
type Graph struct {
	nodes         []*value.Node // by id; nil where removed
	relationships []*value.Relationship
	byLabel       map[string][]*value.Node
	out, in       map[int64][]*value.Relationship

	mu      sync.Mutex
	indexes map[indexKey]map[string][]*value.Node // built on first use
}

type indexKey struct{ label, property string }

// AddNode adds a node and assigns its id. Nil properties are left out.
func (g *Graph) AddNode(labels []string, properties map[string]any) *value.Node {
	n := &value.Node{ID: int64(len(g.nodes)), Loaded: true, Labels: unique(labels), Properties: withoutNulls(properties)}
	g.nodes = append(g.nodes, n)
	if g.byLabel == nil {
		g.byLabel = map[string][]*value.Node{}
	}
	for _, label := range n.Labels {
		g.byLabel[label] = append(g.byLabel[label], n)
	}
	g.indexes = nil
	return n
}

// AddRelationship adds a relationship between two nodes of g.
func (g *Graph) AddRelationship(start, end int64, kind string, properties map[string]any) *value.Relationship {
	r := &value.Relationship{ID: int64(len(g.relationships)), Type: kind, Start: start, End: end, Properties: withoutNulls(properties)}
	g.relationships = append(g.relationships, r)
	if g.out == nil {
		g.out, g.in = map[int64][]*value.Relationship{}, map[int64][]*value.Relationship{}
	}
	g.out[start] = append(g.out[start], r)
	g.in[end] = append(g.in[end], r)
	return r
}

// RemoveRelationship removes a relationship.
func (g *Graph) RemoveRelationship(r *value.Relationship) {
	same := func(other *value.Relationship) bool { return other.ID == r.ID }
	g.out[r.Start] = slices.DeleteFunc(g.out[r.Start], same)
	g.in[r.End] = slices.DeleteFunc(g.in[r.End], same)
	g.relationships[r.ID] = nil
}

// RemoveNode removes a node and its relationships.
func (g *Graph) RemoveNode(n *value.Node) {
	for _, r := range slices.Concat(g.out[n.ID], g.in[n.ID]) {
		g.RemoveRelationship(r)
	}
	for _, label := range n.Labels {
		g.byLabel[label] = slices.DeleteFunc(g.byLabel[label], func(other *value.Node) bool { return other.ID == n.ID })
	}
	g.nodes[n.ID] = nil
	g.indexes = nil
}

// Len counts the nodes and relationships ever added.
func (g *Graph) Len() (nodes, relationships int) { return len(g.nodes), len(g.relationships) }

func unique(labels []string) []string {
	var kept []string
	for _, label := range labels {
		if !slices.Contains(kept, label) {
			kept = append(kept, label)
		}
	}
	return kept
}

func withoutNulls(m map[string]any) map[string]any {
	kept := make(map[string]any, len(m))
	for key, v := range m {
		if v != nil {
			kept[key] = v
		}
	}
	return kept
}

// Scan implements graph.Graph.
func (g *Graph) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for i, n := range g.candidates(filter) {
			if i%4096 == 0 && ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if n != nil && filter.Matches(n) && !yield(n, nil) {
				return
			}
		}
	}
}

// candidates returns the smallest available list that contains every match.
func (g *Graph) candidates(filter graph.Filter) []*value.Node {
	if len(filter.Labels) == 0 {
		return g.nodes
	}
	best := g.byLabel[filter.Labels[0]]
	for _, label := range filter.Labels[1:] {
		if list := g.byLabel[label]; len(list) < len(best) {
			best = list
		}
	}
	const small = 64 // below this an index costs more than it saves
	if len(best) < small {
		return best
	}
	for _, c := range filter.Conditions {
		if c.Op != graph.Equal || c.Value == nil {
			continue
		}
		found := g.index(filter.Labels[0], c.Property)[string(value.AppendKey(nil, c.Value))]
		if len(found) < len(best) {
			best = found
		}
	}
	return best
}

// index returns the nodes with a label by the value of a property.
func (g *Graph) index(label, property string) map[string][]*value.Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := indexKey{label, property}
	if index, ok := g.indexes[key]; ok {
		return index
	}
	index := map[string][]*value.Node{}
	var b []byte
	for _, n := range g.byLabel[label] {
		if v, ok := n.Properties[property]; ok {
			b = value.AppendKey(b[:0], v)
			index[string(b)] = append(index[string(b)], n)
		}
	}
	if g.indexes == nil {
		g.indexes = map[indexKey]map[string][]*value.Node{}
	}
	g.indexes[key] = index
	return index
}

// Estimate implements graph.Graph.
func (g *Graph) Estimate(_ context.Context, filter graph.Filter) float64 {
	n := float64(len(g.candidates(filter)))
	for _, c := range filter.Conditions {
		if c.Op == graph.Equal && c.Value == nil {
			n /= 10 // an equality with an unknown value
		}
	}
	return n
}

// Expand implements graph.Graph.
func (g *Graph) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	visit := func(from int64, list []*value.Relationship, loops bool) error {
		for _, r := range list {
			if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.Type) || !loops && r.Start == r.End {
				continue
			}
			if err := yield(graph.Edge{From: from, Relationship: r, Node: g.nodes[r.Other(from)]}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, from := range hop.From {
		if err := ctx.Err(); err != nil {
			return err
		}
		if hop.Direction != graph.Incoming {
			if err := visit(from, g.out[from], true); err != nil {
				return err
			}
		}
		if hop.Direction != graph.Outgoing {
			if err := visit(from, g.in[from], hop.Direction == graph.Incoming); err != nil {
				return err
			}
		}
	}
	return nil
}

// CountNeighbours implements graph.NeighbourCounter.
func (g *Graph) CountNeighbours(ctx context.Context, hop graph.Hop, properties []string, yield func(graph.Count) error) (bool, error) {
	counts := map[string]*graph.Count{}
	var order []*graph.Count
	err := g.Expand(ctx, hop, func(e graph.Edge) error {
		common := &value.Node{Loaded: true, Labels: e.Node.Labels, Properties: map[string]any{}}
		for _, name := range properties {
			if v, has := e.Node.Properties[name]; has {
				common.Properties[name] = v
			}
		}
		key := fmt.Sprint(e.From, common.Labels, value.Format(common.Properties))
		if counts[key] == nil {
			counts[key] = &graph.Count{From: e.From, Node: common}
			order = append(order, counts[key])
		}
		counts[key].N++
		return nil
	})
	for _, c := range order {
		if err == nil {
			err = yield(*c)
		}
	}
	return true, err
}

// Nodes implements graph.Graph.
func (g *Graph) Nodes(_ context.Context, ids []int64) ([]*value.Node, error) {
	found := make([]*value.Node, 0, len(ids))
	for _, id := range ids {
		if id >= 0 && id < int64(len(g.nodes)) && g.nodes[id] != nil {
			found = append(found, g.nodes[id])
		}
	}
	return found, nil
}
