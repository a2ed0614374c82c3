package sync

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Everything that is said about the statuses of a tracker: what they mean, what is unclear, and the settings that would clear it up.
func TestGaps(t *testing.T) {
	t.Parallel()
	asana, _ := provider.KindOf(provider.Asana)
	linear, _ := provider.KindOf(provider.Linear)
	statuses := func(list string) (all []provider.Status) {
		for i, one := range strings.Split(list, "; ") {
			name, category, _ := strings.Cut(one, "=")
			s := provider.Status{ID: fmt.Sprint(i + 1), Name: name, Category: provider.Category(category)}
			if rest, found := strings.CutPrefix(name, "!"); found { // one without an id
				s.ID, s.Name = "", rest
			}
			all = append(all, s)
		}
		return all
	}
	var b strings.Builder
	for _, list := range []string{
		"To do=todo; Doing=in_progress; Done=done", "To do=todo; Doing=todo; Done=todo", "Triage=todo; Ready=todo; Shipped=done", "Backlog=todo; To do=todo; In review=todo; Won't do=todo; !completed=done", "One=todo; Two=todo; Three=todo",
		"A=todo; B=in_progress; C=in_progress; D=done; E=done; F=canceled; B=in_progress", "!completed=done", "Open=todo; Progress=in_progress; Working=in_progress; Closed=done; Released=done; Rejected=canceled",
	} {
		for _, kind := range []provider.Kind{linear, asana} {
			all, k, cfg := statuses(list), kind, config.Provider{}
			p, then := propose(all, cfg, provider.Mapping{})
			fmt.Fprintf(&b, "%s: %s\n\tmeanings %q\n\tunsettled %q\n\tproposed %q\n\tleft %q\n", kind.Name, list, meanings(all), unsettled(k, all, cfg, provider.Mapping{}), p.Lines(), beyond(k, then, cfg))
		}
		cfg := config.Provider{PriorityField: "Priority", CategoryOf: []string{"Two=in_progress"}, StateFor: []string{"todo=To do"}}
		m := provider.Mapping{Category: map[string]provider.Category{"Two": provider.InProgress, "Doing": provider.Todo}, State: map[provider.Category]string{provider.Todo: "To do"}}
		p, then := propose(statuses(list), cfg, m)
		fmt.Fprintf(&b, "configured: %s\n\tunsettled %q\n\tproposed %q, empty %t\n\tleft %q\n", list, unsettled(asana, statuses(list), cfg, m), p.Lines(), p.Empty(), beyond(asana, then, cfg))
	}
	for _, name := range []string{"linear", "Azure-DevOps", "github", "trello", ""} {
		k, err := KindNamed(name)
		hint := ""
		if f := fault.From(err); f != nil {
			hint = f.Hint
		}
		fmt.Fprintf(&b, "%q is %s, %v (%s)\n", name, k.Name, err, hint)
	}
	for _, k := range provider.Kinds() {
		var keys []string
		for _, key := range k.Needs {
			keys = append(keys, "providers."+key)
		}
		f := fault.From(needs(k, keys))
		fmt.Fprintf(&b, "%s needs: %s: %s; %s\n", k.Name, f.Field, f.Message, f.Hint)
	}
	clitest.Golden(t, filepath.Join("testdata", "gaps.txt"), b.String())
}

