package memory

import (
	"slices"
	"testing"
)

// A memory within two places of a better one, and a turn that the next one answers, count less.
func TestShade(t *testing.T) {
	t.Parallel()
	best, beside, far, asks := &entry{id: 1, score: 10}, &entry{id: 2, score: 9}, &entry{id: 3, score: 8.9}, &entry{id: 4, score: 8.8, yields: true}
	beside.near[0] = best
	best.near[reachBefore] = beside // the better one loses nothing
	far.near[besideIt] = best       // three places away
	all := []*entry{best, beside, far, asks}
	shade(all)
	var ids []int64
	for _, e := range all {
		ids = append(ids, e.id)
	}
	if !slices.Equal(ids, []int64{1, 3, 2, 4}) || best.score != 10 || rounded(beside.score) != rounded(9*besides) || far.score != 8.9 || rounded(asks.score) != rounded(8.8*answered) {
		t.Errorf("%v: %v %v %v %v", ids, best.score, beside.score, far.score, asks.score)
	}
}
