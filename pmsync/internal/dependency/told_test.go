package dependency_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew, for review")

// The relations of items: how they are added, removed, followed and drawn.
func TestStoryOfRelations(t *testing.T) {
	d := newDesk(t)
	items := map[string]work.Item{}
	write := func(fn func(*registry.Tx) error) {
		t.Helper()
		if err := d.DB.Write(t.Context(), registry.Everything, fn); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *registry.Tx) error {
		for _, one := range []struct {
			kind work.Kind
			ref  string
		}{{work.KindTicket, "A"}, {work.KindTicket, "B"}, {work.KindPlan, "C"}, {work.KindTask, "D"}, {work.KindBug, "E"}, {work.KindEpic, "F"}, {work.KindTicket, "G"}, {work.KindTicket, "H"}, {work.KindScenario, "S"}} {
			i, err := work.Create(tx, work.NewItem{ProjectID: 1, Kind: one.kind, Ref: one.ref, Title: "Item " + one.ref, Status: "todo", Priority: work.Priority(len(items) % 5)})
			if err != nil {
				return err
			}
			items[one.ref] = i
		}
		return work.WaitOutside(tx, items["B"].ID, []work.Outside{{ID: "77", Ref: "X-7", Title: "elsewhere"}}, work.Event{})
	})
	var b strings.Builder
	step := func(what, said string, err error) {
		fmt.Fprintf(&b, "%s\n", what)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
		} else {
			fmt.Fprintf(&b, "\t%s\n", said)
		}
	}
	end := func(id string) dependency.End {
		id, kind, _ := strings.Cut(id, ":")
		return dependency.End{ID: id, Kind: kind}
	}
	adds := func(source, relation, target string, both bool, notes string) {
		got, err := d.Add(t.Context(), d.ann, dependency.Edge{Source: end(source), Target: end(target), Relation: relation, Bidirectional: both, Notes: notes})
		got.BookedOn.Project = ""
		step(fmt.Sprintf("add %s %s %s %t %q", source, relation, target, both, notes), fmt.Sprintf("%+v", got), err)
	}
	removes := func(source, relation, target string) {
		got, err := d.Remove(t.Context(), d.ann, dependency.Edge{Source: end(source), Target: end(target), Relation: relation})
		step(fmt.Sprintf("remove %s %s %s", source, relation, target), fmt.Sprintf("%s %s %d by %s", got.Source, got.Target, got.Removed, got.BookedOn.Agent), err)
	}
	chains := func(id string) {
		for _, recursive := range []bool{false, true} {
			for _, resolved := range []bool{false, true} {
				q := dependency.Query{Item: end(id), Recursive: recursive, IncludeResolved: resolved}
				before, err := d.Blockers(t.Context(), d.ann, q)
				after, _ := d.Dependents(t.Context(), d.ann, q)
				said := ""
				for _, list := range [][]dependency.Neighbour{before, after} {
					for _, n := range list {
						said += fmt.Sprintf("%s %s %q %s priority %d %s at %d resolved %t %t; ", n.ID, n.Type, n.Title, n.Status, n.Priority, n.Relation, n.Depth, n.Resolved, n.ResolvedAt != nil)
					}
					said += "| "
				}
				step(fmt.Sprintf("chains of %s, recursive %t, resolved %t", id, recursive, resolved), said, err)
			}
		}
	}
	draws := func(root string, depth int) {
		g, err := d.Graph(t.Context(), d.ann, dependency.GraphQuery{Root: end(root), Depth: depth})
		step(fmt.Sprintf("graph of %q to %d", root, depth), fmt.Sprintf("%+v", g), err)
	}
	draws("", 0)
	adds("A", "blocks", "B", false, "first")
	adds("a", "blocks", "b", false, "again")
	adds("A:ticket", "blocks", "C:local", false, "")
	adds("A:plan", "blocks", "C", false, "")
	adds("A:thing", "blocks", "C", false, "")
	adds("A", "eats", "C", false, "")
	adds("A", "blocks", "Z", false, "")
	adds("Z", "blocks", "A", false, "")
	adds("B", "blocks", "A", false, "")
	adds("A", "related_to", "D", true, "\x00")
	adds("A", "related_to", "D", true, "as before")
	adds("F", "parent_of", "B", false, "")
	adds("F", "parent_of", "B", false, "")
	adds("E", "discovered_from", "D", false, "")
	adds("E", "blocks", "F", false, "")
	adds("B", "blocks", "D", false, "")
	adds("D", "blocks", "H", false, "")
	chains("B")
	chains("D")
	chains("A")
	chains("Z")
	write(func(tx *registry.Tx) error {
		a := items["A"]
		return work.SetStatus(tx, &a, work.Move{State: work.StateDone, Status: "done"})
	})
	chains("B")
	chains("D")
	draws("", 0)
	draws("A", 1)
	draws("A", 0)
	draws("E:bug", 2)
	draws("A", 21)
	draws("A", -1)
	draws("Z", 1)
	write(func(tx *registry.Tx) error {
		return tx.Do(`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) VALUES (?, ?, ?, 'blocks', ?)`, registry.NewUID(), items["H"].ID, items["D"].ID, tx.Stamp())
	})
	draws("D", 2)
	removes("A", "eats", "B")
	removes("A", "blocks", "Z")
	removes("X-7", "related_to", "B")
	removes("X-7", "", "B")
	removes("77", "blocks", "B")
	removes("D", "related_to", "A")
	removes("A", "parent_of", "B")
	removes("A", "", "B")
	removes("A", "", "B")
	removes("F", "parent_of", "B")
	removes("B", "blocks", "D")
	draws("", 3)
	goldentest.Same(t, "relations.txt", b.String(), *update)
}

// A large graph is cut, and names how much was left out.
func TestLargeGraphs(t *testing.T) {
	d := newDesk(t)
	const many = 320
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		var all []work.NewItem
		for i := range many {
			all = append(all, work.NewItem{ProjectID: 1, Kind: work.KindTask, Ref: fmt.Sprintf("n%03d", i), Title: "x", Status: "todo"})
		}
		for i := range 60 {
			all = append(all, work.NewItem{ProjectID: 1, Kind: work.KindTask, Ref: fmt.Sprintf("o%03d", i), Title: "x", Status: "todo"})
		}
		refused := func(_ int, err error) error { return err }
		made, err := work.CreateMany(tx, all, refused)
		if err != nil {
			return err
		}
		var edges []work.Edge
		for i := range many - 1 {
			edges = append(edges, work.Edge{Source: made[0].ID, Target: made[i+1].ID, Relation: work.Blocks})
		}
		_, err = work.LinkMany(tx, edges, refused)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root          string
		nodes, edges  int
		left, orphans int
	}{{"", 300, 299, 20, 50}, {"n000", 300, 299, 20, 0}, {"n001", 300, 299, 20, 0}} {
		g, err := d.Graph(t.Context(), d.ann, dependency.GraphQuery{Root: dependency.End{ID: c.root}})
		if err != nil || len(g.Nodes) != c.nodes || len(g.Edges) != c.edges || g.LeftOut != c.left || len(g.Orphans) != c.orphans || len(g.Cycles) != 0 {
			t.Errorf("from %q: %d nodes, %d edges, %d left out, %d orphans, %v", c.root, len(g.Nodes), len(g.Edges), g.LeftOut, len(g.Orphans), err)
		}
	}
}
