package worklist_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// node is an item as the model has it: what was said of it, and no count of
// anything.
type node struct {
	item     work.Item
	parent   int
	blockers map[int]bool
	state    work.State
	deleted  bool
	held     bool
	assignee string // "", "ann" or someone else
	origin   int
}

// model finds what is ready by looking at everything, each time.
type model struct{ nodes []*node }

func (m *model) resolved(i int) bool {
	n := m.nodes[i]
	return n.deleted || n.state == work.StateDone || n.state == work.StateDropped && n.item.Kind != work.KindTask
}

// waits reports whether an item or something that contains it waits.
func (m *model) waits(i int) bool {
	for at, first := i, true; at >= 0; at, first = m.nodes[at].parent, false {
		n := m.nodes[at]
		if n.deleted && !first {
			return false
		}
		if n.held {
			return true
		}
		for b := range n.blockers {
			if !m.resolved(b) {
				return true
			}
		}
	}
	return false
}

func (m *model) ready(i int) bool {
	n := m.nodes[i]
	if n.deleted || n.state != work.StateOpen || n.item.Kind == work.KindBug || n.item.Kind == work.KindEpic || n.assignee != "" && n.assignee != "ann" || m.waits(i) {
		return false
	}
	if n.origin >= 0 && n.item.Kind == work.KindTask {
		switch from := m.nodes[n.origin]; {
		case from.item.Kind != work.KindTicket && from.item.Kind != work.KindPlan:
		case from.deleted || from.state == work.StateDone || from.state == work.StateDropped || m.waits(n.origin),
			n.assignee == "" && from.assignee != "" && from.assignee != "ann":
			return false
		}
	}
	for j, other := range m.nodes {
		unfinished := !other.deleted && (other.state == work.StateOpen || other.state == work.StateActive)
		if unfinished && (other.parent == i || other.origin == i && other.item.Kind == work.KindTask) && j != i {
			return false
		}
	}
	return true
}

// closes reports whether an edge would let an item wait for itself. It walks over
// beginnings (2i) and ends (2i+1), from the one that the edge makes later to the one
// that it makes earlier.
func (m *model) closes(source, target int, relation work.Relation) bool {
	after := map[int][]int{}
	arrow := func(a, b int) { after[a] = append(after[a], b) }
	contain := func(p, c int) { arrow(2*p, 2*c); arrow(2*c+1, 2*p+1) }
	for i, n := range m.nodes {
		arrow(2*i, 2*i+1)
		if n.parent >= 0 && !(relation == work.ParentOf && i == target) {
			contain(n.parent, i)
		}
		for b := range n.blockers {
			arrow(2*b+1, 2*i)
		}
	}
	reaches := func(from, to int) bool {
		seen, stack := map[int]bool{from: true}, []int{from}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if at == to {
				return true
			}
			for _, next := range after[at] {
				if !seen[next] {
					seen[next] = true
					stack = append(stack, next)
				}
			}
		}
		return false
	}
	if relation == work.Blocks {
		return reaches(2*target, 2*source+1)
	}
	return reaches(2*target, 2*source) || reaches(2*source+1, 2*target+1)
}

type modelWorld struct {
	t  *testing.T
	r  *rand.Rand
	st *stores.Stores
	p  project.Project
	m  model
}

func (w *modelWorld) write(fn func(*registry.Tx) error) {
	w.t.Helper()
	if err := w.st.DB.Write(w.t.Context(), registry.Everything, fn); err != nil {
		w.t.Fatal(err)
	}
}

// fill makes n items of every kind.
func (w *modelWorld) fill(n int) {
	w.write(func(tx *registry.Tx) (err error) {
		if w.p, err = project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"}); err != nil {
			return err
		}
		if _, err := agent.Register(tx, agent.Registration{Name: "ann"}); err != nil {
			return err
		}
		kinds := []work.Kind{work.KindTicket, work.KindTicket, work.KindPlan, work.KindTask, work.KindBug, work.KindEpic}
		for i := range n {
			kind := kinds[w.r.IntN(len(kinds))]
			x := &node{parent: -1, origin: -1, blockers: map[int]bool{}, state: work.StateOpen, assignee: []string{"", "", "", "ann", "carol"}[w.r.IntN(5)]}
			if kind == work.KindTicket {
				report, err := ticket.PutMany(tx, []ticket.New{{Key: fmt.Sprintf("T-%d", i), Title: "x", Priority: work.Priority(w.r.IntN(5)), Assignee: x.assignee}}, ticket.Put{ProjectID: w.p.ID})
				if err != nil {
					return err
				}
				x.item, err = work.ByID(tx, report.Items[0])
				if err != nil {
					return err
				}
			} else {
				made := work.NewItem{ProjectID: w.p.ID, Kind: kind, Ref: fmt.Sprintf("X-%d", i), Text: "x", Status: "pending", Priority: work.Priority(w.r.IntN(5))}
				if origin := w.r.IntN(max(i, 1)); kind == work.KindTask && i > 0 && w.r.IntN(4) == 0 && !w.takenUp(origin) {
					made.OriginID, x.origin = w.m.nodes[origin].item.ID, origin
				}
				if x.item, err = work.Create(tx, made); err != nil {
					return err
				}
				if x.assignee != "" {
					if err := work.AssignPerson(tx, x.item.ID, x.assignee); err != nil {
						return err
					}
				}
			}
			w.m.nodes = append(w.m.nodes, x)
		}
		return nil
	})
}

