package lookup

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

func TestKind(t *testing.T) {
	for given, want := range map[string]string{"": "", "External": "ticket", "ticket": "ticket", "local": "plan", "PLAN": "plan", "task": "task", "bug": "bug", "epic": "epic", "scenario": "what: use ticket, plan, task or bug, or leave it out"} {
		kind, err := Kind("what", given)
		got := string(kind)
		if err != nil {
			got = fault.From(err).Field + ": " + fault.From(err).Hint
		}
		if got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

// Items are found by key in the caller's project first, and tickets also by the keys that they had before.
func TestItem(t *testing.T) {
	db := registrytest.Open(t)
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		var projects []int64
		for _, name := range []string{"one", "two"} {
			p, err := project.Ensure(tx, project.Identity{UID: "p-" + name, Name: name, Folder: "/" + name})
			if err != nil {
				return err
			}
			projects = append(projects, p.ID)
		}
		make := func(project int, kind work.Kind, ref, title string) work.Item {
			i, err := work.Create(tx, work.NewItem{ProjectID: projects[project], Kind: kind, Ref: ref, Keyed: true, Title: title, Status: "todo"})
			if err != nil {
				t.Fatal(err)
			}
			if kind == work.KindTicket || kind == work.KindEpic {
				if err := tx.Do(`INSERT INTO tickets (item_id, project_id, remote_id, provider, status_category) VALUES (?, ?, ?, 'jira', 'todo')`, i.ID, projects[project], title); err != nil {
					t.Fatal(err)
				}
			}
			return i
		}
		was := func(i work.Item, key string) {
			if err := tx.Do(`INSERT INTO ticket_keys (item_id, key_key, key, until) VALUES (?, ?, ?, ?)`, i.ID, strings.ToLower(key), key, tx.Stamp()); err != nil {
				t.Fatal(err)
			}
		}
		make(0, work.KindTicket, "A-1", "one's A-1")
		make(1, work.KindTicket, "A-1", "two's A-1")
		make(1, work.KindTicket, "B-1", "two's B-1")
		make(0, work.KindEpic, "E-1", "one's epic")
		make(0, work.KindPlan, "P-1", "one's plan")
		make(0, work.KindTask, "T-1", "one's task")
		was(make(0, work.KindTicket, "N-1", "one's moved"), "OLD-1")
		was(make(1, work.KindTicket, "N-2", "two's moved"), "OLD-1")
		gone := make(0, work.KindTicket, "G-1", "gone")
		was(gone, "OLD-2")
		if err := work.Delete(tx, gone.ID, work.Event{}); err != nil {
			return err
		}
		for _, c := range []struct {
			project int
			kind    work.Kind
			id      string
			want    string
		}{
			{0, "", "a-1", "one's A-1"}, {1, "", "A-1", "two's A-1"}, {0, "", "B-1", "two's B-1"}, {0, work.KindTicket, "E-1", "one's epic"}, {0, work.KindPlan, "E-1", "id: `pmsync ticket list` shows the tickets, `pmsync plan list` the plans"},
			{0, work.KindTicket, "old-1", "one's moved"}, {1, "", "OLD-1", "two's moved"}, {0, work.KindPlan, "OLD-1", "id: `pmsync ticket list` shows the tickets, `pmsync plan list` the plans"}, {0, "", "OLD-2", "id: `pmsync ticket list` shows the tickets, `pmsync plan list` the plans"},
			{0, work.KindTask, "T-1", "one's task"}, {0, work.KindTicket, "T-1", "id: `pmsync ticket list` shows the tickets, `pmsync plan list` the plans"}, {0, "", "a\nb", "id: "}, {0, "", "", "id: "},
		} {
			i, err := Item(tx, projects[c.project], c.kind, "id", c.id)
			got := i.Title
			if err != nil {
				got = fault.From(err).Field + ": " + fault.From(err).Hint
			}
			if got != c.want && !(strings.HasPrefix(got, "id: ") && c.want == "id: ") {
				t.Errorf("%s %q in %d is %q, want %q", c.kind, c.id, c.project, got, c.want)
			}
		}
		if i, err := Ticket(tx, projects[0], "id", "E-1"); err != nil || i.Title != "one's epic" {
			t.Errorf("an epic as a ticket: %v, %v", i.Title, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
