package assignment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// Finishing names the tasks that it frees as reporting does, also through an epic, and only once the task is completed.
func TestUnblocked(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	tasks := &task.Store{DB: db}
	plan := &graph.Store{DB: db, Tasks: tasks}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := plan.CreateProject(t.Context(), graph.NewProject{ID: "p", Name: "P"})
	must(err)
	_, err = plan.CreateEpic(t.Context(), graph.NewEpic{ID: "E-1", Project: "p", Name: "E"})
	must(err)
	_, err = tasks.Create(t.Context(), []task.New{{ID: "T-1", Project: "p", Text: "One"}, {ID: "T-2", Epic: "E-1", Text: "Two"}, {ID: "T-3", Project: "p", Text: "Three", DependsOn: []string{"T-1"}}})
	must(err)
	var id int64
	must(db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		item, err := work.Find(tx, work.KindTask, "T-1")
		if err != nil {
			return err
		}
		epic, err := work.Find(tx, work.KindEpic, "E-1")
		if err != nil {
			return err
		}
		id = item.ID
		return work.Link(tx, work.Edge{Source: item.ID, Target: epic.ID, Relation: work.Blocks})
	}))
	loaded := func() (out Task) {
		must(db.Read(t.Context(), func(tx *registry.Tx) error { return out.load(tx, id) }))
		return out
	}
	if got := loaded(); got.Status != task.Pending || got.Unblocked != nil {
		t.Errorf("before: %+v", got)
	}
	moved, err := plan.Report(t.Context(), graph.Progress{Caller: task.Caller{Agent: "ann"}, Task: "T-1", Status: task.Completed})
	must(err)
	want := []string{"T-2", "T-3"}
	if diff := cmp.Diff([][]string{want, want}, [][]string{moved.Unblocked, loaded().Unblocked}); diff != "" {
		t.Errorf("progress, then finish:\n%s", diff)
	}
}
