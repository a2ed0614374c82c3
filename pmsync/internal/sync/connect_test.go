package sync

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Connecting says for which categories the configuration has to name a status.
func TestUnsettled(t *testing.T) {
	sections := []provider.Status{{ID: "1", Name: "Backlog", Category: provider.Todo}, {ID: "2", Name: "Doing", Category: provider.Todo}, {Name: "completed", Category: provider.Done}}
	said := strings.Join(unsettled(provider.Asana, sections, provider.Mapping{}), "\n")
	for _, want := range []string{`todo may mean Backlog or Doing: state_for = ["todo=Backlog"]`, `no status means in_progress yet: category_of = ["NAME=in_progress"]`} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
	sections[1].Category = provider.InProgress
	if said := unsettled(provider.Asana, sections, provider.Mapping{}); said != nil {
		t.Errorf("a settled project is told %q", said)
	}
	sections = append(sections, provider.Status{ID: "3", Name: "Review", Category: provider.InProgress})
	if said := unsettled(provider.Linear, sections, provider.Mapping{State: map[provider.Category]string{provider.InProgress: "Doing"}}); said != nil {
		t.Errorf("a settled team is told %q", said)
	}
	if said := unsettled(provider.Jira, sections, provider.Mapping{}); said != nil {
		t.Errorf("a workflow that decides by itself is told %q", said)
	}
}
