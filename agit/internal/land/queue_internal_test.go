package land

import (
	"slices"
	"testing"
)

// A landing waits for those with a gate that asked before it. One without a gate holds up none.
func TestAhead(t *testing.T) {
	gate := []string{"make test"}
	list := []Landing{{ID: 1}, {ID: 2, Gate: gate}, {ID: 3}, {ID: 4, Gate: gate}, {ID: 5, Gate: gate}}
	for id, want := range map[int64][]int64{1: nil, 2: nil, 3: {2}, 4: {2}, 5: {2, 4}, 6: {2, 4, 5}} {
		var got []int64
		for _, l := range ahead(list, id) {
			got = append(got, l.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("landing %d waits for %v, want %v", id, got, want)
		}
	}
}
