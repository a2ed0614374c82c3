package graphquery

import (
	"context"
	"iter"
	"slices"
	"testing"

	graphstore "github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// dump is everything that a view returned, as a graph that answers in the simplest way.
type dump struct {
	nodes []*value.Node
	edges []*value.Relationship
}

func (d dump) Scan(_ context.Context, f graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for _, n := range d.nodes {
			if f.Matches(n) && !yield(n, nil) {
				return
			}
		}
	}
}

func (d dump) Estimate(context.Context, graph.Filter) float64 { return float64(len(d.nodes)) }

func (d dump) Nodes(_ context.Context, ids []int64) (found []*value.Node, err error) {
	for _, n := range d.nodes {
		if slices.Contains(ids, n.ID) {
			found = append(found, n)
		}
	}
	return found, nil
}

func (d dump) Expand(_ context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	for _, r := range d.edges {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.Type) {
			continue
		}
		if hop.Direction != graph.Incoming && slices.Contains(hop.From, r.Start) {
			if err := yield(graph.Edge{From: r.Start, Relationship: r, Node: &value.Node{ID: r.End}}); err != nil {
				return err
			}
		}
		if hop.Direction != graph.Outgoing && slices.Contains(hop.From, r.End) {
			if err := yield(graph.Edge{From: r.End, Relationship: r, Node: &value.Node{ID: r.Start}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestViewKeepsThePromisesOfAGraph runs the engine's conformance checks over the registry, against a plain copy of its content.
func TestViewKeepsThePromisesOfAGraph(t *testing.T) {
	db := registrytest.Open(t)
	tasks := &task.Store{DB: db}
	g := &graphstore.Store{DB: db, Tasks: tasks}
	ctx := t.Context()
	steps := []func() error{
		func() error {
			_, err := g.CreateProject(ctx, graphstore.NewProject{ID: "p", Name: "P"})
			return err
		},
		func() error {
			_, err := g.CreateEpic(ctx, graphstore.NewEpic{ID: "E", Project: "p", Name: "E", Priority: work.PriorityLow})
			return err
		},
		func() error {
			_, err := tasks.Create(ctx, []task.New{
				{ID: "T-1", Epic: "E", Text: "one", Capabilities: []string{"go"}}, {ID: "T-2", Epic: "E", Text: "two", DependsOn: []string{"T-1"}},
				{ID: "T-3", Project: "p", Text: "three", DependsOn: []string{"T-1", "T-2"}},
			})
			return err
		},
		func() error {
			_, err := tasks.Report(ctx, task.Report{ID: "T-1", Status: task.Completed, Caller: task.Caller{Agent: "ann"}})
			return err
		},
		func() error { _, err := tasks.Claim(ctx, "T-2", "bob"); return err },
		func() error {
			_, err := g.ReportBug(ctx, graphstore.BugReport{ID: "B", Title: "B", Severity: "low", FoundBy: "bob", FoundIn: "T-1", Blocks: []string{"T-3"}})
			return err
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	err := db.Read(ctx, func(tx *registry.Tx) error {
		v := newView(tx)
		var all dump
		var ids []int64
		for n, err := range v.Scan(ctx, graph.Filter{}) {
			if err != nil {
				return err
			}
			all.nodes, ids = append(all.nodes, n), append(ids, n.ID)
		}
		err := v.Expand(ctx, graph.Hop{From: ids, Direction: graph.Outgoing}, func(e graph.Edge) error {
			all.edges = append(all.edges, e.Relationship)
			return nil
		})
		if err != nil {
			return err
		}
		graphtest.Run(t, v, all)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
