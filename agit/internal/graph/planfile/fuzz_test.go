package planfile

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// sane checks a reader's result: entries of known kinds, or a fault that names what is wrong with the input.
func sane(t *testing.T, plan []graph.PlanEntry, err error) {
	t.Helper()
	if err != nil {
		if !fault.Is(err, fault.KindValidation) {
			t.Errorf("%v is not a fault of the input", err)
		}
		return
	}
	for _, e := range plan {
		if (e.Kind == graph.KindNote || e.Kind == graph.KindLeftOut) && e.Name != "" {
			continue
		}
		if e.Kind != "task" && e.Kind != "epic" && e.Kind != "dependency" {
			t.Errorf("%+v", e)
		}
		if e.Kind == "dependency" && e.Relation == "" {
			t.Errorf("%+v", e)
		}
	}
}

func FuzzBeads(f *testing.F) {
	f.Add([]byte(`{"id":"a","title":"a","status":"open","priority":0,"issue_type":"epic","dependencies":[{"depends_on_id":"b","type":"parent-child"}]}`))
	f.Add([]byte("{\"id\":\"b\",\"dependencies\":[{\"depends_on_id\":\"b\",\"type\":\"blocks\"}]}\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := beads(data)
		sane(t, plan, err)
	})
}

func FuzzTD(f *testing.F) {
	f.Add([]byte(`[{"issue":{"id":"td-1","title":"x","status":"open","type":"epic","priority":"P1","parent_id":"td-1"},"dependencies":[{"depends_on_id":"td-1","relation_type":"depends_on"}]}]`))
	f.Add([]byte(`[{"issue":{"id":"td-2","priority":"P9"},"dependencies":["td-1"]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := td(data)
		sane(t, plan, err)
	})
}

func FuzzTaskmaster(f *testing.F) {
	f.Add([]byte(`{"tasks":[{"id":1,"title":"a","dependencies":["2.1",3],"subtasks":[{"id":1,"dependencies":[2,"1.2"]}]}]}`))
	f.Add([]byte(`{"master":{"tasks":[{"id":{"x":1},"subtasks":[{"id":null,"subtasks":[{}]}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := taskmaster(data)
		sane(t, plan, err)
	})
}

func FuzzBacklog(f *testing.F) {
	f.Add([]byte("---\nid: task-1\ntitle: one\nstatus: Done\ndependencies: [task-2]\n---\n\nText.\n"))
	f.Add([]byte("---\n- a\n- b\n---"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, ok, err := backlogTask("task.md", data, tally{})
		if ok {
			sane(t, []graph.PlanEntry{e}, err)
		} else {
			sane(t, nil, err)
		}
	})
}
