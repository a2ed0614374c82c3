package halving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gate counts how often it runs. It fails on sets that hold every member of an entry in fails.
type gate struct {
	fails [][]int
	runs  int
	seen  map[string]bool
	twice []string // sets that it ran on again
}

func (g *gate) passes(set []int) bool {
	g.runs++
	key := fmt.Sprint(set)
	if g.seen[key] {
		g.twice = append(g.twice, key)
	}
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	g.seen[key] = true
	return !slices.ContainsFunc(g.fails, func(bad []int) bool {
		return !slices.ContainsFunc(bad, func(m int) bool { return !slices.Contains(set, m) })
	})
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func separate(g *gate, n int) (taken, left []int, err error) {
	err = Rule{
		Test: func(_ context.Context, set []int) (bool, error) {
			return g.passes(append(slices.Clone(taken), set...)), nil
		},
		Take:  func(_ context.Context, set []int) error { taken = append(taken, set...); return nil },
		Leave: func(_ context.Context, m int) error { left = append(left, m); return nil },
	}.Separate(context.Background(), n)
	return taken, left, err
}

func TestSeparate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n           int
		fails       [][]int
		taken, left []int
		runs        int
	}{
		{n: 0, runs: 0},
		{n: 1, taken: []int{0}, runs: 1},
		{n: 1, fails: [][]int{{0}}, left: []int{0}, runs: 1},
		{n: 8, taken: numbers(8), runs: 1},
		{n: 8, fails: [][]int{{0}}, taken: []int{1, 2, 3, 4, 5, 6, 7}, left: []int{0}, runs: 7},
		{n: 8, fails: [][]int{{7}}, taken: numbers(7), left: []int{7}, runs: 4},
		{n: 8, fails: [][]int{{3}}, taken: []int{0, 1, 2, 4, 5, 6, 7}, left: []int{3}, runs: 5},
		{n: 4, fails: [][]int{{0, 2}}, taken: []int{0, 1, 3}, left: []int{2}, runs: 4}, // the later of the two
		{n: 2, fails: [][]int{{0}, {1}}, left: []int{0, 1}, runs: 3},
		{n: 8, fails: [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, left: numbers(8), runs: 15},
		{n: 5, fails: [][]int{{1}, {4}}, taken: []int{0, 2, 3}, left: []int{1, 4}, runs: 6},
	} {
		g := &gate{fails: c.fails}
		taken, left, err := separate(g, c.n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{c.taken, c.left, c.runs}, []any{taken, left, g.runs}); diff != "" {
			t.Errorf("%d members, of which %v fail: taken, left and tests differ (-want +got):\n%s", c.n, c.fails, diff)
		}
		if len(g.twice) > 0 {
			t.Errorf("%d members, of which %v fail: tested again: %v", c.n, c.fails, g.twice)
		}
	}
}

func TestOneBadMemberCostsTwoTestsAHalf(t *testing.T) {
	t.Parallel()
	for bad := range 8 {
		g := &gate{fails: [][]int{{bad}}}
		if _, left, err := separate(g, 8); err != nil || g.runs > 1+2*3 || !slices.Equal(left, []int{bad}) {
			t.Errorf("member %d: left %v after %d tests, %v", bad, left, g.runs, err)
		}
	}
}

func TestSmallest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fails   [][]int
		culprit int
		among   []int
		want    []int
		runs    int
	}{
		{[][]int{{7}}, 7, numbers(7), []int{7}, 1},
		{[][]int{{0, 7}}, 7, numbers(7), []int{0, 7}, 3},
		{[][]int{{6, 7}}, 7, numbers(7), []int{6, 7}, 5},
		{[][]int{{1, 4, 7}}, 7, numbers(7), []int{1, 4, 7}, 8},
		{[][]int{{1, 7}, {4, 7}}, 7, numbers(7), []int{1, 7}, 5}, // the earlier partner
		{[][]int{{0, 1}}, 1, []int{0}, []int{0, 1}, 1},
		{[][]int{{0}}, 0, nil, []int{0}, 0}, // known to fail
	} {
		g := &gate{fails: c.fails}
		got, err := Smallest(t.Context(), c.culprit, c.among, func(_ context.Context, set []int) (bool, error) { return g.passes(set), nil })
		if err != nil || !slices.Equal(got, c.want) || g.runs != c.runs {
			t.Errorf("%v: got %v after %d tests (%v), want %v after %d", c.fails, got, g.runs, err, c.want, c.runs)
		}
	}
}

func TestErrorsEndTheSearch(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for at := 1; at <= 5; at++ {
		runs, after := 0, 0
		test := func(_ context.Context, set []int) (bool, error) {
			if runs++; runs == at {
				return false, broken
			}
			if runs > at {
				after++
			}
			return !slices.Contains(set, 3), nil
		}
		quiet := func(context.Context, []int) error { return nil }
		err := Rule{Test: test, Take: quiet, Leave: func(context.Context, int) error { return nil }}.Separate(t.Context(), 8)
		if !errors.Is(err, broken) || after > 0 {
			t.Errorf("test %d breaks: %v, %d tests after it", at, err, after)
		}
	}
	for at := 1; at <= 3; at++ {
		runs := 0
		_, err := Smallest(t.Context(), 3, numbers(3), func(_ context.Context, set []int) (bool, error) {
			if runs++; runs == at {
				return false, broken
			}
			return len(set) < 3, nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("test %d breaks: %v", at, err)
		}
	}
	told := Rule{
		Test:  func(_ context.Context, set []int) (bool, error) { return len(set) == 1 && set[0] == 0, nil },
		Take:  func(context.Context, []int) error { return broken },
		Leave: func(context.Context, int) error { return broken },
	}
	for _, n := range []int{1, 2} {
		if err := told.Separate(t.Context(), n); !errors.Is(err, broken) {
			t.Errorf("%d members: %v", n, err)
		}
	}
}
