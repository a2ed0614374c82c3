package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLongestChain(t *testing.T) {
	for name, c := range map[string]struct {
		plan []part
		want []string
	}{
		"nothing":         {nil, []string{}},
		"one":             {[]part{{ref: "A", length: 1, parent: -1}}, []string{"A"}},
		"by length":       {[]part{{ref: "A", length: 1, parent: -1}, {ref: "B", length: 9, parent: -1}, {ref: "C", length: 1, parent: -1, after: []int{0}}}, []string{"B"}},
		"in order":        {[]part{{ref: "C", length: 1, parent: -1, after: []int{2}}, {ref: "A", length: 1, parent: -1}, {ref: "B", length: 1, parent: -1, after: []int{1}}}, []string{"A", "B", "C"}},
		"through an epic": {[]part{{length: 0, parent: -1, after: []int{2}}, {ref: "B", length: 1, parent: 0}, {ref: "A", length: 1, parent: -1}}, []string{"A", "B"}},
		"a container":     {[]part{{ref: "P", length: 1, parent: -1}, {ref: "C", length: 1, parent: 0}}, []string{"C", "P"}},
		"a cycle":         {[]part{{ref: "A", length: 1, parent: -1, after: []int{1}}, {ref: "B", length: 1, parent: -1, after: []int{0}}, {ref: "C", length: 1, parent: -1}}, []string{"C"}},
	} {
		if diff := cmp.Diff(c.want, longestChain(c.plan)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Compares with every possible chain, over small random plans.
func TestLongestChainIsLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		plan := make([]part, 1+r.IntN(9))
		for i := range plan {
			plan[i] = part{ref: fmt.Sprint(i), length: int64(1 + r.IntN(9)), parent: -1}
			for range r.IntN(3) {
				if i > 0 {
					plan[i].after = append(plan[i].after, r.IntN(i))
				}
			}
		}
		var longest func(i int) int64
		longest = func(i int) (most int64) {
			for _, b := range plan[i].after {
				most = max(most, longest(b))
			}
			return most + plan[i].length
		}
		var want, got int64
		for i := range plan {
			want = max(want, longest(i))
		}
		before := -1
		for _, ref := range longestChain(plan) {
			i := slices.IndexFunc(plan, func(p part) bool { return p.ref == ref })
			if before >= 0 && !slices.Contains(plan[i].after, before) {
				t.Fatalf("%d does not wait for %d in %+v", i, before, plan)
			}
			got, before = got+plan[i].length, i
		}
		if got != want {
			t.Fatalf("a chain of %d, the longest is %d: %+v", got, want, plan)
		}
	}
}

func TestLongestChainIsLinear(t *testing.T) {
	plan := make([]part, 10_000)
	for i := range plan {
		plan[i] = part{ref: fmt.Sprint(i), length: 1, parent: -1}
		for j := max(0, i-20); j < i; j++ {
			plan[i].after = append(plan[i].after, j)
		}
	}
	began := time.Now()
	if n := len(longestChain(plan)); n != len(plan) {
		t.Errorf("a chain of %d", n)
	}
	// A search over paths would not finish. The bound only separates that from a slow machine.
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("10,000 tasks took %s", took)
	} else {
		t.Logf("10,000 tasks and 200,000 edges: %s", took)
	}
}
