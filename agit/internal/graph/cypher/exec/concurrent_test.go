package exec_test

import (
	"context"
	"sync"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// TestConcurrent runs one prepared query from many goroutines.
func TestConcurrent(t *testing.T) {
	g := graphtest.Random(2, 300, 600)
	q, err := cypher.Prepare("MATCH (a:A {name: $name})-[*1..2]->(b) WHERE EXISTS { (b)--(c) WHERE c.num > a.num } WITH a, collect(b.id) AS ids RETURN a.id, reduce(s = 0, x IN ids | s + x) AS s ORDER BY s, a.id")
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]string, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			r, err := q.Run(context.Background(), g, map[string]any{"name": "a"}, cypher.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			for row, err := range r.Rows {
				if err != nil {
					t.Error(err)
					return
				}
				answers[i] += value.Format(row)
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a == "" || a != answers[0] {
			t.Errorf("answers differ: %q and %q", a, answers[0])
		}
	}
}
