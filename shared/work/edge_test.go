package work_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

func TestCyclesAreRefusedAndNamed(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		named := func(ref string, kind work.Kind) work.Item {
			return w.make(tx, kind, func(n *work.NewItem) { n.Ref = ref })
		}
		refused := func(source, target work.Item, relation work.Relation, want string) {
			t.Helper()
			err := work.Link(tx, work.Edge{Source: source.ID, Target: target.ID, Relation: relation})
			if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s %s: %v, want %q", source.Ref, relation, target.Ref, err, want)
			}
		}
		a, b, c, epic := named("A", work.KindTask), named("B", work.KindTicket), named("C", work.KindPlan), named("E", work.KindEpic)
		w.link(tx, a, work.Blocks, b)
		w.link(tx, b, work.Blocks, epic)
		w.link(tx, epic, work.ParentOf, c)
		refused(b, a, work.Blocks, "B → A → B")
		refused(c, a, work.Blocks, "C → A → B → E → C")
		refused(c, b, work.Blocks, "C → B → E → C")
		refused(c, a, work.ParentOf, "C → A → B → E → C")
		refused(a, a, work.Blocks, "cannot be related to itself")
		// A container ends after its parts: a part cannot wait for its whole, nor the whole for its part, at any depth.
		whole, part, deep, waiter := named("W", work.KindTask), named("P", work.KindTask), named("D", work.KindTask), named("X", work.KindTask)
		w.link(tx, whole, work.ParentOf, part)
		w.link(tx, part, work.ParentOf, deep)
		w.link(tx, whole, work.Blocks, waiter)
		refused(whole, part, work.Blocks, "W → P → W")
		refused(whole, deep, work.Blocks, "W → D → P → W")
		refused(deep, whole, work.Blocks, "D → W → P → D")
		refused(whole, waiter, work.ParentOf, "W → X → W")
		refused(waiter, deep, work.Blocks, "X → D → P → W → X")
		w.link(tx, waiter, work.ParentOf, part) // it leaves the whole, so that nothing waits for itself
		// Relations that do not make an item wait close no cycle.
		w.link(tx, c, work.RelatedTo, a)
		w.link(tx, c, work.DiscoveredFrom, a)
		for _, e := range []work.Edge{
			{Source: a.ID, Target: b.ID, Relation: "needs"},
			{Source: a.ID, Target: c.ID, Relation: work.Blocks, Bidirectional: true},
			{Source: epic.ID, Target: a.ID, Relation: work.Blocks},
		} {
			if err := work.Link(tx, e); !fault.Is(err, fault.KindValidation) {
				t.Errorf("%+v: %v", e, err)
			}
		}
		return nil
	})
}

// model computes holds by their definition, over all items and edges.
type model struct {
	kind    []work.Kind
	state   []work.State
	deleted []bool
	parent  []int // -1 none
	blocks  map[[2]int]bool
}

func (m *model) holds(i int) int {
	n := 0
	for edge := range m.blocks {
		b := edge[0]
		if edge[1] == i && !m.deleted[b] && (m.state[b] != work.StateDone && (m.state[b] != work.StateDropped || m.kind[b] == work.KindTask)) {
			n++
		}
	}
	if p := m.parent[i]; p >= 0 && !m.deleted[p] && m.holds(p) > 0 {
		n++
	}
	return n
}

