package dependency

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A merge of two registries can close a cycle. It is reported once, from the item where the walk enters it.
func TestCycles(t *testing.T) {
	after := map[int64][]int64{1: {2, 5}, 2: {3}, 3: {2, 4}, 4: {1}, 5: {4}, 6: {6}}
	want := [][]int64{{2, 3, 2}, {1, 2, 3, 4, 1}, {6, 6}}
	if diff := cmp.Diff(want, cycles([]int64{1, 2, 3, 4, 5, 6}, after)); diff != "" {
		t.Error(diff)
	}
	many := map[int64][]int64{}
	var order []int64
	for id := range int64(100) {
		order, many[id] = append(order, id), []int64{id}
	}
	if found := cycles(order, many); len(found) != maxCycles {
		t.Errorf("%d cycles are told, not %d", len(found), maxCycles)
	}
}
