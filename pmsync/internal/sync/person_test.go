package sync_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
)

// TestAPersonIsMatchedExactly: a part of a name is an error that names the people with similar names.
func TestAPersonIsMatchedExactly(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one", Assignee: s.world.People()[1]})
		s.pull(false)
		name := s.local(id).AssigneeName
		other := s.world.Add(providertest.Spec{Title: "two"})
		s.pull(false)
		s.edit(other, ticket.Edit{Assignee: ptr(name[1:3])})
		if r := s.push(); r.Sent != 0 || len(r.Errors) != 1 || s.remote(other).Assignee != "" || !strings.Contains(r.Errors[0], name) {
			t.Errorf("a part of %q: %+v, assigned to %q", name, r, s.remote(other).Assignee)
		}
		_, err := (&sync.Service{DB: s.db}).Discard(t.Context(), s.caller, s.local(other).ID)
		s.must(err)
		s.edit(other, ticket.Edit{Assignee: ptr(strings.ToUpper(name))})
		if r := s.push(); r.Sent != 1 || s.remote(other).Assignee != s.world.People()[1] {
			t.Errorf("the whole of %q: %+v, assigned to %q", name, r, s.remote(other).Assignee)
		}
	})
}

// TestPersonByAddress: a whole address means one person, where trackers show addresses.
func TestPersonByAddress(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"linear", "jira", "asana", "azure_devops"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSide(t, harnesses[name]())
			id := s.world.Add(providertest.Spec{Title: "one"})
			s.pull(false)
			s.edit(id, ticket.Edit{Assignee: ptr("bob@example.com")})
			if r := s.push(); r.Sent != 1 || s.remote(id).Assignee != s.world.People()[1] {
				t.Errorf("%+v; it is assigned to %q", r, s.remote(id).Assignee)
			}
		})
	}
}

// TestAPersonWhomNoOneKnows is refused with the same words on every tracker, and a sprint that does not exist is refused before anything is
// queued.
func TestAPersonWhomNoOneKnows(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one"})
		s.pull(false)
		s.edit(id, ticket.Edit{Assignee: ptr("nobodyhere")})
		for range 2 { // GitHub drops the assignee; no tracker accepts it
			if r := s.push(); r.Sent != 0 || s.remote(id).Assignee != "" {
				t.Errorf("%+v", r)
			}
		}
		held := s.status().Held
		if len(held) != 1 || !strings.Contains(held[0].Reason, `"nobodyhere"`) || strings.Contains(held[0].Reason, "Entity") || strings.Contains(held[0].Reason, "status 4") {
			t.Errorf("%+v", held)
		}
		_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "two", Remote: true, At: string(s.world.Name()), Sprint: ticket.Ref{Name: "No such"}})
		kind, _ := provider.KindOf(s.world.Name())
		if lacks := slices.Contains(kind.Lacks, provider.FieldSprint); fault.Is(err, fault.KindNotFound) == lacks {
			t.Errorf("a sprint that does not exist: %v", err)
		}
	})
}
