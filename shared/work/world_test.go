package work_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// world is a registry with two projects, of which one is on hold, and two agents.
type world struct {
	t            *testing.T
	db           *registry.DB
	active, held project.Project
	ann, bob     agent.Agent
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, db: registrytest.Open(t)}
	w.write(func(tx *registry.Tx) (err error) {
		if w.active, err = project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"}); err != nil {
			return err
		}
		if w.held, err = project.Ensure(tx, project.Identity{UID: "p-2", Name: "later", Folder: "/later"}); err != nil {
			return err
		}
		if _, err = tx.Exec(`UPDATE projects SET status = 'on_hold' WHERE id = ?`, w.held.ID); err != nil {
			return err
		}
		if w.ann, err = agent.Register(tx, agent.Registration{Name: "ann"}); err != nil {
			return err
		}
		w.bob, err = agent.Register(tx, agent.Registration{Name: "bob"})
		return err
	})
	return w
}

func (w *world) write(fn func(*registry.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), registry.Everything, fn); err != nil {
		w.t.Fatal(err)
	}
}

// make adds a pending item; edit may change its values before.
func (w *world) make(tx *registry.Tx, kind work.Kind, edit func(*work.NewItem)) work.Item {
	w.t.Helper()
	n := work.NewItem{ProjectID: w.active.ID, Kind: kind, Prefix: string(kind[:1]) + "-", Text: "x", Status: "pending", Priority: work.PriorityMedium}
	if edit != nil {
		edit(&n)
	}
	item, err := work.Create(tx, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return item
}

func (w *world) move(tx *registry.Tx, item work.Item, state work.State) work.Item {
	w.t.Helper()
	status := map[work.State]string{work.StateOpen: "pending", work.StateActive: "claimed", work.StateDone: "completed", work.StateDropped: "failed"}[state]
	if err := work.SetStatus(tx, &item, work.Move{Status: status, State: state}); err != nil {
		w.t.Fatal(err)
	}
	return item
}

func (w *world) link(tx *registry.Tx, source work.Item, relation work.Relation, target work.Item) {
	w.t.Helper()
	if err := work.Link(tx, work.Edge{Source: source.ID, Target: target.ID, Relation: relation}); err != nil {
		w.t.Fatal(err)
	}
}

func holds(t *testing.T, tx *registry.Tx, item work.Item) int {
	t.Helper()
	got, err := work.ByID(tx, item.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got.Holds
}
