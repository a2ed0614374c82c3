package sync_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/config"
)

// TestHeed: a configured meaning of a status counts without a pull, for the tickets in that status and for changes. A completed ticket
// stays done whatever its status means.
func TestHeed(t *testing.T) {
	t.Parallel()
	h := conformance.Asana()
	h.Mapping = provider.Mapping{State: map[provider.Category]string{provider.Todo: "To do"}}
	s := newSide(t, h)
	doing, done := s.world.Add(providertest.Spec{Title: "one", Status: "Doing"}), s.world.Add(providertest.Spec{Title: "two", Status: "Done"})
	s.pull(false)
	if got := s.local(doing); got.Status != "Doing" || got.StatusCategory != ticket.Todo {
		t.Fatalf("%+v", got)
	}
	was := s.local(done)
	cfg := config.Default()
	cfg.Provider.Name = string(provider.Asana)
	service := &sync.Service{DB: s.db}
	s.must(service.Heed(t.Context(), s.caller, cfg)) // nothing is configured
	if got := s.local(doing).StatusCategory; got != ticket.Todo {
		t.Errorf("without a meaning it means %s", got)
	}
	cfg.Provider.CategoryOf = []string{"doing=in_progress", "No such=done"}
	for range 2 {
		s.must(service.Heed(t.Context(), s.caller, cfg))
		if got := s.local(doing); got.Status != "Doing" || got.StatusCategory != ticket.InProgress {
			t.Errorf("it means %s", got.StatusCategory)
		}
		if got := s.local(done); got.StatusCategory != was.StatusCategory || got.Status != was.Status {
			t.Errorf("another one means %s", got.StatusCategory)
		}
	}
	word := "in_progress"
	if _, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(done).ID, ticket.Edit{Status: &word}); err != nil {
		t.Errorf("to what is configured: %v", err)
	}
	cfg.Provider.Name = "jira" // the tickets are in another one
	cfg.Provider.CategoryOf = []string{"Doing=done"}
	s.must(service.Heed(t.Context(), s.caller, cfg))
	if got := s.local(doing).StatusCategory; got != ticket.InProgress {
		t.Errorf("by another tracker's configuration it means %s", got)
	}
}
