package registry

import (
	"fmt"
	"testing"
	"time"
)

// Numbers become visible in any order, and some never do. Each change is reported once, as soon as it is visible.
func TestFeedReportsEachChangeOnce(t *testing.T) {
	t.Parallel()
	now := time.Now()
	rows := func(seqs ...int64) (all []Change) {
		for _, s := range seqs {
			all = append(all, Change{Seq: s})
		}
		return all
	}
	f := newFeed(rows(7, 10)) // 8 and 9 may still come
	for i, step := range []struct {
		visible []Change // the changes above the floor
		later   time.Duration
		want    string
		floor   int64
	}{
		{rows(10), 0, "[]", 7},
		{rows(8, 10), 0, "[8]", 8},
		{rows(10, 12, 14), 0, "[12 14]", 8},
		{rows(9, 10, 12, 14), 0, "[9]", 10},
		{rows(11, 12, 13, 14), 0, "[11 13]", 14},
		{nil, 0, "[]", 14},
		{rows(16), 0, "[16]", 14},                      // 15 was rolled back
		{rows(16), lateCommit + time.Second, "[]", 16}, // and it is no longer waited for
		{rows(17), 0, "[17]", 17},
	} {
		now = now.Add(step.later)
		var got []int64
		for _, c := range f.take(step.visible, now) {
			got = append(got, c.Seq)
		}
		if fmt.Sprint(got) != step.want || f.floor != step.floor {
			t.Errorf("step %d: %v above %d, not %s above %d", i, got, f.floor, step.want, step.floor)
		}
	}
	if f.isWaiting() || len(f.done) > 0 {
		t.Errorf("it still waits for %v, with %v kept", f.missing, f.done)
	}
}
