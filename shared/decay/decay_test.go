package decay_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/decay"
)

// Worked by hand from days × (6 − importance) ÷ max(accesses, 1).
func TestScore(t *testing.T) {
	for _, c := range []struct {
		days                 float64
		importance, accesses int
		want                 float64
	}{
		{10, 1, 1, 50}, {6, 1, 1, 30}, {10, 3, 1, 30}, {11, 3, 1, 33}, {30, 2, 4, 30}, {30, 2, 0, 120}, {30, 2, 1, 120}, {15, 4, 1, 30}, {16, 4, 1, 32},
		{100, 5, 1, 100}, {0, 1, 1, 0}, {0.5, 2, 1, 2}, {365, 4, 73, 10}, {-3, 1, 1, 0}, {45, 1, 5, 45}, {7, 2, 2, 14},
	} {
		if got := decay.Score(time.Duration(c.days*24*float64(time.Hour)), c.importance, c.accesses); got != c.want {
			t.Errorf("%v days, importance %d, %d accesses: %v, want %v", c.days, c.importance, c.accesses, got, c.want)
		}
	}
}
