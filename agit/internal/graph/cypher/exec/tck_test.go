package exec_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

// TestTCK runs every read-only scenario of openCypher's compatibility kit.
func TestTCK(t *testing.T) {
	dir, scenarios := tck.Kit(t)
	both := func(s tck.Scenario) tck.Outcome {
		o := tck.Run(dir, s, func(g *memory.Graph) (graph.Graph, error) { return g, nil })
		bare := tck.Run(dir, s, func(g *memory.Graph) (graph.Graph, error) { return graphtest.Bare(g), nil })
		if bare.Verdict != o.Verdict {
			return tck.Outcome{Verdict: "wrong", Reason: fmt.Sprintf("%s over the full graph, %s over the bare one: %s", o.Verdict, bare.Verdict, bare.Reason)}
		}
		return o
	}
	counts, skipped, core := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range scenarios {
		o := both(s)
		counts[o.Verdict]++
		temporal := strings.Contains(s.File, "/temporal/") || strings.Contains(s.File, "/call/")
		if o.Verdict == "skipped" {
			skipped[o.Reason]++
		}
		if !temporal && o.Reason != tck.Writes && o.Reason != tck.Procedures {
			core[o.Verdict]++
		}
		switch {
		case o.Verdict == "wrong":
			t.Errorf("%s: %s: answered wrongly: %s", s.File, s.Name, o.Reason)
		case o.Verdict == "failed" && !strings.Contains(o.Reason, "what clocks showed differs"):
			t.Errorf("%s: %s: %s", s.File, s.Name, o.Reason)
		}
	}
	t.Logf("%d scenarios: %d passed, %d failed, %d wrong, %d skipped", len(scenarios), counts["passed"], counts["failed"], counts["wrong"], counts["skipped"])
	for _, reason := range sortedKeys(skipped) {
		t.Logf("skipped %d: %s", skipped[reason], reason)
	}
	all := core["passed"] + core["failed"] + core["wrong"] + core["skipped"]
	rate := 100 * float64(core["passed"]) / float64(max(1, all))
	t.Logf("core read-only (neither temporal nor procedures): %d of %d passed, %.1f %%", core["passed"], all, rate)
	if rate < 95 {
		t.Errorf("only %.1f %% of the core read-only scenarios pass", rate)
	}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
