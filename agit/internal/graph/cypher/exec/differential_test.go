package exec_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
)

// TestDifferential runs random queries over a store with every optional method and over one with none, which also makes the planner
// start elsewhere. Both return the same rows.
func TestDifferential(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	refused, rows := 0, 0
	for i := range 3000 {
		g := graphtest.Random(uint64(i%7), 12+i%20, 30+i%40)
		query := graphtest.Query(r)
		limits := cypher.Limits{Paths: 200_000}
		want, errWant := answer(g, query, limits)
		got, errGot := answer(graphtest.Bare(g), query, limits)
		if errWant != nil || errGot != nil {
			if refused++; refused > 150 {
				t.Fatalf("too many random queries fail: %s: %v, %v", query, errWant, errGot)
			}
			continue
		}
		rows += len(want)
		if !slices.Equal(want, got) {
			t.Fatalf("%s\ngives different rows:\n%q\n%q", query, want, got)
		}
	}
	t.Logf("%d refused, %d rows compared", refused, rows)
}
