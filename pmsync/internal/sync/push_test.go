package sync_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/work"
)

// TestNoCountOfServerErrorsEndsAChange: each push by a person tries it, automatic ones do when its time has come, and it is sent once the
// tracker accepts it.
func TestNoCountOfServerErrorsEndsAChange(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Labels: ptr(s.world.Labels()[:1])})
	e, f := s.against(provider.Unavailable)
	for attempt := 1; attempt <= 12; attempt++ {
		r, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if r.Waiting != 1 || f.calls != attempt {
			t.Fatalf("after %d attempts %d wait (%d calls)", attempt, r.Waiting, f.calls)
		}
	}
	if _, err := e.Push(t.Context(), sync.Push{Now: true, Due: true}); err != nil || f.calls != 12 {
		t.Errorf("a push that runs by itself did not wait: %d calls, %v", f.calls, err)
	}
	if held := s.status().Held; len(held) != 1 || held[0].Refused || held[0].Reason == "" {
		t.Errorf("the status names %+v", held)
	}
	if r := s.push(); r.Sent != 1 || r.Waiting != 0 || len(s.status().Held) != 0 {
		t.Errorf("once the tracker works: %+v, %+v", r, s.status().Held)
	}
}

// TestEveryFieldIsSent, and the removal of labels as well.
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

// away is a tracker that now reports its tickets as being in another project.
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

// TestWhatWaitsForATicketThatIsGoneIsKept: nothing is sent to the ticket, the status names the waiting changes, and they are sent when the
// ticket is back.
func TestWhatWaitsForATicketThatIsGoneIsKept(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one", Priority: 1})
		s.pull(false)
		s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh), Comment: "keep me"})
		e := s.another()
		moved := &away{Provider: e.Tracker}
		e.Tracker = moved
		for push := range 2 {
			r, err := e.Push(t.Context(), sync.Push{Now: true})
			s.must(err)
			if moved.updates != 0 || r.Sent != 0 || r.Waiting != 2 || len(r.Notes) != 1 || r.Deleted != map[int]int{0: 1}[push] || len(r.Errors) != 0 {
				t.Errorf("push %d: %d updates, %+v", push, moved.updates, r)
			}
		}
		if held := s.status().Held; len(held) != 2 || held[0].Refused || !strings.Contains(held[0].Reason, "moved to another project") {
			t.Errorf("the status names %+v", held)
		}
		if r := s.push(); r.Sent != 2 || r.Waiting != 0 {
			t.Errorf("when it is back: %+v", r)
		}
		if now := s.remote(id); now.Priority != int(work.PriorityHigh) || len(s.world.Comments(id)) != 1 || s.local(id).Priority != int(work.PriorityHigh) {
			t.Errorf("the tracker has %+v and %q", now, s.world.Comments(id))
		}
	})
}

// hidden is a tracker that does not find a ticket the first few times.
type hidden struct {
	provider.Provider
	times int
}

func (h *hidden) Item(ctx context.Context, id string) (*provider.Item, error) {
	if h.times--; h.times >= 0 {
		return nil, provider.Fail(provider.NotFound, nil, "not found")
	}
	return h.Provider.Item(ctx, id)
}

// TestOneNotFoundIsNotBelieved, two are.
func TestOneNotFoundIsNotBelieved(t *testing.T) {
	t.Parallel()
	for times, gone := range map[int]int{1: 0, 2: 1} {
		s := newSide(t, harnesses["jira"]())
		id := s.world.Add(providertest.Spec{Title: "one", Priority: 1})
		s.pull(false)
		s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh)})
		e := s.another()
		e.Tracker = &hidden{e.Tracker, times}
		r, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if r.Deleted != gone || r.Sent != 1-gone || r.Waiting != gone {
			t.Errorf("not found %d times: %+v", times, r)
		}
	}
}

// pretending is a tracker that reports success and does something else.
type pretending struct{ provider.Provider }

func (e *pretending) Update(ctx context.Context, i *provider.Item, _ provider.Change) (*provider.Item, error) {
	return e.Provider.Item(ctx, i.RemoteID)
}

// TestWhatWasNotTakenIsNotSent: a change that a tracker drops without an error is refused.
func TestWhatWasNotTakenIsNotSent(t *testing.T) {
	t.Parallel()
	for _, edit := range []func(*side) ticket.Edit{
		func(s *side) ticket.Edit { return ticket.Edit{Status: ptr(s.world.StatusOf(provider.Done))} },
		func(s *side) ticket.Edit { return ticket.Edit{Labels: ptr(s.world.Labels()[:1])} },
		func(s *side) ticket.Edit { return ticket.Edit{Assignee: ptr(s.world.People()[0])} },
		func(s *side) ticket.Edit { return ticket.Edit{Priority: ptr(work.PriorityHigh)} },
	} {
		s := newSide(t, harnesses["linear"]())
		id := s.world.Add(providertest.Spec{Title: "one"})
		s.pull(false)
		s.edit(id, edit(s))
		e := s.another()
		e.Tracker = &pretending{e.Tracker}
		r, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if held := s.status().Held; r.Sent != 0 || len(held) != 1 || !held[0].Refused || !strings.Contains(held[0].Reason, "reported success, but SEM-1 was to get") {
			t.Errorf("%+v, %+v", r, held)
		}
	}
}

// TestDryRunShowsWholeValues: of every line, and a new ticket by its present title.
func TestDryRunShowsWholeValues(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	labels := s.world.Labels()
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Labels: ptr(labels[:2])})
	made, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Old title", Remote: true, At: "linear"})
	s.must(err)
	_, err = s.tickets.Update(t.Context(), s.caller, "id", made.ID, ticket.Edit{Title: ptr("New title")})
	s.must(err)
	r, err := s.engine.Push(t.Context(), sync.Push{DryRun: true})
	s.must(err)
	if len(r.Planned) != 2 || len(strings.Split(r.Planned[0].To, "\n")) != 2 || r.Planned[1].To != "New title" || r.Planned[1].From != "" {
		t.Errorf("%+v", r.Planned)
	}
}
