package dependency_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// desk is a project with plans and what they wait for.
type desk struct {
	*testing.T
	*dependency.Store
	plans *plan.Store
	ann   caller.Caller
	ids   map[string]string // by title
	names map[string]string // by id
}

func newDesk(t *testing.T, titles ...string) *desk {
	db := registrytest.Open(t)
	d := &desk{T: t, Store: &dependency.Store{DB: db}, plans: &plan.Store{DB: db}, ids: map[string]string{}, names: map[string]string{}}
	d.ann = caller.Caller{Place: project.Place{Named: "app"}, Agent: "ann"}
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, title := range titles {
		p, err := d.plans.Create(t.Context(), d.ann, plan.New{Title: title})
		if err != nil {
			t.Fatal(err)
		}
		d.ids[title], d.names[p.ID] = p.ID, title
	}
	return d
}

func (d *desk) edge(from, relation, to string) dependency.Edge {
	return dependency.Edge{Source: dependency.End{ID: d.ids[from]}, Target: dependency.End{ID: d.ids[to]}, Relation: relation}
}

func (d *desk) add(from, relation, to string) dependency.Dependency {
	d.Helper()
	made, err := d.Add(d.Context(), d.ann, d.edge(from, relation, to))
	if err != nil {
		d.Fatal(err)
	}
	return made
}

// told formats neighbours as "title depth".
func (d *desk) told(all []dependency.Neighbour, err error) map[string]int {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
	depths := map[string]int{}
	for _, n := range all {
		depths[d.names[n.ID]] = n.Depth
	}
	return depths
}

func TestAddAndRemove(t *testing.T) {
	d := newDesk(t, "a", "b", "c")
	if made := d.add("a", "blocks", "b"); made.Outcome != "created" || made.BookedOn.Agent != "ann" {
		t.Errorf("%+v", made)
	}
	if again := d.add("a", "blocks", "b"); again.Outcome != "unchanged" {
		t.Errorf("%+v", again)
	}
	d.add("b", "blocks", "c")
	if _, err := d.Add(t.Context(), d.ann, d.edge("c", "blocks", "a")); !fault.Is(err, fault.KindConflict) && !fault.Is(err, fault.KindValidation) {
		t.Errorf("a cycle: %v", err)
	}
	d.add("a", "related_to", "b")
	for _, test := range []struct {
		relation string
		want     int
	}{{"related_to", 1}, {"related_to", 0}, {"", 1}, {"", 0}} {
		gone, err := d.Remove(t.Context(), d.ann, d.edge("a", test.relation, "b"))
		if err != nil || gone.Removed != test.want || gone.BookedOn.Agent != "ann" {
			t.Errorf("removing %q: %+v, %v", test.relation, gone, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"b": 1}, d.told(d.Blockers(t.Context(), d.ann, dependency.Query{Item: dependency.End{ID: d.ids["c"]}}))); diff != "" {
		t.Error("another edge is touched: " + diff)
	}
	if _, err := d.Remove(t.Context(), d.ann, d.edge("a", "needs", "b")); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an unknown relation: %v", err)
	}
}

func TestChains(t *testing.T) {
	d := newDesk(t, "a", "b", "c")
	d.add("a", "blocks", "b")
	d.add("b", "blocks", "c")
	c, a := dependency.End{ID: d.ids["c"]}, dependency.End{ID: d.ids["a"]}
	for name, test := range map[string]struct{ got, want map[string]int }{
		"direct blockers":   {d.told(d.Blockers(t.Context(), d.ann, dependency.Query{Item: c})), map[string]int{"b": 1}},
		"all blockers":      {d.told(d.Blockers(t.Context(), d.ann, dependency.Query{Item: c, Recursive: true})), map[string]int{"b": 1, "a": 2}},
		"direct dependents": {d.told(d.Dependents(t.Context(), d.ann, dependency.Query{Item: a})), map[string]int{"b": 1}},
		"all dependents":    {d.told(d.Dependents(t.Context(), d.ann, dependency.Query{Item: a, Recursive: true})), map[string]int{"b": 1, "c": 2}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestGraph(t *testing.T) {
	d := newDesk(t, "a", "b", "c", "alone")
	d.add("a", "blocks", "b")
	d.add("b", "blocks", "c")
	drawn := func(q dependency.GraphQuery) (nodes, edges int, orphans []string) {
		g, err := d.Graph(t.Context(), d.ann, q)
		if err != nil || len(g.Cycles) != 0 || g.LeftOut != 0 {
			t.Fatalf("%+v, %v", g, err)
		}
		for _, o := range g.Orphans {
			orphans = append(orphans, d.names[o])
		}
		return len(g.Nodes), len(g.Edges), orphans
	}
	if nodes, edges, orphans := drawn(dependency.GraphQuery{}); nodes != 3 || edges != 2 || len(orphans) != 1 || orphans[0] != "alone" {
		t.Errorf("the project: %d nodes, %d edges, orphans %q", nodes, edges, orphans)
	}
	root := dependency.End{ID: d.ids["a"]}
	for depth, want := range map[int]int{1: 2, 2: 3, 0: 3} {
		if nodes, edges, orphans := drawn(dependency.GraphQuery{Root: root, Depth: depth}); nodes != want || edges != want-1 || orphans != nil {
			t.Errorf("depth %d: %d nodes, %d edges, orphans %q", depth, nodes, edges, orphans)
		}
	}
	for _, depth := range []int{-1, dependency.MaxDepth + 1} {
		if _, err := d.Graph(t.Context(), d.ann, dependency.GraphQuery{Depth: depth}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// A relationship with an item of another project is in the graphs of both.
func TestGraphAcrossProjects(t *testing.T) {
	d := newDesk(t, "a", "b")
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Ensure(tx, project.Identity{UID: "other", Name: "other", Folder: "/other"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	other := caller.Caller{Place: project.Place{Named: "other"}, Agent: "ann"}
	p, err := d.plans.Create(t.Context(), other, plan.New{Title: "far"})
	if err != nil {
		t.Fatal(err)
	}
	d.ids["far"] = p.ID
	d.add("a", "blocks", "far")
	for _, c := range []caller.Caller{d.ann, other} {
		g, err := d.Graph(t.Context(), c, dependency.GraphQuery{})
		if err != nil || len(g.Nodes) != 2 || len(g.Edges) != 1 || g.Edges[0].Source != d.ids["a"] || g.Edges[0].Target != p.ID {
			t.Errorf("%+v, %v", g, err)
		}
	}
}
