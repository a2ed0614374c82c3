package sprint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The sprints of a tracker and of local tickets, found by id and name.
func TestSprints(t *testing.T) {
	db := registrytest.Open(t)
	day := func(n int) *timestamp.Time {
		at := timestamp.Of(time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC))
		return &at
	}
	var project1, project2 int64
	said := func(all []Sprint) string {
		var b strings.Builder
		for _, s := range all {
			id := s.ID
			if len(id) == 36 {
				id = "made"
			}
			fmt.Fprintf(&b, "%s %q %s %s %q; ", id, s.Name, s.Status, s.Provider, s.Goal)
		}
		return b.String()
	}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for i, id := range []*int64{&project1, &project2} {
			p, err := project.Ensure(tx, project.Identity{UID: fmt.Sprint("p-", i), Name: fmt.Sprint("app", i), Folder: fmt.Sprint("/app", i)})
			if err != nil {
				return err
			}
			*id = p.ID
		}
		for _, s := range []Sprint{
			{ID: "1", Name: "One", Status: Completed, StartsAt: day(1), EndsAt: day(8), Provider: "jira", Goal: "begin"},
			{ID: "2", Name: "Two", Status: Active, StartsAt: day(8), EndsAt: day(20), Provider: "jira"},
			{ID: "3", Name: "Three", Status: Active, StartsAt: day(9), EndsAt: day(15), Provider: "jira"},
			{ID: "4", Name: "Four", Provider: "jira"},
			{ID: "5", Name: "two", Status: Active, Provider: "jira"},
			{ID: "1", Name: "One again", Status: Completed, StartsAt: day(2), Provider: "jira"},
			{ID: "6", Name: strings.Repeat("long ", 50), Status: Planned, StartsAt: day(3), Provider: "jira"},
		} {
			if _, err := Put(tx, project1, s); err != nil {
				return err
			}
		}
		check := func(what, got, want string) {
			if got != want {
				t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
			}
		}
		list := func(status string) string {
			all, err := List(tx, project1, status)
			if err != nil {
				t.Fatal(err)
			}
			return said(all)
		}
		long := strings.TrimSpace(strings.Repeat("long ", 40))
		all := list("")
		check("all", strings.ReplaceAll(strings.ReplaceAll(all, long+" ", "LONG"), long, "LONG"), `5 "two" active jira ""; 4 "Four" planned jira ""; 3 "Three" active jira ""; 2 "Two" active jira ""; 6 "LONG" planned jira ""; 1 "One again" completed jira ""; `)
		check("completed", list(Completed), `1 "One again" completed jira ""; `)
		current, err := Current(tx, project1)
		if err != nil || current.ID != "3" {
			t.Errorf("current %+v, %v", current, err)
		}
		if _, err := Current(tx, project2); !registry.NoRows(err) {
			t.Errorf("the current sprint of nothing: %v", err)
		}
		for name, want := range map[string]string{"two": "5", "TWO": "5", "2": "2", "one again": "1", "none": ""} {
			id, err := RemoteID(tx, project1, "jira", name)
			if err != nil || id != want {
				t.Errorf("%s is %s, want %s, %v", name, id, want, err)
			}
			s, err := Find(tx, project1, name)
			if want == "" && (!fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), "pmsync sprint list")) || want != "" && (err != nil || s.ID != want) {
				t.Errorf("found %s: %s, %v", name, s.ID, err)
			}
		}
		if id, err := RemoteID(tx, project1, "linear", "two"); err != nil || id != "" {
			t.Errorf("of another tracker: %s, %v", id, err)
		}
		for _, c := range []struct{ project, want string }{{"1", `made "Own" planned local ""; `}, {"2", `made "Own" active local ""; `}} {
			id := map[string]int64{"1": project1, "2": project2}[c.project]
			for range 2 {
				s, err := Ensure(tx, id, "local", "", "Own")
				if err != nil {
					return err
				}
				check("a local one of "+c.project, said([]Sprint{s}), c.want)
			}
		}
		for _, c := range []struct{ provider, id, name, want string }{
			{"local", "", "two", `5 "two" active jira ""; `}, {"local", "3", "", `3 "Three" active jira ""; `}, {"jira", "4", "x", `4 "Four" planned jira ""; `}, {"jira", "", "TWO", `5 "two" active jira ""; `},
			{"jira", "9", "", `9 "9" planned jira ""; `}, {"jira", "10", "Ten", `10 "Ten" planned jira ""; `}, {"jira", "", "Named", `made "Named" planned jira ""; `},
		} {
			s, err := Ensure(tx, project1, c.provider, c.id, c.name)
			if err != nil {
				return err
			}
			check(c.provider+" "+c.id+" "+c.name, said([]Sprint{s}), c.want)
		}
		if err := Gone(tx, project1, "jira", "5"); err != nil {
			return err
		}
		if id, err := RemoteID(tx, project1, "jira", "two"); err != nil || id != "2" {
			t.Errorf("after the newer one is gone: %s, %v", id, err)
		}
		if _, err := Find(tx, project1, "5"); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("one that is gone: %v", err)
		}
		if _, err := Put(tx, project1, Sprint{ID: "5", Name: "Back", Provider: "jira"}); err != nil {
			return err
		}
		if s, err := Find(tx, project1, "back"); err != nil || s.ID != "5" || s.Status != Planned {
			t.Errorf("one that is back: %+v, %v", s, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(Statuses()) != "[planned active completed]" {
		t.Errorf("statuses %v", Statuses())
	}
}
