package graphtest

import (
	"math/rand/v2"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
)

// Random returns a memory graph of n nodes and m relationships, the same for the same seed: labels A, B, C alone or together, types R,
// S, T, and the properties id (unique), num (integers, few values, some floats), name (strings) and list, each missing on some nodes.
// It has loops and parallel relationships.
func Random(seed uint64, n, m int) *memory.Graph {
	r := rand.New(rand.NewPCG(seed, 7))
	g := &memory.Graph{}
	for i := range n {
		var labels []string
		for _, label := range []string{"A", "B", "C"} {
			if r.IntN(3) == 0 {
				labels = append(labels, label)
			}
		}
		props := map[string]any{"id": int64(i)}
		switch r.IntN(4) {
		case 0:
			props["num"] = float64(r.IntN(6)) + 0.5 // never equal to an integer: min may return either of 2 and 2.0
		case 1, 2:
			props["num"] = int64(r.IntN(6))
		}
		if r.IntN(3) > 0 {
			props["name"] = string(rune('a' + r.IntN(5)))
		}
		if r.IntN(4) == 0 {
			props["list"] = []any{int64(r.IntN(3)), "x"}
		}
		g.AddNode(labels, props)
	}
	for range m {
		props := map[string]any{}
		if r.IntN(2) == 0 {
			props["w"] = int64(r.IntN(4))
		}
		g.AddRelationship(int64(r.IntN(n)), int64(r.IntN(n)), []string{"R", "S", "T"}[r.IntN(3)], props)
	}
	return g
}
