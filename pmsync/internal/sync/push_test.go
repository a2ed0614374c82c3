package sync_test

import (
	"context"
	"slices"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/work"
)

// TestAChangeIsGivenUpAfterSomeAttempts, so that one that the tracker never takes does
// not wait for good.
func TestAChangeIsGivenUpAfterSomeAttempts(t *testing.T) {
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Labels: &[]string{"zeta"}})
	e, f := s.against(provider.Unavailable)
	for attempt := 1; attempt <= 6; attempt++ {
		r, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if want := map[bool]int{true: 1}[attempt < 5]; r.Waiting != want || f.calls != min(attempt, 5) {
			t.Errorf("after %d attempts %d wait, want %d (%d calls)", attempt, r.Waiting, want, f.calls)
		}
	}
}

// TestEveryFieldIsSent, and of labels those that were taken away as well.
func TestEveryFieldIsSent(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		labels, person := s.world.Labels(), s.world.People()[0]
		id := s.world.Add(providertest.Spec{Title: "one", Priority: 1, Labels: labels[:2]})
		s.pull(false)
		s.edit(id, ticket.Edit{Labels: ptr(labels[1:3]), Priority: ptr(work.PriorityHigh), Assignee: &person})
		if r := s.push(); r.Sent != 3 || r.Waiting != 0 || len(r.Errors) != 0 {
			t.Errorf("%+v", r)
		}
		now, _ := s.world.Look(id)
		slices.Sort(now.Labels)
		if want := slices.Sorted(slices.Values(labels[1:3])); !slices.Equal(now.Labels, want) || now.Priority != int(work.PriorityHigh) || now.Assignee != person {
			t.Errorf("the tracker has %+v, want the labels %q", now, want)
		}
	})
}

// away is a tracker that says that its tickets are in another project now.
type away struct {
	provider.Provider
	updates int
}

func (a *away) Item(ctx context.Context, id string) (*provider.Item, error) {
	i, err := a.Provider.Item(ctx, id)
	if err == nil {
		i.Presence = provider.Moved
	}
	return i, err
}

func (a *away) Update(ctx context.Context, i *provider.Item, c provider.Change) (*provider.Item, error) {
	a.updates++
	return a.Provider.Update(ctx, i, c)
}

// TestNothingIsSentToATicketThatIsGone: what waits for it is given up, and told.
func TestNothingIsSentToATicketThatIsGone(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one", Priority: 1})
	s.pull(false)
	s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh)})
	e := s.another()
	moved := &away{Provider: e.Tracker}
	e.Tracker = moved
	r, err := e.Push(t.Context(), sync.Push{Now: true})
	s.must(err)
	if moved.updates != 0 || r.Sent != 0 || r.Waiting != 0 || len(r.Notes) != 1 {
		t.Errorf("%d updates, %+v", moved.updates, r)
	}
}
