package sync

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Connecting says for which categories the configuration has to name a status.
func TestUnsettled(t *testing.T) {
	sections := []provider.Status{{ID: "1", Name: "Backlog", Category: provider.Todo}, {ID: "2", Name: "Doing", Category: provider.Todo}, {Name: "completed", Category: provider.Done}}
	said := strings.Join(unsettled(sections, provider.Mapping{}), "\n")
	if want := `category_of = ["Doing=in_progress"] says it (there are Backlog, Doing)`; !strings.Contains(said, want) {
		t.Errorf("%q does not say %q", said, want)
	}
	sections[1].Category = provider.InProgress
	if said := unsettled(sections, provider.Mapping{}); said != nil {
		t.Errorf("a settled project is told %q", said)
	}
	sections = append(sections, provider.Status{ID: "3", Name: "Review", Category: provider.InProgress})
	if said := unsettled(sections, provider.Mapping{}); len(said) != 1 || !strings.Contains(said[0], `in_progress may mean Doing or Review`) {
		t.Errorf("a team with two statuses in progress is told %q", said)
	}
	sections = append(sections, provider.Status{ID: "4", Name: "Merged", Category: provider.Done}, provider.Status{ID: "5", Name: "Shipped", Category: provider.Done})
	if said := unsettled(sections, provider.Mapping{}); len(said) != 1 || !strings.Contains(said[0], `state_for = ["in_progress=Doing", "done=Merged"]`) {
		t.Errorf("a team with two open categories is not told what to write for both: %q", said)
	}
	sections = sections[:3]
	if said := unsettled(sections, provider.Mapping{State: map[provider.Category]string{provider.InProgress: "Doing"}}); said != nil {
		t.Errorf("a settled team is told %q", said)
	}
}
