package brief

import (
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// A brief names the epic that contains the task, and no other container.
func TestEpicOf(t *testing.T) {
	t.Parallel()
	err := registrytest.Open(t).Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"})
		if err != nil {
			return err
		}
		for _, c := range []struct {
			kind work.Kind
			want string
		}{{work.KindEpic, "Accounts"}, {work.KindPlan, ""}, {"", ""}} {
			var item work.Item
			if c.kind != "" {
				parent, err := work.Create(tx, work.NewItem{ProjectID: p.ID, Kind: c.kind, Prefix: "X-", Text: "Accounts", Status: "pending", Priority: work.PriorityMedium})
				if err != nil {
					return err
				}
				item.ParentID = parent.ID
			}
			if got, err := epicOf(tx, item); err != nil || got != c.want {
				t.Errorf("in %q: %q, want %q; %v", c.kind, got, c.want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A description that begins with the name goes on after it.
func TestRest(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{"Log in": "", "Log in\n\nWith a form.\n": "With a form.", "Log into it": "Log into it", "In\nLog in": "In\nLog in", "": ""} {
		if got := rest("Log in", description); got != want {
			t.Errorf("%q: %q, want %q", description, got, want)
		}
	}
}