func (w *modelWorld) takenUp(origin int) bool {
	return slices.ContainsFunc(w.m.nodes, func(n *node) bool { return n.origin == origin })
}

// link adds an edge that the model says is sound, or is refused as it says.
func (w *modelWorld) link(tx *registry.Tx, closed *int) error {
	a, b := w.r.IntN(len(w.m.nodes)), w.r.IntN(len(w.m.nodes))
	source, target := w.m.nodes[a], w.m.nodes[b]
	relation := work.Blocks
	if w.r.IntN(3) == 0 {
		relation = work.ParentOf
	}
	if a == b || source.deleted || target.deleted || relation == work.Blocks && source.item.Kind == work.KindEpic || relation == work.ParentOf && target.parent == a || source.item.Kind == work.KindBug && relation == work.ParentOf {
		return nil
	}
	want := w.m.closes(a, b, relation)
	err := work.Link(tx, work.Edge{Source: source.item.ID, Target: target.item.ID, Relation: relation})
	if fault.Is(err, fault.KindConflict) != want {
		w.t.Fatalf("%s %s %s: closes a cycle %t, answered %v", source.item.Ref, relation, target.item.Ref, want, err)
	}
	switch {
	case want:
		*closed++
		return nil
	case err != nil:
		return err
	case relation == work.Blocks:
		target.blockers[a] = true
	default:
		target.parent = a
	}
	return nil
}

// change does one random thing to one item.
func (w *modelWorld) change(tx *registry.Tx) error {
	i := w.r.IntN(len(w.m.nodes))
	n := w.m.nodes[i]
	switch w.r.IntN(8) {
	case 0:
		n.deleted = !n.deleted
		if n.deleted {
			return work.Delete(tx, n.item.ID, work.Event{})
		}
		return work.Revive(tx, n.item.ID, work.Event{})
	case 1:
		for b := range n.blockers {
			delete(n.blockers, b)
			_, err := work.Unlink(tx, work.Edge{Source: w.m.nodes[b].item.ID, Target: n.item.ID, Relation: work.Blocks})
			return err
		}
		return nil
	case 2:
		item, err := work.ByID(tx, n.item.ID)
		if err != nil || n.deleted {
			return err
		}
		if n.held {
			n.held = false
			_, err = work.LetGo(tx, item, work.Event{})
			return err
		}
		if n.state != work.StateOpen && n.state != work.StateActive {
			return nil
		}
		n.held = true
		return work.HoldBack(tx, item, work.Event{})
	default:
		state := []work.State{work.StateOpen, work.StateActive, work.StateDone, work.StateDropped}[w.r.IntN(4)]
		if n.state == work.StateDropped && n.origin >= 0 {
			return nil // another task may have taken its origin up
		}
		item, err := work.ByID(tx, n.item.ID)
		if err != nil {
			return err
		}
		n.state = state
		return work.SetStatus(tx, &item, work.Move{Status: string(state), State: state})
	}
}

// check compares what is ready with the model, and each item that is not with its
// explanation.
func (w *modelWorld) check() (ready int) {
	w.t.Helper()
	place := project.Place{Named: "p-1"}
	list, err := w.st.Board.Ready(w.t.Context(), worklist.ReadyQuery{Caller: caller.Caller{Place: place, Agent: "ann"}, Tickets: true, Local: true, Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	got := map[string]bool{}
	for i, item := range list.Items {
		got[item.ID] = true
		if i > 0 && item.Priority > list.Items[i-1].Priority {
			w.t.Fatalf("%s stands behind the less urgent %s", item.ID, list.Items[i-1].ID)
		}
	}
	for i, n := range w.m.nodes {
		if want := w.m.ready(i); got[n.item.Ref] != want {
			said, _ := w.st.Board.Explain(w.t.Context(), caller.Caller{Place: place, Agent: "ann"}, n.item.Ref)
			w.t.Fatalf("%s %s is ready %t, want %t: %+v", n.item.Kind, n.item.Ref, got[n.item.Ref], want, said)
		}
	}
	return len(got)
}

// Over random graphs of items of every kind, with cycles refused, blockers that
// are canceled, failed, deleted and brought back, parents, holds, origins and
// assignees: nothing blocked is ever ready, and nothing ready is missed.
func TestReadyIsWhatTheModelSays(t *testing.T) {
	sizes := []int{2000, 300, 300}
	if testing.Short() {
		sizes = []int{200}
	}
	for seed, n := range sizes {
		t.Run(fmt.Sprintf("%d items, seed %d", n, seed), func(t *testing.T) {
			w := &modelWorld{t: t, r: rand.New(rand.NewPCG(uint64(seed), 7)), st: stores.New(registrytest.Open(t), config.Default())}
			w.fill(n)
			closed, ready := 0, w.check()
			for range 4 {
				w.write(func(tx *registry.Tx) error {
					for range n / 2 {
						if err := w.link(tx, &closed); err != nil {
							return err
						}
					}
					for range n / 4 {
						if err := w.change(tx); err != nil {
							return err
						}
					}
					return nil
				})
				ready += w.check()
			}
			if closed == 0 || ready == 0 {
				t.Errorf("%d cycles were refused, %d items were ready: the graph is too tame", closed, ready)
			}
		})
	}
}
