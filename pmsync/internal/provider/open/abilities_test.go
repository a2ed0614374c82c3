package open

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/asana"
	"github.com/agit-suite/agit/pmsync/internal/provider/azuredevops"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/jira"
	"github.com/agit-suite/agit/pmsync/internal/provider/linear"
)

// clients are clients of the trackers, which are only asked what they can do.
var clients = map[provider.Name]provider.Provider{provider.Linear: &linear.Client{}, provider.Jira: &jira.Client{}, provider.Asana: &asana.Client{}, provider.AzureDevOps: &azuredevops.Client{},
	provider.GitHub: &github.Client{}}

// abilities returns the rows of the table in docs/trackers.md: what pmsync can do with each tracker, from the interfaces that its client
// implements and from its row in kinds.
func abilities() (rows []string) {
	row := func(name string, can func(provider.Kind, provider.Provider) string) {
		cells := []string{name}
		for _, k := range provider.Kinds() {
			cells = append(cells, can(k, clients[k.Name]))
		}
		rows = append(rows, "| "+strings.Join(cells, " | ")+" |")
	}
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "–"}[b] }
	takes := func(f provider.Field) func(provider.Kind, provider.Provider) string {
		return func(k provider.Kind, _ provider.Provider) string {
			if key := k.Within[f]; key != "" {
				return "with `" + key + "`"
			}
			return yes(!slices.Contains(k.Lacks, f))
		}
	}
	row("creates tickets", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.Creator); return yes(ok) })
	row("writes comments", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.Commenter); return yes(ok) })
	row("lists sprints", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.SprintLister); return yes(ok) })
	row("finds people", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.UserFinder); return yes(ok) })
	row("looks up many tickets in one request", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.Checker); return yes(ok) })
	row("reports deletions by itself", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.Teller); return yes(ok) })
	row("needs a request of its own for files or pages", func(_ provider.Kind, p provider.Provider) string { _, ok := p.(provider.Attacher); return yes(ok) })
	row("writes points", takes(provider.FieldEstimate))
	row("writes a sprint", takes(provider.FieldSprint))
	row("writes custom fields", takes(provider.FieldCustom))
	row("writes relations", func(k provider.Kind, _ provider.Provider) string {
		if len(k.Relations) == len(provider.Relations()) {
			return "all"
		}
		var names []string
		for _, r := range k.Relations {
			names = append(names, "`"+string(r)+"`")
		}
		return strings.Join(names, ", ")
	})
	return rows
}

// TestAbilitiesAreDocumented: the table in docs/trackers.md is that of the code.
func TestAbilitiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "trackers.md"))
	if err != nil {
		t.Fatal(err)
	}
	if table := strings.Join(abilities(), "\n"); !strings.Contains(string(text), table+"\n\n") {
		t.Errorf("docs/trackers.md lacks the rows\n%s", table)
	}
	for _, k := range provider.Kinds() {
		if clients[k.Name] == nil || makers[k.Name] == nil {
			t.Errorf("%s has no client here, or no maker", k.Name)
		}
	}
}
