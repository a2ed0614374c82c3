package sync_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// TestRefusedStandsUntilItIsSettled: later pushes keep it in the status. Retry sends a refused change once more, and discard drops it.
func TestRefusedStandsUntilItIsSettled(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	service := &sync.Service{DB: s.db}
	one, two := s.world.Add(providertest.Spec{Title: "one", Priority: 1}), s.world.Add(providertest.Spec{Title: "two", Priority: 1})
	s.pull(false)
	for _, id := range []string{one, two} {
		s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh)})
	}
	e := s.another()
	e.Tracker = &refusing{e.Tracker}
	_, err := e.Push(t.Context(), sync.Push{Now: true})
	s.must(err)
	s.edit(one, ticket.Edit{Comment: "something that is sent"})
	s.push()
	held := s.status().Held
	if len(held) != 2 || !held[0].Refused || held[0].Value != "3" || held[0].Reason != "no" || s.local(one).Priority != 1 {
		t.Fatalf("the status names %+v; here it is %d", held, s.local(one).Priority)
	}
	if _, err := service.Discard(t.Context(), s.caller, held[1].ID); err != nil {
		t.Fatal(err)
	}
	done, err := service.Retry(t.Context(), s.caller, "")
	s.must(err)
	if len(done.Changes) != 1 || done.Changes[0].ID != held[0].ID || s.local(one).Priority != int(work.PriorityHigh) || s.local(two).Priority != 1 {
		t.Errorf("sent once more: %+v", done)
	}
	if r := s.push(); r.Sent != 1 || s.remote(one).Priority != int(work.PriorityHigh) || s.remote(two).Priority != 1 || len(s.status().Held) != 0 {
		t.Errorf("%+v, %+v", r, s.status().Held)
	}
	if _, err := service.Retry(t.Context(), s.caller, held[0].ID); err == nil {
		t.Error("what was sent can be sent once more")
	}
}

// TestDiscardShowsTheTrackersValue, of each field that waits.
func TestDiscardShowsTheTrackersValue(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	people, labels := s.world.People(), s.world.Labels()
	id := s.world.Add(providertest.Spec{Title: "one", Priority: 1, Assignee: people[0], Labels: labels[:1]})
	s.pull(false)
	was := s.local(id)
	s.edit(id, ticket.Edit{Priority: ptr(work.PriorityHigh), Assignee: &people[1], Labels: ptr(labels[1:2]), Status: ptr(s.world.StatusOf(provider.Done)), Comment: "no"})
	_, err := (&sync.Service{DB: s.db}).Discard(t.Context(), s.caller, was.ID)
	s.must(err)
	now := s.local(id)
	if now.Priority != was.Priority || now.Assignee != was.Assignee || strings.Join(now.Labels, ",") != strings.Join(was.Labels, ",") || now.Status != was.Status || now.StatusCategory != was.StatusCategory {
		t.Errorf("here it is %+v, and was %+v", now, was)
	}
	if r := s.push(); r.Sent != 0 || r.Waiting != 0 || len(s.world.Comments(id)) != 0 {
		t.Errorf("%+v", r)
	}
}

// doubtful is a tracker that carries out a creation, loses the answer, and then cannot be asked for it for a while.
type doubtful struct {
	provider.Provider
	made  int
	fails []*provider.Error
}

func (d *doubtful) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	creator, _ := d.Provider.(provider.Creator)
	if len(d.fails) == 0 {
		return creator.Create(ctx, n)
	}
	fail := d.fails[0]
	d.fails = d.fails[1:]
	if n.Attempted.IsZero() && fail.Reason == provider.Uncertain {
		d.made++
		if _, err := creator.Create(ctx, n); err != nil {
			return nil, err
		}
	}
	return nil, fail
}

// TestALookThatFailsLeavesACreationInDoubt: whatever the tracker answers to the look, the ticket is made once, and is one ticket here.
func TestALookThatFailsLeavesACreationInDoubt(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		fail := func(r provider.Reason) *provider.Error { return provider.Fail(r, nil, "no") }
		_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Twin test", Remote: true})
		s.must(err)
		e := s.another()
		d := &doubtful{Provider: e.Tracker, fails: []*provider.Error{fail(provider.Uncertain), fail(provider.Forbidden), fail(provider.NotFound),
			fail(provider.Unavailable), fail(provider.Unauthorized), fail(provider.RateLimited), fail(provider.Protocol)}}
		e.Tracker = d
		for range d.fails {
			_, _ = e.Push(t.Context(), sync.Push{Now: true})
			if w := s.waiting(); len(w) != 1 || w[0].Status != outbox.Sending {
				t.Fatalf("it counts as %+v", w)
			}
			s.tracker.Clock.Advance(10 * time.Minute)
		}
		_, err = e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		s.pull(true)
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Everything: true})
		s.must(err)
		if d.made != 1 || len(s.world.IDs()) != 1 || len(page.Tickets) != 1 || len(s.waiting()) != 0 {
			t.Errorf("there %v, here %+v, waiting %+v", s.world.IDs(), page.Tickets, s.waiting())
		}
	})
}