// The values of every field of a ticket, in the form of changes, and whether a value is the same as the tracker's.
func TestValues(t *testing.T) {
	t.Parallel()
	n := &ticket.New{Key: "A-1", Title: "T", Body: ticket.Text{Text: "Body"}, Status: "Doing", StatusID: "7", Category: ticket.InProgress, Assignee: "u1", AssigneeName: "Ann", Priority: 3, Labels: []string{"b", "a"}, Estimate: to(2.5),
		Sprint: ticket.Ref{Name: "Nine"}, Epic: ticket.Ref{Key: "E-1"}, Fields: []ticket.Field{{Name: "Severity", Value: "Major"}}}
	own := ticket.Ticket{Title: "T", Description: "Body", Status: "Doing", Assignee: "u1", Priority: 3, Labels: []string{"b", "a"}, Estimate: to(2.5), Sprint: "Nine", Parent: "E-1"}
	custom := "field:Severity"
	for _, c := range []struct {
		field, value, here string
		same               []string
		other              []string
	}{
		{outbox.Title, "T", "T", []string{"T"}, []string{"t", ""}},
		{outbox.Description, "Body", "Body", []string{"Body", "Body\n"}, []string{"Other", ""}},
		{outbox.Status, "Doing", "Doing", []string{"doing", "7", "in_progress"}, []string{"done", "8", ""}},
		{outbox.Assignee, "u1", "u1", []string{"U1", "ann"}, []string{"u2", ""}},
		{outbox.Priority, "3", "3", []string{"3"}, []string{"2", ""}},
		{outbox.Labels, "b\na", "b\na", []string{"a\nb", "A\nB\na"}, []string{"a", ""}},
		{outbox.Estimate, "2.5", "2.5", []string{"2.5"}, []string{"2", ""}},
		{outbox.Sprint, "Nine", "Nine", []string{"nine"}, []string{"Ten", ""}},
		{outbox.Parent, "E-1", "E-1", []string{"e-1"}, []string{"E-2", ""}},
		{custom, "Major", "", []string{"Major"}, []string{"Minor", ""}},
		{outbox.Comment, "", "", nil, nil},
	} {
		if got := remoteValue(n, c.field); got != c.value {
			t.Errorf("%s there is %q, want %q", c.field, got, c.value)
		}
		if got := valueOf(own, c.field); got != c.here {
			t.Errorf("%s here is %q, want %q", c.field, got, c.here)
		}
		for _, value := range c.same {
			if !same(n, c.field, value) {
				t.Errorf("%s is not %q", c.field, value)
			}
		}
		for _, value := range c.other {
			if same(n, c.field, value) {
				t.Errorf("%s is %q", c.field, value)
			}
		}
	}
	if unread(n, outbox.Title) || unread(n, custom) || !unread(n, "field:Area") {
		t.Error("which custom fields are read")
	}
	fields := fieldsOf([]outbox.Change{{Type: custom}, {Type: outbox.Title}, {Type: "field:Area"}, {Type: custom}, {Type: outbox.Comment}})
	if d := cmp.Diff(append(append([]string{}, outbox.Fields...), custom, "field:Area"), fields); d != "" {
		t.Error(d)
	}
	for where, want := range map[provider.Where]string{provider.Archived: "archived", provider.Deleted: "deleted", provider.Moved: "moved to another project", provider.Unknown: "deleted, or out of sight", provider.Present: "deleted, or out of sight"} {
		if got := absence(where); got != want {
			t.Errorf("%s is %q", where, got)
		}
		if got := out(where); got != (where == provider.Archived || where == provider.Deleted || where == provider.Moved) {
			t.Errorf("%s is out: %t", where, got)
		}
	}
	all := config.Provider{URL: "u", Organization: "o", TeamID: "t", ProjectKey: "k", ProjectID: "i", Project: "p"}
	for name, want := range map[provider.Name]string{"": "u/o", provider.Linear: "u/o/t//i", provider.Jira: "u/o//k", provider.Asana: "u/o///i", provider.AzureDevOps: "u/o////p", provider.GitHub: "u/o////p"} {
		if all.Name = string(name); scope(all) != want || scope(config.Provider{Name: string(name)}) != "" {
			t.Errorf("the scope of %q is %q, want %q", name, scope(all), want)
		}
	}
	base := config.Provider{CategoryOf: []string{"a=todo"}, StateFor: []string{"todo=a"}, StatusField: "f"}
	seen := map[string]bool{meaning(base): true}
	for _, edit := range []func(*config.Provider){func(p *config.Provider) { p.CategoryOf = nil }, func(p *config.Provider) { p.StateFor = nil }, func(p *config.Provider) { p.StatusField = "" }, func(p *config.Provider) { p.Board = "b" }} {
		other := base
		if edit(&other); seen[meaning(other)] {
			t.Errorf("%+v means the same", other)
		}
		seen[meaning(other)] = true
	}
	if meaning(config.Provider{CategoryOf: []string{"a=todo"}, StateFor: []string{"todo=a"}, StatusField: "f"}) != meaning(base) {
		t.Error("the same settings mean something else")
	}
}

