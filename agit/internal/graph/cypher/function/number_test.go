package function

import (
	"math"
	"testing"
)

func TestRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []any
		want float64
	}{
		{[]any{1.5}, 2}, {[]any{-2.5}, -2}, {[]any{-1.5}, -1}, {[]any{0.2}, 0}, {[]any{2.5}, 3}, {[]any{-2.51}, -3},
		{[]any{0.49999999999999994}, 0}, {[]any{4503599627370497.0}, 4503599627370497}, {[]any{-4503599627370497.0}, -4503599627370497},
		{[]any{math.Inf(1)}, math.Inf(1)}, {[]any{math.Inf(-1)}, math.Inf(-1)},
		{[]any{0.575, int64(2)}, 0.58}, {[]any{1.005, int64(2)}, 1.01}, {[]any{2.675, int64(2)}, 2.68}, {[]any{-1.005, int64(2)}, -1.01},
		{[]any{1.004, int64(2)}, 1}, {[]any{9.995, int64(2)}, 10}, {[]any{0.06, int64(1)}, 0.1}, {[]any{1e300, int64(3)}, 1e300}, {[]any{1.5, int64(3)}, 1.5},
		{[]any{2.5, int64(0)}, 3}, {[]any{-2.5, int64(0)}, -2}, {[]any{math.Inf(1), int64(2)}, math.Inf(1)},
	} {
		got, err := round(nil, c.args)
		if err != nil || got != c.want {
			t.Errorf("round(%v) = %v %v, want %v", c.args, got, err, c.want)
		}
	}
	for _, bad := range [][]any{{1.0, int64(-1)}, {1.0, int64(16)}, {"1"}} {
		if got, err := round(nil, bad); err == nil {
			t.Errorf("round(%v) = %v", bad, got)
		}
	}
}
