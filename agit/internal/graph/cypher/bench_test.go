package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/shared/benchtest"
)

// plan is a graph of 100,000 tasks in 1,000 epics of one project, with 300,000
// dependencies that never close a cycle.
var plan = sync.OnceValue(func() *memory.Graph {
	const epics, tasks, dependencies = 1000, 100_000, 300_000
	r := rand.New(rand.NewPCG(1, 2))
	g := &memory.Graph{}
	project := g.AddNode([]string{"Project"}, map[string]any{"id": "p", "name": "Plan"})
	owners := make([]int64, epics)
	for i := range owners {
		e := g.AddNode([]string{"Epic"}, map[string]any{"id": fmt.Sprintf("E-%d", i), "name": "Epic"})
		owners[i] = e.ID
		g.AddRelationship(project.ID, e.ID, "CONTAINS", nil)
	}
	ids := make([]int64, tasks)
	for i := range ids {
		status := []string{"pending", "completed", "in_progress", "completed"}[r.IntN(4)]
		n := g.AddNode([]string{"Task"}, map[string]any{
			"id": fmt.Sprintf("T-%d", i), "name": "Task", "status": status, "created": fmt.Sprintf("2026-01-01T%08d", i),
			"priority": []string{"low", "medium", "high", "critical"}[r.IntN(4)], "requiredCapabilities": []any{"go"},
		})
		ids[i] = n.ID
		g.AddRelationship(owners[r.IntN(epics)], n.ID, "HAS_TASK", nil)
	}
	for range dependencies {
		a, b := r.IntN(tasks), r.IntN(tasks)
		if a < b {
			a, b = b, a
		}
		if a != b {
			g.AddRelationship(ids[a], ids[b], "DEPENDS_ON", nil)
		}
	}
	return g
})

// BenchmarkQueries: queries over a graph of 100,000 tasks in memory, beside one
// pass of Go over the tasks that reads a property of each.
func BenchmarkQueries(b *testing.B) {
	params := map[string]any{"projectId": "p", "priorities": []any{"high", "critical"}, "capabilities": []any{"go"}, "taskId": "T-70000"}
	for _, q := range []struct{ name, text string }{
		{"one task", "MATCH (t:Task {id: $taskId}) RETURN t"},
		{"next task", nextTask},
		{"unblocked", unblocked},
		{"statistics", statistics},
		{"three hops", "MATCH (t:Task {id: $taskId})-[:DEPENDS_ON*1..3]->(d) RETURN count(DISTINCT d)"},
		{"two hops everywhere", "MATCH (a:Task)-[:DEPENDS_ON]->(:Task)-[:DEPENDS_ON]->(c) RETURN count(*)"},
		{"top by priority", "MATCH (t:Task {status: 'pending'}) RETURN t ORDER BY t.priority DESC, t.created LIMIT 10"},
	} {
		b.Run(q.name, func(b *testing.B) {
			g := plan()
			prepared, err := cypher.Prepare(q.text)
			if err != nil {
				b.Fatal(err)
			}
			benchtest.Beside(b, "pass", benchtest.Of(func() error {
				r, err := prepared.Run(context.Background(), g, params, cypher.Limits{})
				if err == nil {
					_, err = r.Collect()
				}
				return err
			}), benchtest.Of(func() error {
				if pending := tasksWith(g, "status", "pending"); pending == 0 {
					return errors.New("no task is pending")
				}
				return nil
			}))
		})
	}
}

// tasksWith counts the tasks whose property has a value.
func tasksWith(g *memory.Graph, property string, want any) (n int) {
	for node, err := range g.Scan(context.Background(), graph.Filter{Labels: []string{"Task"}}) {
		if err == nil && node.Properties[property] == want {
			n++
		}
	}
	return n
}

// BenchmarkPrepare: parsing and planning the longest query of the project's own
// use, beside Go's parser over a function of the same length.
func BenchmarkPrepare(b *testing.B) {
	function := "package p\nfunc f() {\n"
	for len(function) < len(nextTask) {
		function += "\tif task.Status != `completed` { return other.Value }\n"
	}
	function += "}\n"
	benchtest.Beside(b, "go-parser", benchtest.Of(func() error {
		_, err := cypher.Prepare(nextTask)
		return err
	}), benchtest.Of(func() error {
		_, err := parser.ParseFile(token.NewFileSet(), "", function, parser.SkipObjectResolution)
		return err
	}))
}
