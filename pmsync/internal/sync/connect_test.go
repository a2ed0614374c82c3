package sync

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// Connecting names the categories for which the configuration has to name a status.
func TestUnsettled(t *testing.T) {
	sections := []provider.Status{{ID: "1", Name: "Backlog", Category: provider.Todo}, {ID: "2", Name: "Doing", Category: provider.Todo}, {Name: "completed", Category: provider.Done}}
	said := strings.Join(unsettled(provider.Kind{}, sections, config.Provider{}, provider.Mapping{}), "\n")
	if want := `category_of = ["Doing=in_progress"] settles it (there are Backlog, Doing;`; !strings.Contains(said, want) {
		t.Errorf("%q does not say %q", said, want)
	}
	sections[1].Category = provider.InProgress
	if said := unsettled(provider.Kind{}, sections, config.Provider{}, provider.Mapping{}); said != nil {
		t.Errorf("a settled project is told %q", said)
	}
	sections = append(sections, provider.Status{ID: "3", Name: "Review", Category: provider.InProgress})
	if said := unsettled(provider.Kind{}, sections, config.Provider{}, provider.Mapping{}); len(said) != 1 || !strings.Contains(said[0], `in_progress may mean Doing or Review`) {
		t.Errorf("a team with two statuses in progress is told %q", said)
	}
	sections = append(sections, provider.Status{ID: "4", Name: "Merged", Category: provider.Done}, provider.Status{ID: "5", Name: "Shipped", Category: provider.Done})
	if said := unsettled(provider.Kind{}, sections, config.Provider{}, provider.Mapping{}); len(said) != 1 || !strings.Contains(said[0], `state_for = ["in_progress=Doing", "done=Shipped"]`) {
		t.Errorf("a team with two open categories is not told what to write for both: %q", said)
	}
	sections = sections[:3]
	if said := unsettled(provider.Kind{}, sections, config.Provider{}, provider.Mapping{State: map[provider.Category]string{provider.InProgress: "Doing"}}); said != nil {
		t.Errorf("a settled team is told %q", said)
	}
}

// TestAllGapsAreNamedAtOnce: the statuses in progress, the state to go to, and priorities.
func TestAllGapsAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	asana, _ := provider.KindOf(provider.Asana)
	all := []provider.Status{{ID: "1", Name: "Triage", Category: provider.Todo}, {ID: "2", Name: "Ready", Category: provider.Todo}, {ID: "3", Name: "Shipped", Category: provider.Done}}
	said := unsettled(asana, all, config.Provider{}, provider.Mapping{})
	if len(said) != 3 || !strings.Contains(said[0], "what is in progress is not known") || !strings.Contains(said[1], `state_for = ["todo=Ready"]`) || !strings.Contains(said[2], "priority_field") {
		t.Errorf("%q", said)
	}
	if said := unsettled(asana, all[1:], config.Provider{PriorityField: "Priority"}, provider.Mapping{Category: nil}); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// TestMissingCredentials: the error names the page, the rights and a command for each credential.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	jira, _ := provider.KindOf(provider.Jira)
	err := needs(jira, []string{"providers.jira.url", "providers.jira.email", "providers.jira.api_token"})
	hint := fault.From(err).Hint
	for _, part := range []string{"https://id.atlassian.com/", "`pmsync config set providers.jira.url VALUE`", "`pmsync config set providers.jira.email VALUE`", "`pmsync config set providers.jira.api_token -`",
		"`providers.jira.api_token_command`"} {
		if !strings.Contains(hint, part) {
			t.Errorf("%q does not name %q", hint, part)
		}
	}
}

// TestPropose: meanings are guessed by words where the tracker does not define what is in progress, and so is the status to go to.
// Configured meanings stay, and nothing is guessed without a word.
func TestPropose(t *testing.T) {
	t.Parallel()
	todo := func(names ...string) (all []provider.Status) {
		for _, name := range names {
			all = append(all, provider.Status{ID: name, Name: name, Category: provider.Todo})
		}
		return all
	}
	sections := todo("To do", "Doing", "In review", "Done", "Won't do", "Incomplete")
	p, then := propose(sections, config.Provider{}, provider.Mapping{})
	want := []string{`category_of = ["Doing=in_progress", "In review=in_progress", "Done=done", "Won't do=canceled"]`, `state_for = ["todo=To do", "in_progress=Doing"]`}
	if got := p.Lines(); !slices.Equal(got, want) || then[4].Category != provider.Canceled || sections[1].Category != provider.Todo {
		t.Errorf("%q, %+v", got, then)
	}
	cfg := config.Provider{CategoryOf: []string{"In review=todo"}, StateFor: []string{"todo=To do"}}
	p, _ = propose(sections, cfg, provider.Mapping{Category: map[string]provider.Category{"In review": provider.Todo}, State: map[provider.Category]string{provider.Todo: "To do"}})
	if got := p.Lines(); !slices.Equal(got, []string{`category_of = ["In review=todo", "Doing=in_progress", "Done=done", "Won't do=canceled"]`}) {
		t.Errorf("beside what is configured: %q", got)
	}
	if p, _ := propose(todo("Ready", "Shipped"), config.Provider{}, provider.Mapping{}); p.CategoryOf != nil || len(p.StateFor) != 1 {
		t.Errorf("without a word: %+v", p)
	}
	known := append(todo("Open"), provider.Status{ID: "d", Name: "Done", Category: provider.InProgress}, provider.Status{ID: "x", Name: "Shipped", Category: provider.Done})
	if p, _ := propose(known, config.Provider{}, provider.Mapping{}); !p.Empty() {
		t.Errorf("where the tracker says it: %+v", p)
	}
}
