package sprint_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestAdvance: a local sprint ends when its tickets are finished, and the oldest one with something to do begins.
func TestAdvance(t *testing.T) {
	db := registrytest.Open(t)
	by := caller.Caller{Place: project.Place{Named: "app"}}
	store := &ticket.Store{DB: db}
	var app int64
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"})
		app = p.ID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	check := func(when, want string) {
		t.Helper()
		if err := db.Read(t.Context(), func(tx *registry.Tx) error {
			all, err := sprint.List(tx, app, "")
			var got []string
			for _, s := range all {
				got = append([]string{s.Name + " " + s.Status}, got...)
			}
			if said := strings.Join(got, ", "); said != want {
				t.Errorf("%s: %s, not %s", when, said, want)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	status := func(key, to string) {
		t.Helper()
		if _, err := store.Update(t.Context(), by, "id", key, ticket.Edit{Status: &to}); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []ticket.New{{Key: "S-1", Sprint: ticket.Ref{Name: "One"}}, {Key: "S-2", Sprint: ticket.Ref{Name: "One"}}, {Key: "S-3", Sprint: ticket.Ref{Name: "Two"}},
		{Key: "S-4", Sprint: ticket.Ref{Name: "Three"}}} {
		n.Title = n.Key
		if _, err := store.Create(t.Context(), by, n); err != nil {
			t.Fatal(err)
		}
	}
	status("S-1", ticket.Done)
	check("one is left", "One active, Two planned, Three planned")
	status("S-2", ticket.Canceled)
	check("the first is finished", "One completed, Two active, Three planned")
	sprintless := ""
	if _, err := store.Update(t.Context(), by, "id", "S-3", ticket.Edit{Sprint: &sprintless}); err != nil {
		t.Fatal(err)
	}
	check("the second is empty", "One completed, Two completed, Three active")
	status("S-4", ticket.Done)
	check("nothing else is to do", "One completed, Two completed, Three active")
	status("S-1", ticket.Todo)
	check("one of the first is to do again", "One active, Two completed, Three completed")
}