// The changes of an item become those of a ticket, field by field.
func TestReceived(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	i := provider.Item{RemoteID: "1", Key: "A-1", FormerKeys: []string{"A-0"}, Type: provider.TypeEpic, NativeType: "Epic", Title: "T", Body: provider.Text{Format: provider.HTML, Text: "b"}, Criteria: provider.Text{Format: provider.Markdown, Text: "c"}, Status: provider.Status{ID: "7", Name: "Doing", Category: provider.InProgress},
		Priority: 3, PriorityLabel: "High", Assignee: &provider.User{ID: "u1", Name: "Ann"}, Labels: []string{"a"}, Parent: &provider.Ref{ID: "2", Key: "A-2", Name: "two"}, Epic: &provider.Ref{ID: "3"}, Milestone: &provider.Ref{ID: "4"}, Sprint: &provider.Ref{ID: "5", Name: "Nine"},
		Links: []provider.Link{{Relation: provider.Blocks, Target: provider.Ref{ID: "6"}, Resolved: true}}, Fields: []provider.FieldValue{{Name: "F", Value: "v"}}, Files: []provider.File{{Name: "f", URL: "u", Size: 7}, {Web: true, Name: "w", URL: "x"}},
		DueDate: "2027-01-02", Estimate: to(1.5), EstimateUnit: "points", URL: "https://example.com", CreatedAt: at.Time, UpdatedAt: at.Time, ArchivedAt: &at.Time, Version: "9", Raw: []byte("{}")}
	want := ticket.New{Provider: "jira", RemoteID: "1", Key: "A-1", FormerKeys: []string{"A-0"}, Type: "epic", ProviderType: "Epic", Title: "T", Body: ticket.Text{Format: "html", Text: "b"}, Criteria: ticket.Text{Format: "markdown", Text: "c"}, Status: "Doing", StatusID: "7", Category: "in_progress",
		Priority: 3, PriorityLabel: "High", Assignee: "u1", AssigneeName: "Ann", Labels: []string{"a"}, Parent: ticket.Ref{ID: "2", Key: "A-2", Name: "two"}, Epic: ticket.Ref{ID: "3"}, Milestone: ticket.Ref{ID: "4"}, Sprint: ticket.Ref{ID: "5", Name: "Nine"},
		Links: []ticket.Link{{Relation: "blocks", Target: ticket.Ref{ID: "6"}, Resolved: true}}, Fields: []ticket.Field{{Name: "F", Value: "v"}}, Files: []ticket.File{{Kind: ticket.Attachment, Name: "f", URL: "u", Size: 7}, {Kind: ticket.Web, Name: "w", URL: "x"}},
		DueDate: "2027-01-02", Estimate: to(1.5), EstimateUnit: "points", URL: "https://example.com", CreatedAt: at.Time, UpdatedAt: at.Time, ArchivedAt: &at.Time, Revision: "9", Raw: []byte("{}")}
	if d := cmp.Diff(want, received(provider.Jira, &i), cmpopts.IgnoreUnexported(ticket.New{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(ticket.New{Provider: "jira"}, received(provider.Jira, &provider.Item{}), cmpopts.IgnoreUnexported(ticket.New{})); d != "" {
		t.Error(d)
	}
	if moment(nil) != nil || !moment(&at.Time).Equal(at.Time) || flag(true) != 1 || flag(false) != 0 {
		t.Error("a moment or a flag of a row")
	}
}

// The parts of a description that a tracker's format cannot hold, as sentences.
func TestUnheldSentences(t *testing.T) {
	t.Parallel()
	const picture = "![a](https://example.com/a.png)"
	for _, c := range []struct {
		markdown string
		kept     provider.Text
		want     string
	}{
		{"# A", provider.Text{Format: provider.HTML, Text: "<p>A</p>"}, "A-1: Asana has no form for 1 heading of its description; the words are there as plain text"},
		{picture, provider.Text{Format: provider.HTML, Text: "a"}, "A-1: Asana has no form for 1 picture (as a link) of its description; the words are there as plain text"},
		{picture + picture, provider.Text{Format: provider.HTML, Text: `<img src="https://example.com/a.png">`}, "A-1: Asana has no form for 1 picture (as a link) of its description; the words are there as plain text"},
		{picture + picture, provider.Text{Format: provider.HTML, Text: "a"}, "A-1: Asana has no form for 2 pictures (as links) of its description; the words are there as plain text"},
		{picture, provider.Text{Format: provider.HTML, Text: ""}, ""},
		{picture, provider.Text{Format: provider.Markdown, Text: "a"}, ""},
		{picture, provider.Text{Format: provider.ADF, Text: "not JSON"}, ""},
	} {
		r := Result{}
		r.sayUnheld(provider.Asana, c.markdown, &provider.Item{Key: "A-1", Body: c.kept})
		if got := strings.Join(r.Notes, "; "); got != c.want {
			t.Errorf("%q as %q: %q, want %q", c.markdown, c.kept.Text, got, c.want)
		}
	}
}
