package sync

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
)

// Some errors end a pull or push, others affect only one ticket.
func TestEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[provider.Reason]bool{
		provider.Offline: true, provider.RateLimited: true, provider.Unauthorized: true,
		provider.NotFound: false, provider.Forbidden: false, provider.Invalid: false, provider.Ambiguous: false, provider.Unsupported: false,
		provider.Protocol: false, provider.Unavailable: false, provider.Uncertain: false, provider.Changed: false,
	} {
		if got := ends(fmt.Errorf("around: %w", provider.Fail(reason, nil, "no"))); got != want {
			t.Errorf("%s ends it: %v", reason, got)
		}
	}
	if !ends(errors.New("of our own")) {
		t.Error("an error that is not the tracker's goes on")
	}
}

// The item is at fault when another try to store it would fail as well.
func TestRefused(t *testing.T) {
	t.Parallel()
	busy := fault.Conflict("ticket", "A-1", "busy")
	busy.Retryable = true
	for _, c := range []struct {
		err  error
		want bool
	}{
		{fault.Validation("title", "no title"), true},
		{fault.Conflict("ticket", "A-1", "its key is another's"), true},
		{busy, false},
		{fault.Conflict("project", "p", "another process syncs it"), false},
		{fault.Database(nil, "the disk is full"), false},
		{errors.New("canceled"), false},
		{nil, false},
	} {
		if got := refused(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

func TestCreations(t *testing.T) {
	t.Parallel()
	var waiting []outbox.Change
	add := func(n int, kind, status string) {
		for range n {
			waiting = append(waiting, outbox.Change{Row: int64(len(waiting)), Type: kind, Status: status})
		}
	}
	add(2, outbox.Create, outbox.Sending)
	add(1, outbox.Status, outbox.Pending)
	add(1, outbox.Create, outbox.Failed)
	add(22, outbox.Create, outbox.Pending)
	now, all := creations(waiting, true)
	if len(now) != 24 || all != 24 || now[0].Row != 0 || now[2].Row != 4 {
		t.Errorf("a push makes %d of %d: %+v", len(now), all, now)
	}
	if now, all := creations(waiting, false); len(now) != 2 || all != 2 {
		t.Errorf("a pull makes %d of %d", len(now), all)
	}
	add(10, outbox.Create, outbox.Pending)
	if now, all := creations(waiting, true); len(now) != maxCreations || all != 34 {
		t.Errorf("a push makes %d of %d", len(now), all)
	}
}

// The kinds of trackers, by how they report what is gone.
type (
	silent struct{ provider.Provider }
	checks struct {
		provider.Provider
		provider.Checker
	}
	tells struct {
		provider.Provider
		provider.Teller
	}
	both struct {
		provider.Provider
		provider.Checker
		provider.Teller
	}
)

func TestCheckedDaily(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tracker provider.Provider
		want    bool
	}{"silent": {silent{}, false}, "checks": {checks{}, true}, "tells": {tells{}, false}, "both": {both{}, false}} {
		if got := checkedDaily(c.tracker); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAllMovedAndTooManyLost(t *testing.T) {
	t.Parallel()
	gone := func(n int, where provider.Where) (all []provider.Presence) {
		for range n {
			all = append(all, provider.Presence{Where: where})
		}
		return all
	}
	for _, c := range []struct {
		gone          []provider.Presence
		asked, listed int
		want          bool
	}{
		{gone(5, provider.Moved), 5, 0, true},
		{gone(5, provider.Moved), 5, 1, false},
		{gone(4, provider.Moved), 5, 0, false},
		{gone(1, provider.Moved), 1, 0, false},
		{gone(5, provider.Deleted), 5, 0, false},
		{append(gone(4, provider.Moved), gone(1, provider.Deleted)...), 5, 0, false},
	} {
		if got := allMoved(c.gone, c.asked, c.listed); got != c.want {
			t.Errorf("%d of %d, listed %d: %v", len(c.gone), c.asked, c.listed, got)
		}
	}
	for _, c := range []struct {
		unknown, listed int
		want            bool
	}{{5, 0, false}, {6, 0, true}, {6, 6, false}, {7, 6, true}} {
		if got := tooManyLost(c.unknown, c.listed); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestLetsGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		category provider.Category
		where    provider.Where
		want     bool
	}{
		{provider.Done, provider.Moved, true}, {provider.Canceled, provider.Moved, true}, {provider.Todo, provider.Deleted, true},
		{provider.InProgress, provider.Moved, false}, {provider.Todo, provider.Archived, false},
	} {
		if got := letsGo(&provider.Item{Status: provider.Status{Category: c.category}, Presence: c.where}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
