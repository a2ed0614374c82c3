package check_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// TestTCK runs the compatibility kit: every mistake that it lists is found before a query runs, with its name, and no other query is
// refused.
func TestTCK(t *testing.T) {
	dir, scenarios := tck.Kit(t)
	found := 0
	for _, s := range scenarios {
		o := tck.Run(dir, s, func(g *memory.Graph) (graph.Graph, error) { return g, nil })
		if o.Verdict == "passed" {
			found++
		}
		if o.Verdict == "wrong" || o.Verdict == "failed" && !strings.Contains(o.Reason, "what clocks showed differs") {
			t.Errorf("%s: %s: %s: %s", s.File, s.Name, o.Verdict, o.Reason)
		}
	}
	if found < 2000 {
		t.Errorf("only %d scenarios were run", found)
	}
}
