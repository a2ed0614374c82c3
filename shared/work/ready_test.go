package work_test

import (
	"flag"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "rewrite docs/ready.md and the stories")

// states are the states of the items of the truth table.
var states = []work.State{work.StateOpen, work.StateActive, work.StateDone, work.StateDropped}

// condition is a reason for not being ready, with a function that brings it about.
type condition struct {
	why   work.Why
	apply func(*world, *registry.Tx, work.Item) error
}

// conditions are the conditions apart from the item's own state.
var conditions = []condition{
	{work.WhyBug, func(w *world, tx *registry.Tx, item work.Item) error {
		return work.Link(tx, work.Edge{Source: w.make(tx, work.KindBug, nil).ID, Target: item.ID, Relation: work.Blocks})
	}},
	{work.WhyPerson, func(_ *world, tx *registry.Tx, item work.Item) error {
		if item.State != work.StateOpen && item.State != work.StateActive {
			return nil
		}
		return work.HoldBack(tx, item, work.Event{Why: "not yet"})
	}},
	{work.WhyFailed, func(w *world, tx *registry.Tx, item work.Item) error {
		failed := w.move(tx, w.make(tx, work.KindTask, nil), work.StateDropped)
		return work.Link(tx, work.Edge{Source: failed.ID, Target: item.ID, Relation: work.Blocks})
	}},
	{work.WhyWaiting, func(w *world, tx *registry.Tx, item work.Item) error {
		return work.Link(tx, work.Edge{Source: w.make(tx, work.KindTicket, nil).ID, Target: item.ID, Relation: work.Blocks})
	}},
	{work.WhyAncestor, func(w *world, tx *registry.Tx, item work.Item) error {
		epic, part := w.make(tx, work.KindEpic, nil), w.make(tx, work.KindTask, nil)
		w.link(tx, epic, work.ParentOf, part)
		w.link(tx, part, work.ParentOf, item)
		return work.Link(tx, work.Edge{Source: w.make(tx, work.KindPlan, nil).ID, Target: epic.ID, Relation: work.Blocks})
	}},
	{work.WhyChildren, func(w *world, tx *registry.Tx, item work.Item) error {
		w.make(tx, work.KindTask, func(n *work.NewItem) { n.ParentID = item.ID })
		return nil
	}},
	{work.WhyTakenUp, func(w *world, tx *registry.Tx, item work.Item) error {
		w.make(tx, work.KindTask, func(n *work.NewItem) { n.OriginID = item.ID })
		return nil
	}},
	{work.WhyAssigned, func(w *world, tx *registry.Tx, item work.Item) error { return work.Assign(tx, item.ID, w.bob.ID) }},
	{work.WhyAssigned, func(w *world, tx *registry.Tx, item work.Item) error { return work.AssignPerson(tx, item.ID, "Carol") }},
	{work.WhyDeleted, func(w *world, tx *registry.Tx, item work.Item) error { return work.Delete(tx, item.ID, work.Event{}) }},
}

// The condition of the claim and Explain agree and match the table exactly: for every combination of conditions of an open task, and for
// none, each and every two of them in other states, for a kind that is never offered as work, and in a project that is not active.
func TestReadyTruthTable(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of rows")
	}
	w := newWorld(t)
	w.write(func(tx *registry.Tx) error {
		for _, kind := range []work.Kind{work.KindTask, work.KindEpic} {
			for _, onHold := range []bool{false, true} {
				for _, state := range states {
					if state != work.StateOpen && (onHold || kind == work.KindEpic) {
						continue
					}
					for set := range 1 << len(conditions) {
						if bits.OnesCount(uint(set)) > 2 && (onHold || kind != work.KindTask || state != work.StateOpen) {
							continue
						}
						w.tryReady(tx, kind, onHold, state, conditionsOf(set))
					}
				}
			}
		}
		return nil
	})
}

func conditionsOf(set int) (some []condition) {
	for i, c := range conditions {
		if set>>i&1 == 1 {
			some = append(some, c)
		}
	}
	return some
}

