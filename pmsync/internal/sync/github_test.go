package sync_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
)

// TestAnIssueIsFoundAsPeopleNameIt: by its key, by its number with a hash, and with its
// repository.
func TestAnIssueIsFoundAsPeopleNameIt(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["github"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	for _, name := range []string{"GH-1", "gh-1", "#1", "octo/app#1"} {
		s.must(s.db.Read(t.Context(), func(tx *registry.Tx) error {
			got, err := ticket.Find(tx, s.project, "ticket", name)
			if err != nil || got.ProviderID != id || got.ID != "GH-1" {
				t.Errorf("%s is %q, %v", name, got.ID, err)
			}
			return nil
		}))
	}
}
