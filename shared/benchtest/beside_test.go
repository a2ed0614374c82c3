package benchtest_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// Both sides run equally often. Each is prepared before each of its runs, and each comes first in half of the rounds.
func TestBeside(t *testing.T) {
	var order []string
	prepared, unready := 0, false
	result := testing.Benchmark(func(b *testing.B) {
		benchtest.Beside(b, "other",
			benchtest.Side{
				Prepare: func() error { prepared++; return nil },
				Run: func() error {
					order = append(order, "ours")
					unready = unready || prepared == 0
					prepared--
					return nil
				},
			},
			benchtest.Of(func() error { order = append(order, "theirs"); return nil }))
	})
	first := map[string]int{}
	for i := 0; i < len(order); i += 2 {
		first[order[i]]++
		if order[i] == order[i+1] {
			t.Fatalf("round %d runs %s twice", i/2, order[i])
		}
	}
	if d := first["ours"] - first["theirs"]; d < -1 || d > 1 || len(order) < 10 || unready || prepared != 0 {
		t.Errorf("first were %v, prepared %d, run unprepared: %v", first, prepared, unready)
	}
	if _, ok := result.Extra["x-other"]; !ok {
		t.Errorf("it reports %v", result.Extra)
	}
}

func TestPercentile(t *testing.T) {
	all := []time.Duration{5, 1, 4, 2, 3}
	if got := benchtest.Percentile(all, 50); got != 3 {
		t.Errorf("the median is %d", got)
	}
	if got := benchtest.Percentile(all, 95); got != 5 {
		t.Errorf("the 95th is %d", got)
	}
}
