package review

import (
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// A landing returned before the work was shown is history; one returned with the waiting state is not.
func TestOutdates(t *testing.T) {
	at := func(minute int) timestamp.Time {
		return timestamp.Time{Time: time.Date(2026, 11, 22, 12, minute, 0, 0, time.UTC)}
	}
	ended := at(10)
	returned := land.Landing{Worktree: "w-1", State: land.Returned, Tip: "aaa", FinishedAt: &ended}
	landed := returned
	landed.State = land.Landed
	for name, c := range map[string]struct {
		waits *Review
		l     land.Landing
		want  bool
	}{
		"no review":                   {nil, returned, false},
		"shown later":                 {&Review{Worktree: "w-1", Tip: "aaa", AskedAt: at(11)}, returned, true},
		"shown anew with new commits": {&Review{Worktree: "w-1", Tip: "bbb", AskedAt: at(9)}, returned, true},
		"returned when accepted":      {&Review{Worktree: "w-1", Tip: "aaa", AskedAt: at(9)}, returned, false},
		"of another worktree":         {&Review{Worktree: "w-2", Tip: "bbb", AskedAt: at(11)}, returned, false},
		"landed":                      {&Review{Worktree: "w-1", Tip: "bbb", AskedAt: at(11)}, landed, false},
	} {
		if got := c.waits.Outdates(c.l); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Without a summary the landing has a message of its own.
func TestMessage(t *testing.T) {
	for _, c := range []struct{ branch, task, summary, want string }{
		{"agit/x", "Log in", "", ""},
		{"agit/x", "Log in\nwith a form", "Done.", "Merge branch 'agit/x'\n\nLog in\n\nDone."},
		{"agit/x", "", "Done.", "Merge branch 'agit/x'\n\nDone."},
	} {
		if got := Message(c.branch, c.task, c.summary); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A decision stays, and the refusal of another one names it.
func TestDecidedOnce(t *testing.T) {
	for state, want := range map[State]string{Waiting: "", Accepted: "was accepted already", Returned: "was returned already", Withdrawn: "was withdrawn already"} {
		err := (Review{Worktree: "w-1", State: state}).waits("returned", "")
		if want == "" && err != nil || want != "" && (!fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", state, err)
		}
	}
	waiting := Review{Worktree: "w-1", State: Waiting, Tip: "new"}
	if err := waiting.waits("accepted", "old"); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "shown anew") {
		t.Errorf("other commits than were looked at: %v", err)
	}
	if err := waiting.waits("accepted", "new"); err != nil {
		t.Errorf("what was looked at: %v", err)
	}
}
