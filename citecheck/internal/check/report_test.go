package check

import (
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/agit-suite/agit/citecheck/internal/history"
)

func TestConfidence(t *testing.T) {
	for _, tc := range []struct {
		right, checkable, confirms, disputes int
		want                                 float64
	}{
		{2, 2, 0, 0, 1}, {1, 2, 0, 0, 0.5}, {0, 3, 5, 0, 0}, {0, 0, 1, 0, 0},
		{2, 2, 0, 1, 0.5}, {2, 2, 1, 1, 2.0 / 3}, {1, 2, 3, 1, 0.4},
	} {
		if got := Confidence(tc.right, tc.checkable, tc.confirms, tc.disputes); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("Confidence%v = %v", tc, got)
		}
	}
}

// The last vote of each agent on the memory's current text counts.
func TestTally(t *testing.T) {
	vote := func(agent, vote, statement string) history.Vote {
		return history.Vote{Agent: agent, Vote: vote, Statement: statement}
	}
	for _, tc := range []struct {
		votes              []history.Vote
		confirms, disputes int
	}{
		{nil, 0, 0},
		{slices.Repeat([]history.Vote{vote("ann", history.Confirm, "now")}, 10), 1, 0},
		{[]history.Vote{vote("ann", history.Confirm, "now"), vote("bob", history.Confirm, "now"), vote("ann", history.Dispute, "now")}, 1, 1},
		{[]history.Vote{vote("ann", history.Dispute, "then"), vote("ann", history.Confirm, "now")}, 1, 0},
		{[]history.Vote{vote("ann", history.Confirm, "now"), vote("ann", history.Dispute, "then")}, 1, 0},
		{[]history.Vote{vote("", history.Dispute, "now"), vote("", history.Dispute, "now")}, 0, 1},
	} {
		if confirms, disputes := tally(tc.votes, "now"); confirms != tc.confirms || disputes != tc.disputes {
			t.Errorf("%v: %d confirm, %d dispute", tc.votes, confirms, disputes)
		}
	}
}

// The bound agrees with published values, stays within the share, and grows with
// the number of checks.
func TestWilson(t *testing.T) {
	for _, tc := range []struct {
		right, all int
		want       float64
	}{{0, 0, 0}, {1, 1, 0.2065}, {10, 10, 0.7225}, {5, 10, 0.2366}, {100, 100, 0.9630}, {0, 10, 0}} {
		if got := Wilson(tc.right, tc.all); math.Abs(got-tc.want) > 1e-4 {
			t.Errorf("Wilson(%d, %d) = %.4f, want %.4f", tc.right, tc.all, got, tc.want)
		}
	}
	err := quick.Check(func(a, b uint16) bool {
		all := int(b%1000) + 1
		right := int(a) % (all + 1)
		w := Wilson(right, all)
		return w >= 0 && w <= float64(right)/float64(all)+1e-9 && w <= Wilson(2*right, 2*all)+1e-9
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func TestSplitRange(t *testing.T) {
	for given, want := range map[string][2]string{
		"a..b": {"a", "b"}, "a...b": {"a", "b"}, "a..": {"a", "HEAD"}, "a": {"a", ""}, "HEAD~1": {"HEAD~1", ""},
	} {
		if base, head, err := SplitRange(given); err != nil || base != want[0] || head != want[1] {
			t.Errorf("%q: %q %q %v", given, base, head, err)
		}
	}
	for _, given := range []string{"", "..", "..b"} {
		if _, _, err := SplitRange(given); err == nil {
			t.Errorf("%q is a range", given)
		}
	}
}
