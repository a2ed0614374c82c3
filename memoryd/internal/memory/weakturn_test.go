package memory

import "testing"

// How many candidates are like a turn, and how good the best one is that is not beside it.
func TestLikeATurn(t *testing.T) {
	t.Parallel()
	at := func(id int64, thread string, carried, score float64) candidate {
		return candidate{entry: &entry{id: id, thread: thread, carried: carried}, score: score}
	}
	turn := at(10, "1", 1, 9)
	many := make([]candidate, lookedAlike+5)
	for i := range many {
		many[i] = turn
	}
	for _, c := range []struct {
		name      string
		ranked    []candidate
		equals    float64
		elsewhere float64
	}{
		{"alone", []candidate{turn}, 1, 0},
		{"not among the best", nil, 1, 0},
		{"at the border of what is alike, and below it", []candidate{at(1, "2", sameCover, 8), at(2, "2", sameCover-0.01, 7), turn}, 2, 8},
		{"more are alike than are looked at", many, lookedAlike, 0},
		{"beside it in its thread", []candidate{at(10+besideTurns, "1", 0, 8), at(10-besideTurns, "1", 0, 7)}, 1, 0},
		{"farther in its thread", []candidate{at(11, "1", 0, 8), at(10-besideTurns-1, "1", 0, 7), at(20, "1", 0, 6)}, 1, 7},
		{"beside it in another thread", []candidate{at(11, "2", 0, 8)}, 1, 8},
	} {
		if n := equals(c.ranked, turn); n != c.equals {
			t.Errorf("%s: %v are alike, want %v", c.name, n, c.equals)
		}
		if s := elsewhere(c.ranked, turn); s != c.elsewhere {
			t.Errorf("%s: the best elsewhere has %v, want %v", c.name, s, c.elsewhere)
		}
	}
}
