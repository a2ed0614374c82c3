package review_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/registry"
)

// A forge returns only the waiting work; what was handed over before changes nothing.
func TestHandBack(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	fresh, calls := false, 0
	back := review.FromForge{Worktree: f.w, Tip: f.Tree(f.w).Head(), Number: 7, Why: "A check failed; password=hunter2secret.", Fresh: func(*registry.Tx) (bool, error) { calls++; return fresh, nil }}
	hand := func() (review.Review, bool) {
		v, done, err := f.store.HandBack(t.Context(), back, time.Hour)
		worktreetest.Must(t, err)
		return v, done
	}
	if _, done := hand(); done || calls != 0 {
		t.Error("nothing waits, and it came back")
	}
	f.show("A form.")
	if v, done := hand(); done || v.State != review.Waiting || calls != 1 {
		t.Errorf("given before: %+v", v)
	}
	fresh, back.Tip = true, "0123456789012345678901234567890123456789"
	if v, done := hand(); done || v.State != review.Waiting {
		t.Errorf("other work: %+v", v)
	}
	back.Tip = f.Tree(f.w).Head()
	v, done := hand()
	if !done || v.State != review.Returned || v.By != review.PulledBy(7) || !review.Pulled(v.By) || review.Pulled("person") || v.Why != "A check failed; password=[redacted password]." {
		t.Errorf("%+v", v)
	}
	f.show("Again.")
	back.Failed = true
	_, done = hand()
	d, err := f.tasks.Get(t.Context(), "T-1")
	if !done || err != nil || d.Status != task.Failed || f.last().State != review.Returned {
		t.Errorf("given up: %v, %s, %v", done, d.Status, err)
	}
}