// After any operations in any order, holds match the model, and a recount finds no mistake.
func TestHoldsFollowEveryChange(t *testing.T) {
	for seed := range uint64(6) {
		w, r := newWorld(t), rand.New(rand.NewPCG(seed, 1))
		const size = 14
		m := &model{blocks: map[[2]int]bool{}}
		items := make([]work.Item, size)
		w.write(func(tx *registry.Tx) error {
			for i := range items {
				kind := []work.Kind{work.KindTask, work.KindTask, work.KindBug, work.KindTicket}[r.IntN(4)]
				items[i] = w.make(tx, kind, nil)
				m.kind, m.state = append(m.kind, kind), append(m.state, work.StateOpen)
				m.deleted, m.parent = append(m.deleted, false), append(m.parent, -1)
			}
			return nil
		})
		w.write(func(tx *registry.Tx) error {
			for range 150 {
				change := func() error {
					a, b := r.IntN(size), r.IntN(size)
					if m.deleted[a] || m.deleted[b] {
						return nil
					}
					switch r.IntN(8) {
					case 0, 1, 2:
						err := work.Link(tx, work.Edge{Source: items[a].ID, Target: items[b].ID, Relation: work.Blocks})
						if err == nil {
							m.blocks[[2]int{a, b}] = true
						} else if !fault.Is(err, fault.KindConflict) {
							return err
						}
					case 3:
						if m.kind[a] == work.KindBug {
							return nil
						}
						err := work.Link(tx, work.Edge{Source: items[a].ID, Target: items[b].ID, Relation: work.ParentOf})
						if err == nil {
							m.parent[b] = a
						} else if !fault.Is(err, fault.KindConflict) && !fault.Is(err, fault.KindValidation) {
							return err
						}
					case 4:
						if _, err := work.Unlink(tx, work.Edge{Source: items[a].ID, Target: items[b].ID, Relation: work.Blocks}); err != nil {
							return err
						}
						delete(m.blocks, [2]int{a, b})
					case 5, 6:
						state := states[r.IntN(len(states))]
						item, err := work.ByID(tx, items[a].ID)
						if err != nil {
							return err
						}
						w.move(tx, item, state)
						m.state[a] = state
					case 7:
						if r.IntN(4) == 0 {
							m.deleted[a] = true
							return work.Delete(tx, items[a].ID, work.Event{})
						}
					}
					return nil
				}
				if err := change(); err != nil {
					return err
				}
				for i, item := range items {
					if got, want := holds(t, tx, item), m.holds(i); got != want {
						t.Fatalf("seed %d: item %d (%s %s) holds %d, the model says %d", seed, i, m.kind[i], m.state[i], got, want)
					}
				}
			}
			return nil
		})
		w.write(func(tx *registry.Tx) error {
			if wrong, err := work.Recount(tx); wrong != 0 || err != nil {
				t.Errorf("a recount found %d wrong, %v", wrong, err)
			}
			_, err := tx.Exec(`UPDATE items SET holds = holds + 3 WHERE id = ?`, items[0].ID)
			if err != nil {
				return err
			}
			if wrong, err := work.Miscounted(tx); wrong != 1 || err != nil {
				t.Errorf("%d are said to be wrong, %v", wrong, err)
			}
			if wrong, err := work.Recount(tx); wrong != 1 || err != nil {
				t.Errorf("a recount mended %d, %v", wrong, err)
			}
			if got, want := holds(t, tx, items[0]), m.holds(0); got != want {
				t.Errorf("after the recount %d, want %d", got, want)
			}
			return nil
		})
	}
}

func TestUnblockingManyIsOneStep(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		first, epic := w.make(tx, work.KindTask, nil), w.make(tx, work.KindEpic, nil)
		w.link(tx, first, work.Blocks, epic)
		for range 1200 { // more than one batch
			w.make(tx, work.KindTask, func(n *work.NewItem) { n.ParentID = epic.ID })
		}
		count := func() int {
			n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM items WHERE holds > 0`))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count(); n != 1201 {
			t.Errorf("%d are held", n)
		}
		w.move(tx, first, work.StateDone)
		if n := count(); n != 0 {
			t.Errorf("%d are still held", n)
		}
		return nil
	})
}

// Cycles finds cycles that Link cannot make, and none in edges that Link can make.
func TestCyclesAreFound(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		named := func(ref string) work.Item {
			return w.make(tx, work.KindTask, func(n *work.NewItem) { n.Ref = ref })
		}
		a, b, c, whole, part := named("A"), named("B"), named("C"), named("W"), named("P")
		w.link(tx, a, work.Blocks, b)
		w.link(tx, b, work.Blocks, c)
		w.link(tx, whole, work.ParentOf, part)
		cycles := func() string {
			found, err := work.Cycles(tx)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, one := range found {
				all = append(all, strings.Join(one, " "))
			}
			slices.Sort(all)
			return strings.Join(all, "; ")
		}
		if got := cycles(); got != "" {
			t.Errorf("found %s", got)
		}
		for _, e := range [][2]work.Item{{c, a}, {whole, part}} {
			if _, err := tx.Exec(`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) VALUES (?, ?, ?, 'blocks', ?)`,
				e[0].Ref, e[0].ID, e[1].ID, tx.Stamp()); err != nil {
				return err
			}
		}
		if got := cycles(); len(strings.Split(got, "; ")) != 2 || !strings.Contains(got+" "+got, "A B C A") && !strings.Contains(got, "B C A B") && !strings.Contains(got, "C A B C") || !strings.Contains(got, "W") {
			t.Errorf("found %s", got)
		}
		w.move(tx, a, work.StateDone) // nothing waits for it any more
		if got := cycles(); strings.Contains(got, "A") || !strings.Contains(got, "P") {
			t.Errorf("found %s", got)
		}
		return nil
	})
}
