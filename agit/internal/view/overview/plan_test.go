package overview

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
)

// large returns a web of n tasks in chains of seven, in ten epics and without one in turn, with a bug that blocks the third task, and a
// chain that is the critical path.
func large(n, critical int) (w web) {
	for i := range 10 {
		w.epics = append(w.epics, PlanEpic{fmt.Sprintf("E-%d", i), fmt.Sprintf("Epic %d", i)})
	}
	w.epics = append(w.epics, PlanEpic{NoEpic, "in no epic"})
	for i := range n {
		c := task.Card{ID: fmt.Sprintf("T-%d", i), Name: fmt.Sprintf("Task %d of a large project", i), Status: task.Pending, Ready: i%7 == 0}
		if i%11 < 10 {
			c.Epic = fmt.Sprintf("E-%d", i%11)
		}
		w.tasks = append(w.tasks, c)
		if i%7 != 0 || i > 0 && i < critical {
			w.edges = append(w.edges, task.Edge{Task: c.ID, On: fmt.Sprintf("T-%d", i-1), Holds: true})
		}
		if i < critical {
			w.critical = append(w.critical, c.ID)
		}
	}
	w.tasks[2].Status = task.Blocked
	w.bugs = []graph.Bug{{ID: "B-1", Title: "token lost"}, {ID: "B-2", Title: "alone"}}
	w.edges = append(w.edges, task.Edge{Task: "T-2", On: "B-1", Holds: true})
	return w
}

// A large plan is reduced to a readable size, and reports what was left out.
func TestPlanIsBounded(t *testing.T) {
	w := large(5000, 400)
	for name, f := range map[string]Filter{"all": {}, "done too": {Done: true}, "words": {Words: "large"}, "an epic": {Epic: "E-3"}, "no epic": {Epic: NoEpic}, "one": {Words: "task 4999 "}} {
		plan := w.plan(f)
		document, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Nodes) > mostNodes || len(plan.Waiting) > mostRows || len(plan.Critical) != mostNodes || plan.Steps != 400 || len(document) > 100<<10 {
			t.Errorf("%s: %d nodes, %d that wait, %d of %d steps, %d bytes", name, len(plan.Nodes), len(plan.Waiting), len(plan.Critical), plan.Steps, len(document))
		}
		drawn, tasks := map[string]bool{}, plan.Left
		for _, n := range plan.Nodes {
			drawn[n.ID] = true
			tasks += max(1, n.Tasks)
		}
		want := 0
		for _, c := range w.tasks {
			if found := f.finder(); (f.Epic == "" || f.Epic == c.Epic || f.Epic == NoEpic && c.Epic == "") && found(c.ID, c.Name) {
				want++
			}
		}
		if drawn["B-1"] {
			want++
		}
		if tasks != want || drawn["B-2"] {
			t.Errorf("%s: %d tasks are shown or counted, want %d", name, tasks, want)
		}
		seen := map[[2]string]bool{}
		for _, e := range plan.Edges {
			if !drawn[e[0]] || !drawn[e[1]] || e[0] == e[1] || seen[e] {
				t.Errorf("%s: a line from %s to %s", name, e[0], e[1])
			}
			seen[e] = true
		}
	}
}

// Epics stand for their tasks, the next steps of the critical path for themselves.
func TestPlanOfEpics(t *testing.T) {
	plan := large(1000, 12).plan(Filter{})
	if !plan.Grouped || plan.Left != 0 || len(plan.Nodes) != 12+11 {
		t.Fatalf("%d nodes, %d left", len(plan.Nodes), plan.Left)
	}
	for i, n := range plan.Nodes[:12] {
		if n.ID != fmt.Sprintf("T-%d", i) || !n.Critical {
			t.Errorf("step %d is %+v", i, n)
		}
	}
	if last := plan.Nodes[22]; last.Kind != "epic" || last.Epic != "E-0" && last.Epic != NoEpic || last.Tasks < 89 {
		t.Errorf("the last node is %+v", last)
	}
	if !slices.Contains(plan.Edges, [2]string{"T-10", "T-11"}) || !slices.Contains(plan.Edges, [2]string{"T-11", "epic E-1"}) {
		t.Errorf("the lines are %v", plan.Edges)
	}
	if plan.Waits < 850 || len(plan.Waiting) != mostRows {
		t.Errorf("%d wait", plan.Waits)
	}
}

// When one epic is too large, its most significant tasks are drawn, and a bug with the tasks that it blocks.
func TestPlanOfOneEpic(t *testing.T) {
	w := large(5000, 3)
	plan := w.plan(Filter{Epic: "E-2"})
	if plan.Grouped || len(plan.Nodes) != mostNodes || plan.Left == 0 || plan.Nodes[0].ID != "T-2" || plan.Nodes[1].ID != "B-1" {
		t.Errorf("%d nodes, %d left, first %+v", len(plan.Nodes), plan.Left, plan.Nodes[:2])
	}
	if other := w.plan(Filter{Epic: "E-4"}); slices.ContainsFunc(other.Nodes, func(n PlanNode) bool { return n.Kind == "bug" }) {
		t.Error("a bug is drawn with the tasks of an epic that it holds none of")
	}
	few := large(50, 0)
	few.tasks[1].Status = task.Completed
	few.edges[1].Holds = false // T-2 no longer waits for it
	plan = few.plan(Filter{})
	if plan.Folded != 1 || slices.ContainsFunc(plan.Waiting, func(x PlanWait) bool { return x.ID == "T-2" && slices.Contains(x.On, "T-1") }) {
		t.Errorf("%+v", plan)
	}
	if diff := cmp.Diff([]string{"T-2", "B-1"}, []string{plan.Nodes[1].ID, plan.Nodes[len(plan.Nodes)-1].ID}); diff != "" {
		t.Error(diff)
	}
	if alone := few.plan(Filter{Words: "alone"}); len(alone.Nodes) != 0 {
		t.Errorf("a bug that holds nothing is drawn: %+v", alone.Nodes)
	}
}