// TestWhatWasCertainlyNotMadeIsMadeAtOnce: after an answer that excludes a success, there is no search for the ticket.
func TestWhatWasCertainlyNotMadeIsMadeAtOnce(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		for _, reason := range []provider.Reason{provider.Unauthorized, provider.RateLimited, provider.Offline} {
			_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Made once " + string(reason), Remote: true})
			s.must(err)
			e := s.another()
			d := &doubtful{Provider: e.Tracker, fails: []*provider.Error{provider.Fail(reason, nil, "no")}}
			e.Tracker = d
			if _, err := e.Push(t.Context(), sync.Push{Now: true}); !provider.Is(err, reason) {
				t.Fatalf("%s ends as %v", reason, err)
			}
			if r, err := e.Push(t.Context(), sync.Push{Now: true}); err != nil || r.Sent != 1 || len(r.Errors) != 0 {
				t.Errorf("after %s: %+v, %v", reason, r, err)
			}
		}
	})
}

// TestALaterValueTakesThePlaceOfOneInConflict: one change is sent once the conflict is settled, and the list of conflicts shows that value.
func TestALaterValueTakesThePlaceOfOneInConflict(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		doing, done, todo := s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done), s.world.StatusOf(provider.Todo)
		id := s.world.Add(providertest.Spec{Title: "one", Status: todo})
		s.pull(false)
		s.edit(id, ticket.Edit{Status: &doing})
		s.world.Edit(id, providertest.Edit{Status: ptr(s.world.StatusOf(provider.Done))})
		if r := s.pull(false); r.Conflicts != 1 {
			t.Fatalf("%+v", r)
		}
		s.edit(id, ticket.Edit{Status: &done})
		s.edit(id, ticket.Edit{Status: &doing})
		if c := s.conflicts(false); len(c) != 1 || c[0].Local != doing {
			t.Fatalf("the conflict shows %+v", c)
		}
		_, err := sync.Resolve(t.Context(), s.db, s.project, 0, s.conflicts(false)[0].ID, sync.KeepLocal)
		s.must(err)
		if r := s.push(); r.Sent != 1 || s.remote(id).Status != doing {
			t.Errorf("%+v, there it is %q", r, s.remote(id).Status)
		}
	})
}

// TestAValueThatIsTakenBackIsNoConflict: setting the value that both sides had leaves the field to the tracker.
func TestAValueThatIsTakenBackIsNoConflict(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		doing, done, todo := s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done), s.world.StatusOf(provider.Todo)
		id := s.world.Add(providertest.Spec{Title: "one", Status: todo})
		s.pull(false)
		s.edit(id, ticket.Edit{Status: &doing})
		s.world.Edit(id, providertest.Edit{Status: &done})
		s.pull(false)
		s.edit(id, ticket.Edit{Status: &todo})
		if r := s.push(); r.Sent != 0 || r.Waiting != 0 || len(s.conflicts(false)) != 0 || s.local(id).Status != done || s.remote(id).Status != done {
			t.Errorf("%+v, %+v, here %q", r, s.conflicts(false), s.local(id).Status)
		}
	})
}

// TestWhatCameBackIsLookedForDaily, also where no query for changes shows it.
func TestWhatCameBackIsLookedForDaily(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one"})
		s.world.Add(providertest.Spec{Title: "stays"})
		s.pull(false)
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, _, err := ticket.Leave(tx, s.project, string(s.world.Name()), id, "deleted")
			return err
		}))
		s.pull(false)
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE sync_state SET updated_at = ? WHERE stream = 'gone'`, registry.FormatTime(tx.Now().Add(-25*time.Hour)))
			return err
		}))
		s.pull(false)
		s.local(id)
	})
}

// wished is a tracker that records the requested states, and refuses them.
type wished struct {
	provider.Provider
	states []provider.Target
}

func (w *wished) Update(_ context.Context, _ *provider.Item, c provider.Change) (*provider.Item, error) {
	w.states = append(w.states, *c.Status)
	return nil, provider.Fail(provider.Invalid, nil, "no")
}

// TestTheNameOfAStateMeansThatState, also where the name is a word for a category. A category word means the category where the tracker has
// no state of that name.
func TestTheNameOfAStateMeansThatState(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	for _, c := range []struct {
		known []string
		given string
		want  provider.Target
	}{
		{[]string{"Done", "In Progress"}, "Done", provider.Target{Name: "Done"}},
		{[]string{"Done", "In Progress"}, "in progress", provider.Target{Name: "In Progress"}},
		{[]string{"Done", "Doing"}, "Done", provider.Target{Name: "Done"}},
		{[]string{"Closed", "Doing"}, "Closed", provider.Target{Name: "Closed"}},
		{nil, "done", provider.Target{Name: "done", Category: provider.Done}},
	} {
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			if _, err := tx.Exec(`DELETE FROM tracker_statuses`); err != nil {
				return err
			}
			for i, name := range c.known {
				category := map[bool]string{true: "in_progress", false: "done"}[i == 1]
				if _, err := tx.Exec(`INSERT INTO tracker_statuses (project_id, remote_id, name, name_key, category, position) VALUES (?, ?, ?, ?, ?, ?)`,
					s.project, name, name, strings.ToLower(name), category, i); err != nil {
					return err
				}
			}
			return nil
		}))
		s.edit(id, ticket.Edit{Status: &c.given})
		e := s.another()
		w := &wished{Provider: e.Tracker}
		e.Tracker = w
		_, err := e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		if len(w.states) != 1 || w.states[0] != c.want {
			t.Errorf("%q of %q asks for %+v, want %+v", c.given, c.known, w.states, c.want)
		}
	}
}
