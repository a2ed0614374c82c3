package sync_test

import (
	"context"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// failing is a tracker whose pulls and updates fail.
type failing struct {
	provider.Provider
	with  *provider.Error
	calls int
}

func (f *failing) Pull(context.Context, provider.Pull, func(provider.Page) error) error {
	f.calls++
	return f.with
}

func (f *failing) Update(context.Context, *provider.Item, provider.Change) (*provider.Item, error) {
	f.calls++
	return nil, f.with
}

// against returns an engine like that of another process, with a failing tracker.
func (s *side) against(reason provider.Reason) (*sync.Engine, *failing) {
	e := s.another()
	f := &failing{Provider: e.Tracker, with: provider.Fail(reason, nil, "no")}
	e.Tracker = f
	return e, f
}

// TestALimitIsForAllRuns: after a tracker asked for a pause, the next process does not call it either, and does once the time has come.
func TestALimitIsForAllRuns(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		s.pull(false)
		e, f := s.against(provider.RateLimited)
		f.with.RetryAt = s.tracker.Clock.Now().Add(10 * time.Minute)
		for range 2 {
			if _, err := e.Pull(t.Context(), false); !provider.Is(err, provider.RateLimited) {
				t.Fatalf("a limited pull ends with %v", err)
			}
		}
		if f.calls != 1 {
			t.Errorf("the tracker was called %d times, not once", f.calls)
		}
		if _, err := s.another().Push(t.Context(), sync.Push{Now: true}); !provider.Is(err, provider.RateLimited) {
			t.Errorf("a push within the limit ends with %v", err)
		}
		s.tracker.Clock.Advance(11 * time.Minute)
		s.pull(false)
		s.push()
	})
}

// TestRunsThatWereKilledAreTold: the log does not show a run as started when no process runs it.
func TestRunsThatWereKilledAreTold(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		s.pull(false)
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE sync_log SET status = 'started', completed_at = NULL`)
			return err
		}))
		s.pull(false)
		var st sync.Status
		s.must(s.db.Read(t.Context(), func(tx *registry.Tx) (err error) {
			st, err = sync.Look(s.db, tx, s.project, 5)
			return err
		}))
		if len(st.Log) != 2 || st.Log[1].Status != sync.Failed || st.Log[1].Errors != "it was cut off" {
			t.Errorf("the log is %+v", st.Log)
		}
	})
}

// TestAPushThatFailsSaysWhatWaits, and an attempt with a lost answer counts once.
func TestAPushThatFailsSaysWhatWaits(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one"})
		s.pull(false)
		s.edit(id, ticket.Edit{Labels: &[]string{"zeta"}})
		const waits = 1
		for _, reason := range []provider.Reason{provider.Offline, provider.Uncertain} {
			e, _ := s.against(reason)
			r, err := e.Push(t.Context(), sync.Push{Now: true})
			if r.Waiting != waits || (err == nil) != (reason == provider.Uncertain) {
				t.Errorf("%s: %d wait, not %d (%v)", reason, r.Waiting, waits, err)
			}
		}
		if c := s.waiting()[0]; c.Attempts != 2 {
			t.Errorf("two attempts count as %d", c.Attempts)
		}
	})
}

// refusing is a tracker that takes no changes of priorities.
type refusing struct{ provider.Provider }

func (r *refusing) Update(ctx context.Context, i *provider.Item, c provider.Change) (*provider.Item, error) {
	if c.Priority != nil || c.AddLink != nil {
		return nil, provider.Fail(provider.Invalid, nil, "no")
	}
	return r.Provider.Update(ctx, i, c)
}

// TestARefusedChangeLetsTheOthersGo: a refused change of a ticket is given up, and the same push sends those that wait behind it.
func TestARefusedChangeLetsTheOthersGo(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one", Priority: 1})
		s.pull(false)
		s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh)})
		s.edit(id, ticket.Edit{Status: ptr("done")})
		e := s.another()
		e.Tracker = &refusing{e.Tracker}
		r, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if len(r.Errors) != 1 || r.Sent != 1 || r.Waiting != 0 {
			t.Errorf("%+v", r)
		}
	})
}
