package overview

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

// The order, the filters and the counts of memories.
func TestShelf(t *testing.T) {
	t.Parallel()
	day := func(n int) timestamp.Time { return timestamp.Of(time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC)) }
	all := []Memory{
		{ID: "m-1", Type: "decision", Title: "Dates in UTC", Importance: 2, State: "valid", Decay: 9, UsedAt: day(1)},
		{ID: "m-2", Type: "warning", Title: "Jitter in retries", Importance: 5, State: "stale", Broken: 1, Decay: 30, UsedAt: day(3)},
		{ID: "m-3", Type: "pattern", Title: "UTC everywhere", Importance: 3, State: "unverified", Decay: 25, UsedAt: day(2)},
		{ID: "m-4", Type: "decision", Title: "Old dates", Importance: 1, State: "stale", Broken: 2, Decay: 40, UsedAt: day(4), Archived: "faded"},
		{ID: "m-5", Type: "decision", Title: "Dates at the border", Importance: 3, State: "valid", Decay: 24, UsedAt: day(5)},
	}
	for _, c := range []struct {
		name  string
		f     Filter
		want  string
		count int
	}{
		{"broken ones first, then the most faded", Filter{}, "m-2 m-3 m-5 m-1", 4},
		{"by decay", Filter{Order: "decay"}, "m-2 m-3 m-5 m-1", 4},
		{"last used first", Filter{Order: "used"}, "m-5 m-2 m-3 m-1", 4},
		{"by importance, then the most faded", Filter{Order: "importance"}, "m-2 m-3 m-5 m-1", 4},
		{"a state", Filter{State: "valid"}, "m-5 m-1", 2},
		{"fading, but not the most important ones", Filter{State: memoryFading}, "m-3", 1}, // 24 is 0.8 of the threshold, and not above
		{"archived", Filter{State: memoryArchived}, "m-4", 1},
		{"a stale one that is archived is not listed", Filter{State: "stale"}, "m-2", 1},
		{"a type", Filter{Type: "decision"}, "m-5 m-1", 2},
		{"words of the title, in any case", Filter{Words: "dates UTC"}, "m-1", 1},
		{"an id", Filter{Words: "M-3"}, "m-3", 1},
		{"a type as a word", Filter{Words: "warning"}, "m-2", 1},
		{"words of two memories", Filter{Words: "jitter dates"}, "", 0},
		{"the first two", Filter{Most: 2}, "m-2 m-3", 4},
	} {
		s := Shelf{Memories: slices.Clone(all), Threshold: 30}
		s.choose(c.f)
		var ids []string
		for _, m := range s.Memories {
			ids = append(ids, m.ID)
		}
		if got := strings.Join(ids, " "); got != c.want || s.Count != c.count || s.Memories == nil {
			t.Errorf("%s: %q of %d", c.name, got, s.Count)
		}
		if !maps.Equal(s.States, map[string]int{"valid": 2, "stale": 1, "unverified": 1}) || !slices.Equal(s.Types, []string{"decision", "pattern", "warning"}) {
			t.Errorf("%s: %v, %q", c.name, s.States, s.Types)
		}
	}
	equal := Shelf{Memories: []Memory{{ID: "a", Importance: 2, Decay: 1, Broken: 1}, {ID: "b", Importance: 2, Decay: 2}, {ID: "c", Importance: 3, Decay: 0.5}}}
	for order, want := range map[string]string{"": "a", "decay": "b", "importance": "c"} {
		s := Shelf{Memories: slices.Clone(equal.Memories)}
		if s.choose(Filter{Order: order}); s.Memories[0].ID != want {
			t.Errorf("by %q: %s first", order, s.Memories[0].ID)
		}
	}
}
