package criteria_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// ticketSEM1 returns a registry with the ticket SEM-1 of the project p-1, and a function that writes to it.
func ticketSEM1(t *testing.T) (db *registry.DB, item work.Item, write func(func(*registry.Tx) error)) {
	t.Helper()
	db = registrytest.Open(t)
	write = func(fn func(*registry.Tx) error) {
		t.Helper()
		if err := db.Write(t.Context(), registry.Everything, fn); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"})
		if err != nil {
			return err
		}
		item, err = work.Create(tx, work.NewItem{ProjectID: p.ID, Kind: work.KindTicket, Ref: "SEM-1", Keyed: true, Title: "x", Status: "todo"})
		return err
	})
	return db, item, write
}

// A new reading of a ticket's text: a criterion with the same or nearly the same text keeps status and evidence, a gone one comes back with
// them, and an added one stays.
func TestReparse(t *testing.T) {
	db, item, write := ticketSEM1(t)
	st, who := &criteria.Store{DB: db}, caller.Caller{Place: project.Place{Named: "p-1"}}
	read := func(texts ...string) (r criteria.Reparsed) {
		t.Helper()
		write(func(tx *registry.Tx) (err error) {
			found := make([]criteria.Found, len(texts))
			for i, text := range texts {
				found[i].Text = text
			}
			r, err = criteria.Reparse(tx, item.ID, found)
			return err
		})
		return r
	}
	stands := func(want ...string) {
		t.Helper()
		s, err := st.Status(t.Context(), who, "SEM-1")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, c := range s.Criteria {
			if c.Index != i {
				t.Errorf("%q stands at %d, and is the %dth", c.Text, c.Index, i)
			}
			proof := ""
			if c.Evidence != nil {
				proof = " " + strings.Join(c.Evidence.Tests, ",")
			}
			got = append(got, fmt.Sprintf("%s %s%s", c.Text, c.Status, proof))
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	changes := func(r criteria.Reparsed, added, kept, changed, removed int) {
		t.Helper()
		if r.Added != added || r.Kept != kept || r.Changed != changed || r.Removed != removed || r.Unchanged != (added+changed+removed == 0) {
			t.Errorf("%+v, want %d added, %d kept, %d changed, %d removed", r, added, kept, changed, removed)
		}
	}

	changes(read("A link is valid once", "A link expires after 15 minutes", "The mail names the sender"), 3, 0, 0, 0)
	if _, err := st.Verify(t.Context(), who, criteria.Verdict{ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Tests: []string{"TestOnce"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Verify(t.Context(), who, criteria.Verdict{ID: "SEM-1#3", Status: criteria.Failed, Evidence: criteria.Evidence{Tests: []string{"TestMail"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Add(t.Context(), who, "SEM-1", "It works without scripts", nil); err != nil {
		t.Fatal(err)
	}
	changes(read("a link is valid ONCE.", "A link expires after 15 minutes", "The mail names the sender"), 0, 2, 1, 0)
	changes(read("A link is valid once", "A link expires after 20 minutes"), 1, 0, 1, 2)
	stands("A link is valid once verified TestOnce", "A link expires after 20 minutes pending", "It works without scripts pending")
	changes(read("The mail names the sender", "A link is valid once", "A link expires after 20 minutes"), 0, 3, 0, 0)
	stands("The mail names the sender failed TestMail", "A link is valid once verified TestOnce", "A link expires after 20 minutes pending", "It works without scripts pending")
	changes(read(), 0, 0, 0, 3)
	stands("It works without scripts pending")
	first := 0
	if _, err := st.Add(t.Context(), who, "SEM-1", "First of all", &first); err != nil {
		t.Fatal(err)
	}
	read("A link is valid once")
	s, err := st.CheckAll(t.Context(), who, "SEM-1")
	if err != nil || s.AllVerified || len(s.Pending) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}