func (w *world) tryReady(tx *registry.Tx, kind work.Kind, onHold bool, state work.State, some []condition) {
	var want []work.Why
	item := w.make(tx, kind, func(n *work.NewItem) {
		if onHold {
			n.ProjectID = w.held.ID
		}
	})
	switch state {
	case work.StateDone, work.StateDropped:
		want = append(want, work.WhyFinished)
	case work.StateActive:
		want = append(want, work.WhyClaimed)
	}
	if kind == work.KindEpic {
		want = append(want, work.WhyContainer)
	}
	if onHold {
		want = append(want, work.WhyProject)
	}
	for _, c := range some {
		want = append(want, c.why)
		if err := c.apply(w, tx, item); err != nil {
			w.t.Fatalf("%s: %v", c.why, err)
		}
	}
	if state != work.StateOpen {
		item = w.move(tx, item, state)
	}
	item, err := work.ByID(tx, item.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	said, err := work.Explain(tx, item, w.ann.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []work.Why
	for _, r := range said.Reasons {
		got = append(got, r.Why)
		if r.Sentence == "" || strings.HasSuffix(r.Sentence, " ") {
			w.t.Errorf("%s is explained as %q", r.Why, r.Sentence)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	want = slices.Compact(want)
	ready, err := registry.One[bool](tx.QueryRow(`SELECT `+work.Ready+` FROM items WHERE id = ?`, w.ann.ID, item.ID))
	if err != nil {
		w.t.Fatal(err)
	}
	if !slices.Equal(got, want) || said.Ready != (len(want) == 0) || ready != said.Ready {
		w.t.Fatalf("%s %s, on hold %v: ready %v, explained %v %v, want %v", kind, state, onHold, ready, said.Ready, got, want)
	}
}

// resolution holds which states of which kinds of blockers resolve them.
var resolution = map[work.Kind]map[work.State]bool{
	work.KindTask:   {work.StateDone: true},
	work.KindTicket: {work.StateDone: true, work.StateDropped: true},
	work.KindPlan:   {work.StateDone: true, work.StateDropped: true},
	work.KindBug:    {work.StateDone: true, work.StateDropped: true},
}

func TestBlockersLetGo(t *testing.T) {
	w := newWorld(t)
	for kind, resolves := range resolution {
		for _, state := range states {
			for _, moment := range []string{"before the edge", "after the edge", "and back", "deleted", "unlinked"} {
				w.write(func(tx *registry.Tx) error {
					blocker, item := w.make(tx, kind, nil), w.make(tx, work.KindTask, nil)
					edge := work.Edge{Source: blocker.ID, Target: item.ID, Relation: work.Blocks}
					want := 1
					if resolves[state] {
						want = 0
					}
					if moment == "before the edge" {
						blocker = w.move(tx, blocker, state)
					}
					w.link(tx, blocker, work.Blocks, item)
					w.link(tx, blocker, work.Blocks, item) // adding it twice counts once
					if moment != "before the edge" {
						blocker = w.move(tx, blocker, state)
					}
					switch moment {
					case "and back":
						w.move(tx, blocker, work.StateOpen)
						want = 1
					case "deleted":
						want = 0
						for range 2 {
							if err := work.Delete(tx, blocker.ID, work.Event{}); err != nil {
								return err
							}
						}
						said, err := work.Explain(tx, item, 0)
						if err != nil || len(said.Notes) != 1 || !said.Ready {
							t.Errorf("a deleted blocker is not told of: %+v, %v", said, err)
						}
					case "unlinked":
						want = 0
						if found, err := work.Unlink(tx, edge); !found || err != nil {
							t.Errorf("unlink: %v, %v", found, err)
						}
						if found, err := work.Unlink(tx, edge); found || err != nil {
							t.Errorf("unlink again: %v, %v", found, err)
						}
					}
					if got := holds(t, tx, item); got != want {
						t.Errorf("%s %s %s: holds %d, want %d", kind, state, moment, got, want)
					}
					return nil
				})
			}
		}
	}
}

const readyPage = "../../docs/ready.md"

// The page shows the table that the claim works by.
func TestReadyPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# When is something ready

Ready means one thing everywhere: in a claim by id, in the next task, in every list of ready work. An item is ready when
none of these lines holds. ` + "`agit tasks explain ID`" + ` names each that does.

| not ready while | named |
|---|---|
`)
	for _, r := range work.Rules() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", r.When, r.Why)
	}
	b.WriteString(`
The next task for an agent, besides, asks for no capability the agent lacks (` + "`capabilities`" + `) and has at least the priority asked
for (` + "`priority`" + `).

## When a blocker lets go

| blocker | open | being worked on | done | dropped | deleted |
|---|---|---|---|---|---|
`)
	for _, row := range []struct {
		kind    work.Kind
		done    string
		dropped string
	}{
		{work.KindTask, "completed", "failed"}, {work.KindTicket, "done", "canceled"},
		{work.KindPlan, "completed", "canceled"}, {work.KindBug, "fixed", "wont_fix"},
	} {
		fmt.Fprintf(&b, "| %s |", row.kind)
		for _, s := range states {
			verdict := "blocks"
			if resolution[row.kind][s] {
				verdict = "lets go"
			}
			if word := map[work.State]string{work.StateDone: row.done, work.StateDropped: row.dropped}[s]; word != "" {
				verdict += " (" + word + ")"
			}
			fmt.Fprintf(&b, " %s |", verdict)
		}
		b.WriteString(" lets go, and is told |\n")
	}
	b.WriteString(`
A bug being investigated still blocks. A failed task blocks until it is reopened and completed, deleted, or the edge is
taken away. Written by ` + "`go test ./shared/work -update`" + `.
`)
	if *update {
		if err := os.WriteFile(readyPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(readyPage)
	if err != nil || string(page) != b.String() {
		t.Errorf("docs/ready.md is not what the rules say (%v); run go test ./shared/work -update", err)
	}
}
