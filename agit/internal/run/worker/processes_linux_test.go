package worker

import "testing"

// TestSole has runs with the leaders 1 and 2, each with its start time.
func TestSole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs   map[int]uint64
		leader int
		start  uint64
		want   bool
	}{
		"in the only run":                      {map[int]uint64{1: 10}, 1, 11, true},
		"in the tick of its beginning":         {map[int]uint64{1: 10}, 1, 10, true},
		"before it":                            {map[int]uint64{1: 10}, 1, 9, false},
		"before the other run began":           {map[int]uint64{1: 10, 2: 20}, 1, 15, true},
		"not of the run that began later":      {map[int]uint64{1: 10, 2: 20}, 2, 15, false},
		"of either":                            {map[int]uint64{1: 10, 2: 20}, 1, 25, false},
		"of either, in one tick":               {map[int]uint64{1: 10, 2: 20}, 1, 20, false},
		"of the last of the two that ends":     {map[int]uint64{2: 20}, 2, 25, true},
		"of a run that is not known":           {map[int]uint64{2: 20}, 1, 25, false},
		"of one that was killed with its agit": {nil, 1, 25, false},
	} {
		if got := sole(c.runs, c.leader, c.start); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
