package sync_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
)

// TestAPersonIsMatchedExactly: a part of a name is a question, and is answered with who is
// alike.
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
