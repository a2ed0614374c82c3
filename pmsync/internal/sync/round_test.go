package sync_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
)

// TestAQuietRoundOfAWatchIsCheap: a pull and a push with a client of their own make the tracker's quiet requests and no others, so that a
// team's mirror can be a minute old.
func TestAQuietRoundOfAWatchIsCheap(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		s.world.Add(providertest.Spec{Title: "one"})
		id := s.world.Add(providertest.Spec{Title: "two"})
		round := func() {
			s.tracker.Clock.Advance(time.Minute)
			s.engine = s.another()
			s.engine.Tracker = s.tracker.Client(s.tracker.H.Secret, 20*time.Second, s.tracker.H.Mapping)
			_, err := s.engine.Pull(t.Context(), false)
			s.must(err)
			_, err = s.engine.Push(t.Context(), sync.Push{Due: true})
			s.must(err)
		}
		for range 20 { // the tracker's late updates are visible
			round()
		}
		before := s.world.Requests()
		for range 5 {
			round()
		}
		if n := s.world.Requests() - before; n > 5*s.tracker.H.Quiet {
			t.Errorf("five rounds take %d requests, and a pull that brings nothing %d", n, s.tracker.H.Quiet)
		}
		s.world.Edit(id, providertest.Edit{Title: ptr("another title")})
		round()
		if got := s.local(id).Title; got != "another title" {
			t.Errorf("after a round of a minute it is %q", got)
		}
	})
}
