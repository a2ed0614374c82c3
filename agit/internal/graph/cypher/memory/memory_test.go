package memory_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
)

func TestConformance(t *testing.T) {
	for seed := range uint64(3) {
		g := graphtest.Random(seed, 200, 400)
		graphtest.Run(t, g, g)
	}
	g := graphtest.Random(9, 50, 120)
	graphtest.Run(t, graphtest.Bare(g), g)
}
