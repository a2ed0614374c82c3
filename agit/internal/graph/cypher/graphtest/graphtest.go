// Package graphtest checks that a store keeps the contract of graph.Graph, and makes graphs for tests. Only tests import it.
package graphtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Run checks g, which must hold at least one node. reference must hold the same nodes and relationships under the same ids; a memory
// graph with the same data is enough. Run tries every label, type and property found in reference.
func Run(t *testing.T, g, reference graph.Graph) {
	t.Helper()
	ctx := context.Background()
	all := scan(t, reference, graph.Filter{})
	if len(all) == 0 {
		t.Fatal("the graph to check is empty")
	}
	t.Run("scan", func(t *testing.T) { checkScans(t, g, all) })
	t.Run("scan stops", func(t *testing.T) {
		for _, err := range g.Scan(ctx, graph.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	})
	t.Run("calls while scanning", func(t *testing.T) { checkNested(t, g) })
	t.Run("nodes", func(t *testing.T) { checkNodes(t, g, all) })
	t.Run("expand", func(t *testing.T) { checkExpand(t, g, reference, all) })
	t.Run("expand stops", func(t *testing.T) { checkExpandStops(t, g, all) })
	t.Run("estimate", func(t *testing.T) {
		for _, f := range filters(all) {
			if n := g.Estimate(ctx, f); n < 0 {
				t.Errorf("%v: %v", f, n)
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		for _, err := range g.Scan(gone, graph.Filter{}) {
			if err != nil {
				return
			}
		}
		t.Error("a scan does not notice that its context is cancelled")
	})
}

func scan(t *testing.T, g graph.Graph, f graph.Filter) map[int64]*value.Node {
	t.Helper()
	found := map[int64]*value.Node{}
	for n, err := range g.Scan(context.Background(), f) {
		if err != nil {
			t.Fatalf("scan %v: %v", f, err)
		}
		if !n.Loaded {
			t.Errorf("scan %v: node %d is not loaded", f, n.ID)
		}
		if _, twice := found[n.ID]; twice {
			t.Errorf("scan %v: node %d comes twice", f, n.ID)
		}
		found[n.ID] = n
	}
	return found
}

// filters returns the filters worth trying on nodes: by each label, and by each property with every operator.
func filters(all map[int64]*value.Node) []graph.Filter {
	list := []graph.Filter{{}, {Labels: []string{"there is no such label"}}}
	seen := map[string]bool{}
	for _, n := range all {
		for _, label := range n.Labels {
			for key, v := range n.Properties {
				id := label + "." + key
				if seen[id] {
					continue
				}
				seen[id] = true
				list = append(list, graph.Filter{Labels: []string{label}})
				for op := graph.Equal; op <= graph.Exists; op++ {
					c := graph.Condition{Property: key, Op: op, Value: v}
					switch op {
					case graph.In:
						c.Value = []any{v, nil, int64(-1), "x"}
					case graph.Exists:
						c.Value = nil
					}
					list = append(list, graph.Filter{Labels: []string{label}, Conditions: []graph.Condition{c}})
				}
				for _, odd := range []any{int64(1), 1.0, "1", true, []any{}} {
					list = append(list, graph.Filter{Labels: []string{label}, Conditions: []graph.Condition{{Property: key, Op: graph.Equal, Value: odd}}})
				}
			}
		}
	}
	return list
}

func checkScans(t *testing.T, g graph.Graph, all map[int64]*value.Node) {
	for _, f := range filters(all) {
		got := scan(t, g, f)
		for id, n := range got {
			if !(graph.Filter{Labels: f.Labels}).Matches(n) {
				t.Errorf("scan %v: node %d has not all labels", f, id)
			}
			if diff := cmp.Diff(sorted(all[id]), sorted(n)); diff != "" {
				t.Errorf("scan %v: node %d (-want +got):\n%s", f, id, diff)
			}
		}
		for id, n := range all {
			if _, ok := got[id]; f.Matches(n) && !ok {
				t.Errorf("scan %v: node %d is left out", f, id)
			}
		}
	}
}

// sorted returns n with its labels in order, for comparison.
func sorted(n *value.Node) *value.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Labels = slices.Sorted(slices.Values(n.Labels))
	return &c
}

func checkNested(t *testing.T, g graph.Graph) {
	ctx := context.Background()
	rounds := 0
	for n, err := range g.Scan(ctx, graph.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Expand(ctx, graph.Hop{From: []int64{n.ID}}, func(graph.Edge) error { return nil }); err != nil {
			t.Fatalf("expand while scanning: %v", err)
		}
		if _, err := g.Nodes(ctx, []int64{n.ID}); err != nil {
			t.Fatalf("nodes while scanning: %v", err)
		}
		if rounds++; rounds == 20 {
			break
		}
	}
}

func checkNodes(t *testing.T, g graph.Graph, all map[int64]*value.Node) {
	ids := []int64{1 << 60}
	for id := range all {
		ids = append(ids, id)
	}
	nodes, err := g.Nodes(context.Background(), ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != len(all) {
		t.Errorf("%d nodes for %d ids", len(nodes), len(all))
	}
	for _, n := range nodes {
		if diff := cmp.Diff(sorted(all[n.ID]), sorted(n)); diff != "" {
			t.Errorf("node %d (-want +got):\n%s", n.ID, diff)
		}
	}
	if nodes, err := g.Nodes(context.Background(), nil); err != nil || len(nodes) != 0 {
		t.Errorf("no ids: %d nodes, %v", len(nodes), err)
	}
}

func checkExpand(t *testing.T, g, reference graph.Graph, all map[int64]*value.Node) {
	ids := []int64{1 << 60}
	for id := range all {
		ids = append(ids, id)
	}
	kinds := map[string]bool{}
	for _, e := range expand(t, reference, graph.Hop{From: ids}) {
		kinds[e.Relationship.Type] = true
	}
	types := [][]string{nil, {"THERE_IS_NO_SUCH_TYPE"}}
	for kind := range kinds {
		types = append(types, []string{kind}, []string{kind, "THERE_IS_NO_SUCH_TYPE"})
	}
	for _, direction := range []graph.Direction{graph.Both, graph.Outgoing, graph.Incoming} {
		for _, kinds := range types {
			for _, from := range [][]int64{ids, ids[1:2], nil} {
				hop := graph.Hop{From: from, Direction: direction, Types: kinds}
				want, got := expand(t, reference, hop), expand(t, g, hop)
				if diff := cmp.Diff(want, got, ignoreNeighbour); diff != "" {
					t.Errorf("expand %v %v from %d nodes (-want +got):\n%s", direction, kinds, len(from), diff)
				}
				checkHint(t, g, hop, want, all)
			}
		}
	}
}

// ignoreNeighbour compares the neighbours of edges by id.
var ignoreNeighbour = cmp.Comparer(func(a, b *value.Node) bool { return a.ID == b.ID })

// checkHint expands a hop with a hint about the neighbours. The result must contain every neighbour that meets the hint.
func checkHint(t *testing.T, g graph.Graph, hop graph.Hop, want map[string]graph.Edge, all map[int64]*value.Node) {
	for _, n := range all {
		if len(n.Labels) == 0 {
			continue
		}
		f := graph.Filter{Labels: n.Labels[:1]}
		for key, v := range n.Properties {
			f.Conditions = append(f.Conditions, graph.Condition{Property: key, Op: graph.Equal, Value: v})
			break
		}
		hop.To = &f
		got := expand(t, g, hop)
		for key, e := range want {
			if _, ok := got[key]; f.Matches(all[e.Node.ID]) && !ok {
				t.Errorf("expand with hint %v: %s is left out", f, key)
			}
		}
		return
	}
}

func expand(t *testing.T, g graph.Graph, hop graph.Hop) map[string]graph.Edge {
	t.Helper()
	edges := map[string]graph.Edge{}
	err := g.Expand(context.Background(), hop, func(e graph.Edge) error {
		key := fmt.Sprintf("%d at %d", e.Relationship.ID, e.From)
		if _, twice := edges[key]; twice {
			t.Errorf("expand: relationship %s comes twice", key)
		}
		if e.Node == nil || e.Relationship.Other(e.From) != e.Node.ID {
			t.Errorf("expand: relationship %s has the wrong other end", key)
		}
		edges[key] = e
		return nil
	})
	if err != nil {
		t.Fatalf("expand %v: %v", hop, err)
	}
	return edges
}

func checkExpandStops(t *testing.T, g graph.Graph, all map[int64]*value.Node) {
	var ids []int64
	for id := range all {
		ids = append(ids, id)
	}
	if len(expand(t, g, graph.Hop{From: ids})) == 0 {
		t.Skip("the graph has no relationships")
	}
	stop, calls := errors.New("stop"), 0
	err := g.Expand(context.Background(), graph.Hop{From: ids}, func(graph.Edge) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls after an error, and %v", calls, err)
	}
}
