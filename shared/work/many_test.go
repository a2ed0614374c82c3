package work_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Adding many at once has the same result as adding one after the other: the same items, the same edges refused for the same reason, the
// same holds and history.
func TestManyAreLikeOneByOne(t *testing.T) {
	for seed := range uint64(15) {
		one, many := newWorld(t), newWorld(t)
		plan := randomPlan(rand.New(rand.NewPCG(seed, 7)), many.active.ID)
		one.active.ID = many.active.ID
		byOne := plan.run(one, func(tx *registry.Tx, items []work.NewItem) []work.Item {
			made := make([]work.Item, len(items))
			for i, n := range items {
				made[i], _ = work.Create(tx, n)
			}
			return made
		}, func(tx *registry.Tx, edges []work.Edge, refused func(int, error)) {
			for i, e := range edges {
				if err := work.Link(tx, e); err != nil {
					refused(i, err)
				}
			}
		})
		atOnce := plan.run(many, func(tx *registry.Tx, items []work.NewItem) []work.Item {
			made, err := work.CreateMany(tx, items, func(int, error) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			return made
		}, func(tx *registry.Tx, edges []work.Edge, refused func(int, error)) {
			if _, err := work.LinkMany(tx, edges, func(i int, err error) error { refused(i, err); return nil }); err != nil {
				t.Fatal(err)
			}
		})
		if diff := cmp.Diff(byOne, atOnce); diff != "" {
			t.Fatalf("seed %d (-one by one +at once):\n%s", seed, diff)
		}
	}
}

type randomPlanned struct {
	items []work.NewItem
	edges []struct {
		from, to int
		relation work.Relation
	}
}

func randomPlan(r *rand.Rand, project int64) (p randomPlanned) {
	kinds := []work.Kind{work.KindTask, work.KindTask, work.KindTask, work.KindBug, work.KindEpic, work.KindScenario}
	n := 3 + r.IntN(20)
	for i := range n {
		item := work.NewItem{ProjectID: project, Kind: kinds[r.IntN(len(kinds))], Ref: fmt.Sprintf("R-%d", i), Text: fmt.Sprintf("item %d\n\nand more", i), Status: "pending"}
		switch r.IntN(8) {
		case 0:
			item.Ref = "R-0" // taken, except for the first
		case 1:
			item.Text = " "
		case 2:
			item.Ref = "a\x00b"
		}
		p.items = append(p.items, item)
	}
	relations := []work.Relation{work.Blocks, work.Blocks, work.Blocks, work.ParentOf, work.RelatedTo, work.DiscoveredFrom, "nonsense"}
	for range r.IntN(3 * n) {
		p.edges = append(p.edges, struct {
			from, to int
			relation work.Relation
		}{r.IntN(n), r.IntN(n), relations[r.IntN(len(relations))]})
	}
	return p
}

// run makes the plan in two parts, finishes an item between them, and returns the outcome.
func (p randomPlanned) run(w *world, create func(*registry.Tx, []work.NewItem) []work.Item, link func(*registry.Tx, []work.Edge, func(int, error))) (came []string) {
	w.write(func(tx *registry.Tx) error {
		half := len(p.items) / 2
		made := create(tx, p.items[:half])
		if half > 0 && made[0].ID != 0 {
			made[0] = w.move(tx, made[0], work.StateDone)
		}
		made = append(made, create(tx, p.items[half:])...)
		for i, item := range made {
			came = append(came, fmt.Sprintf("%d %v %s %s %q", i, item.ID != 0, item.Ref, item.Title, item.Description))
		}
		for part := range slices.Chunk(p.edges, max(1, len(p.edges)/2)) {
			var edges []work.Edge
			for _, e := range part {
				if made[e.from].ID != 0 && made[e.to].ID != 0 {
					edges = append(edges, work.Edge{Source: made[e.from].ID, Target: made[e.to].ID, Relation: e.relation})
				}
			}
			link(tx, edges, func(i int, err error) {
				f := fault.From(err)
				why := f.Message
				if f.Kind == fault.KindConflict {
					why = "" // any of several cycles may be named
				}
				came = append(came, fmt.Sprintf("edge %d refused: %s %s", i, f.Kind, why))
			})
		}
		for _, query := range []string{
			`SELECT i.ref || ' ' || i.holds || ' ' || i.state || ' ' || COALESCE(p.ref, '') FROM items i LEFT JOIN items p ON p.id = i.parent_id ORDER BY i.id`,
			`SELECT s.ref || ' ' || d.relation || ' ' || t.ref FROM dependencies d JOIN items s ON s.id = d.source_id JOIN items t ON t.id = d.target_id ORDER BY 1`,
			`SELECT i.ref || ' ' || h.field || ' ' || COALESCE(h.old, '-') || ' ' || COALESCE(h.new, '-') || ' ' || h.why FROM item_history h JOIN items i ON i.id = h.item_id ORDER BY 1`,
		} {
			rows, err := registry.Collect(tx, registry.One[string], query)
			if err != nil {
				return err
			}
			came = append(append(came, "--"), rows...)
		}
		if wrong, err := work.Miscounted(tx); err != nil || wrong > 0 {
			w.t.Errorf("%d items are miscounted, %v", wrong, err)
		}
		return nil
	})
	return came
}
