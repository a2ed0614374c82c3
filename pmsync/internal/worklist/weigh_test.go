package worklist

import (
	"strings"
	"testing"
)

// A suggestion's score is the sum of its reasons. The weightiest is named first.
func TestWeigh(t *testing.T) {
	t.Parallel()
	all := SuggestQuery{Mine: true, Blockers: true, Criteria: true}
	const today = "2026-11-27"
	for _, c := range []struct {
		name string
		q    SuggestQuery
		s    func(*Suggestion)
		want int
		why  string
	}{
		{"nothing", all, func(*Suggestion) {}, 0, "nothing blocks it"},
		{"medium", all, func(s *Suggestion) { s.Priority = 2 }, 20, "nothing blocks it"},
		{"high", all, func(s *Suggestion) { s.Priority = 3 }, 30, "its priority is high"},
		{"critical", all, func(s *Suggestion) { s.Priority = 4 }, 40, "its priority is critical"},
		{"mine", all, func(s *Suggestion) { s.own = true }, 25, "it is yours"},
		{"mine, not asked for", SuggestQuery{}, func(s *Suggestion) { s.own = true }, 0, "nothing blocks it"},
		{"one waits", all, func(s *Suggestion) { s.Unblocks, s.unblocks = 1, []string{"A"} }, 8, "it unblocks 1 other: A"},
		{"three wait", all, func(s *Suggestion) { s.Unblocks, s.unblocks = 3, []string{"A", "B", "C"} }, 24, "it unblocks 3 others: A, B, C"},
		{"many wait", all, func(s *Suggestion) { s.Unblocks, s.unblocks = 5, []string{"A", "B", "C", "D", "E"} }, 32, "it unblocks 5 others: A, B, C …"},
		{"some wait, not asked for", SuggestQuery{}, func(s *Suggestion) { s.Unblocks = 2 }, 0, "nothing blocks it"},
		{"in the sprint", all, func(s *Suggestion) { s.inSprint, s.Sprint = true, "Week 47" }, 6, `it is in the running sprint "Week 47"`},
		{"was due", all, func(s *Suggestion) { s.DueDate = "2026-11-26" }, 20, "it was due on 2026-11-26"},
		{"due today", all, func(s *Suggestion) { s.DueDate = today }, 15, "it is due on 2026-11-27"},
		{"due soon", all, func(s *Suggestion) { s.DueDate = "2026-11-30" }, 15, "it is due on 2026-11-30"},
		{"due later", all, func(s *Suggestion) { s.DueDate = "2026-12-01" }, 0, "nothing blocks it"},
		{"begun", all, func(s *Suggestion) { s.verified, s.Criteria = 1, 1 }, 10, "1 criterion of 2 left"},
		{"all criteria verified", all, func(s *Suggestion) { s.verified = 1 }, 0, "nothing blocks it"},
		{"small", all, func(s *Suggestion) { s.Criteria = 3 }, 5, "it is small: 3 criteria"},
		{"neither small nor large", all, func(s *Suggestion) { s.Criteria = 4 }, 0, "nothing blocks it"},
		{"not large yet", all, func(s *Suggestion) { s.Criteria = 8 }, 0, "nothing blocks it"},
		{"large", all, func(s *Suggestion) { s.Criteria = 9 }, -5, "nothing blocks it"},
		{"large, not asked for", SuggestQuery{}, func(s *Suggestion) { s.Criteria = 9 }, 0, "nothing blocks it"},
		{"remembered", all, func(s *Suggestion) { s.Memories = 1 }, 4, "1 memory is about it"},
		{"often remembered", all, func(s *Suggestion) { s.Memories = 2 }, 4, "2 memories are about it"},
		{"several reasons", all, func(s *Suggestion) {
			s.Priority, s.own, s.Memories, s.DueDate = 4, true, 1, "2026-11-26"
		}, 89, "its priority is critical; it is yours; it was due on 2026-11-26; 1 memory is about it"},
	} {
		s := &Suggestion{}
		c.s(s)
		s.weigh(c.q, today)
		if s.Score != c.want || s.Explanation != c.why || strings.Join(s.Reasons, "; ") != c.why {
			t.Errorf("%s: %d, %s; want %d, %s", c.name, s.Score, s.Explanation, c.want, c.why)
		}
	}
	if day := soon("not a day"); day != "not a day" {
		t.Errorf("soon after what is not a day: %s", day)
	}
}
