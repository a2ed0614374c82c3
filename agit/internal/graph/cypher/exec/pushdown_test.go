package exec_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// recorder records the calls to the store.
type recorder struct {
	graph.Graph
	calls []string
}

func (r *recorder) Scan(ctx context.Context, f graph.Filter) iter.Seq2[*value.Node, error] {
	r.calls = append(r.calls, "scan "+describe(f))
	return r.Graph.Scan(ctx, f)
}

func describe(f graph.Filter) string {
	s := fmt.Sprint(f.Labels)
	for _, c := range f.Conditions {
		s += fmt.Sprintf(" %s %s %s", c.Property, c.Op, value.Format(c.Value))
	}
	return s
}

func (r *recorder) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	call := fmt.Sprintf("expand %d %v %v", len(hop.From), hop.Direction, hop.Types)
	if hop.To != nil {
		call += " to " + describe(*hop.To)
	}
	r.calls = append(r.calls, call)
	return r.Graph.Expand(ctx, hop, yield)
}

func (r *recorder) Nodes(ctx context.Context, ids []int64) ([]*value.Node, error) {
	r.calls = append(r.calls, fmt.Sprintf("nodes %d", len(ids)))
	return r.Graph.Nodes(ctx, ids)
}

// TestPushDown checks that the planner reads what a query needs and no more.
func TestPushDown(t *testing.T) {
	g := &memory.Graph{}
	epic := g.AddNode([]string{"Epic"}, map[string]any{"id": "e"})
	for i := range 10 {
		n := g.AddNode([]string{"Task"}, map[string]any{"id": fmt.Sprint(i), "n": int64(i)})
		g.AddRelationship(epic.ID, n.ID, "HAS_TASK", nil)
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"MATCH (t:Task {id: $id}) RETURN t", []string{"scan [Task] id = '3'"}},
		{"MATCH (t:Task) WHERE t.n >= 2 AND 5 > t.n AND t.id IN ['1', '3'] AND t.x IS NOT NULL RETURN t", []string{"scan [Task] n >= 2 n < 5 id IN ['1', '3'] x IS NOT NULL null"}},
		{"MATCH (t) WHERE t:Task AND t.id STARTS WITH '1' RETURN t", []string{"scan [Task] id STARTS WITH '1'"}},
		// The pattern starts at the epic, although it is written last.
		{"MATCH (t:Task)<-[:HAS_TASK]-(e:Epic {id: 'e'}) WHERE t.n = 3 RETURN t", []string{"scan [Epic] id = 'e'", "expand 1 1 [HAS_TASK] to [Task] n = 3"}},
		{"MATCH (t:Task)<-[:HAS_TASK]-(e:Epic) RETURN count(t)", []string{"scan [Epic]", "expand 1 1 [HAS_TASK] to [Task]"}},
		// A later MATCH starts at a node that is already bound.
		{"MATCH (e:Epic) MATCH (t:Task)<-[:HAS_TASK]-(e) RETURN count(t)", []string{"scan [Epic]", "expand 1 1 [HAS_TASK] to [Task]"}},
		// One expansion for all ten nodes, not one each.
		{"MATCH (e:Epic)-->(t) WHERE EXISTS { (t)<-[:HAS_TASK]-() } RETURN t", []string{"scan [Epic]", "expand 1 1 []", "expand 10 2 [HAS_TASK]"}},
		// A join finds the other side by the property's value.
		{"MATCH (a:Epic), (b:Task) WHERE b.id = a.id RETURN b", []string{"scan [Epic]", "scan [Task] id = 'e'"}},
		{"MATCH (t:Task {id: null}) RETURN t", nil},
	} {
		r := &recorder{Graph: g}
		_, _, err := cypher.Collect(context.Background(), r, c.query, map[string]any{"id": "3"}, cypher.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if diff := cmp.Diff(c.want, r.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}
