package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

// Traffic compares what a client sends to its tracker, and what it makes of the answers, with testdata/traffic/NAME.txt: for a connection,
// pulls, creations, changes of each field, comments, people, sprints and checks.
func Traffic(t *testing.T, name string, h Harness) {
	t.Parallel()
	var all strings.Builder
	h.Observe = func(_ *testing.T, e Exchange) {
		fmt.Fprintf(&all, "> %s %s\n", e.Request.Method, e.Request.URL.RequestURI())
		if e.Request.Header.Get("If-None-Match") != "" {
			all.WriteString(">   if it was modified\n")
		}
		if len(e.RequestBody) > 0 {
			fmt.Fprintf(&all, ">   %s\n", bytes.TrimSpace(e.RequestBody))
		}
		fmt.Fprintf(&all, "< %d\n", e.Status)
	}
	headers := map[string]bool{}
	asked := h.Observe
	h.Observe = func(t *testing.T, e Exchange) {
		line := ""
		for _, header := range []string{"Accept", "Content-Type", "X-Github-Api-Version"} {
			line += fmt.Sprintf(" %s %q", header, e.Request.Header.Get(header))
		}
		if !headers[line] {
			headers[line] = true
			all.WriteString("headers from here on:" + line + "\n")
		}
		asked(t, e)
	}
	r := h.Begin(t)
	ctx := context.Background()
	show := func(what string, result any, err error) {
		t.Helper()
		text, failed := json.Marshal(result)
		if failed != nil {
			t.Fatal(failed)
		}
		fmt.Fprintf(&all, "%s: %s, %v\n\n", what, text, err)
		r.Clock.Advance(time.Minute)
	}
	full := false
	pull := func(what string, s *Store, types ...provider.ItemType) {
		err := r.Pull(s, 0, types...)
		ids := []string{}
		for id := range s.Items {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		items := []any{}
		for _, id := range ids {
			item := s.Items[id]
			items = append(items, briefly(&item))
			if len(ids) == 3 && !full {
				item.Raw, item.Version = nil, "" // the address of the server is in them
				items[len(items)-1] = item
			}
		}
		full = true
		show(what, items, err)
	}

	people := r.World.People()
	parent := r.World.Add(providertest.Spec{Title: "parent", Body: "all of it", Priority: 2})
	first := r.World.Add(providertest.Spec{Title: "first", Body: "## Criteria\n- [ ] one\n", Assignee: people[0], Labels: []string{"docs"}, Priority: 4, Parent: parent})
	second := r.World.Add(providertest.Spec{Title: "second", Blocks: []string{first}, Status: r.World.StatusOf(provider.Done)})
	account, err := r.Provider.TestConnection(ctx)
	show("connection", account, err)
	var projects []provider.Project
	err = r.Provider.Projects(ctx, func(p provider.Project) error {
		projects = append(projects, p)
		return nil
	})
	show("projects", projects, err)
	s := NewStore()
	pull("the first pull", s)
	pull("a pull of nothing new", s)
	title := "first, again"
	r.World.Edit(first, providertest.Edit{Title: &title, Add: []string{"backend"}, Remove: []string{"docs"}})
	r.World.Comment(first, "a remark")
	r.World.Delete(second)
	pull("a pull of what changed", s)
	pull("a pull of one type", NewStore(), provider.TypeTicket)

	text, number, none, estimate := "a new text", 1, "", 3.0
	for _, c := range []struct {
		what   string
		change provider.Change
	}{
		{"the title", provider.Change{Title: &title}},
		{"the text", provider.Change{Text: &text}},
		{"the priority", provider.Change{Priority: &number}},
		{"the assignee", provider.Change{Assignee: &people[1]}},
		{"no assignee", provider.Change{Assignee: &none}},
		{"labels", provider.Change{AddLabels: []string{"new label"}, RemoveLabels: []string{"backend"}}},
		{"the status", provider.Change{Status: &provider.Target{Category: provider.InProgress}}},
		{"done", provider.Change{Status: &provider.Target{Category: provider.Done}}},
		{"canceled", provider.Change{Status: &provider.Target{Category: provider.Canceled}}},
		{"todo, and a title", provider.Change{Status: &provider.Target{Category: provider.Todo}, Title: &text}},
		{"the estimate", provider.Change{Estimate: &estimate}},
		{"no parent", provider.Change{Parent: &none}},
		{"a parent", provider.Change{Parent: &parent, ParentType: provider.TypeTicket}},
		{"a link", provider.Change{AddLink: &provider.NewLink{Relation: provider.Blocks, Target: parent}}},
		{"no sprint", provider.Change{Sprint: &none}},
		{"a field", provider.Change{Fields: []provider.FieldValue{{Name: "Severity", Value: "Major"}}}},
	} {
		now, err := r.Provider.Update(ctx, r.Item(first), c.change)
		show("a change of "+c.what, briefly(now), err)
	}
	if p, ok := r.Provider.(provider.Commenter); ok {
		for _, key := range []string{"one", "one", "two"} {
			comment, err := p.AddComment(ctx, r.Item(first), provider.NewComment{Key: key, Text: "seen: " + key})
			show("a comment "+key, comment, err)
		}
	}
	if p, ok := r.Provider.(provider.Creator); ok {
		for _, n := range []provider.NewItem{
			{Key: "k1", Title: "made"},
			{Key: "k1", Title: "made", Attempted: r.Clock.Now().Add(-time.Hour)},
			{Key: "k2", Title: "made with all", Text: "text", Assignee: people[1], Priority: 3, Labels: []string{"docs", "api"}, Parent: parent, ParentType: provider.TypeTicket, DueDate: "2026-12-01",
				Status: &provider.Target{Category: provider.InProgress}},
			{Key: "k3", Title: "made with a field", Fields: []provider.FieldValue{{Name: "Severity", Value: "Major"}}},
		} {
			made, err := p.Create(ctx, n)
			show("a creation of "+n.Key, briefly(made), err)
		}
	}
	if p, ok := r.Provider.(provider.UserFinder); ok {
		for _, words := range []string{"a", "no one like that"} {
			users, err := p.Users(ctx, words)
			show("people by "+words, users, err)
		}
	}
	if p, ok := r.Provider.(provider.SprintLister); ok {
		var sprints []provider.Sprint
		err := p.Sprints(ctx, func(one provider.Sprint) error {
			sprints = append(sprints, one)
			return nil
		})
		show("sprints", sprints, err)
	}
	if p, ok := r.Provider.(provider.Checker); ok {
		var there []provider.Presence
		err := p.Check(ctx, []string{first, second, parent}, func(one provider.Presence) error {
			there = append(there, one)
			return nil
		})
		show("a check", there, err)
	}
	r.World.Faults().Add(providertest.Fault{Kind: providertest.Limited, Times: 1})
	now, err := r.Provider.Update(ctx, r.Item(first), provider.Change{Title: &title})
	show("a change after a limit", briefly(now), err)
	address := strings.TrimPrefix(r.Server.URL, "http://")
	clitest.Golden(t, filepath.Join("testdata", "traffic", name+".txt"), strings.ReplaceAll(all.String(), address, "server"))
}

// briefly returns what a change can change of an item.
func briefly(i *provider.Item) any {
	if i == nil {
		return nil
	}
	return []any{i.RemoteID, i.Type, i.Title, i.Status.Name, i.Priority, i.Assignee, i.Labels, i.Parent, i.Links, i.Estimate, i.Body.Text}
}
