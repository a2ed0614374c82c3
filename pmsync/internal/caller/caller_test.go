package caller_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestLookingMakesNothing: a read by an unknown agent in an unknown folder finds nothing and makes neither. A write makes both, and then
// the read finds them.
func TestLookingMakesNothing(t *testing.T) {
	db := registrytest.Open(t)
	here := caller.Caller{Place: project.Place{At: &project.Identity{UID: "app", Name: "app", Folder: "/app"}}, Agent: "ann"}
	reads := func(c caller.Caller) (w caller.Who, err error) {
		err = db.Read(t.Context(), func(tx *registry.Tx) error { w, err = c.Reads(tx); return err })
		return w, err
	}
	if err := here.Alive(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if w, err := reads(here); err != nil || w != (caller.Who{}) {
		t.Errorf("a folder that is not known: %+v, %v", w, err)
	}
	if _, err := reads(caller.Caller{Place: project.Place{Named: "elsewhere"}}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("a project that is named and not known: %v", err)
	}
	var wrote caller.Who
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) (err error) { wrote, err = here.Writes(tx); return err }); err != nil {
		t.Fatal(err)
	}
	if w, err := reads(here); err != nil || w != wrote || w.AgentID == 0 || w.BookedOn() != (caller.BookedOn{Project: "app", Agent: "ann"}) {
		t.Errorf("after a write: %+v, not %+v, %v", w, wrote, err)
	}
	here.Agent = "bob" // not registered: the project is found all the same
	if w, err := reads(here); err != nil || w.Project.UID != "app" || w.AgentID != 0 {
		t.Errorf("an agent that is not known: %+v, %v", w, err)
	}
}
