package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// Random runs random steps against a tracker with random failures: other people add, edit, delete, restore and move items, pulls are
// interrupted and resumed, changes and comments are sent and sent again. At the end the pulled items equal the tracker's, and every
// sent change exists once. The seed determines everything.
func Random(t *testing.T, h Harness, seed uint64, steps int) {
	r := h.Begin(t)
	s := &storm{Tracker: r, dice: rand.New(rand.NewPCG(seed, 1)), store: NewStore(), comments: map[string][]string{}}
	r.World.Faults().Random(s.fault)
	for range 10 {
		s.add()
	}
	for range steps {
		s.step()
	}
	r.World.Faults().Clear()
	// Lets late answers settle, and reads changes without a trace with the daily read.
	for _, later := range []time.Duration{30 * time.Minute, 30 * time.Minute, 25 * time.Hour} {
		r.Clock.Advance(later)
		r.MustPull(s.store)
	}
	s.compare()
}

// storm is one run of Random.
type storm struct {
	*Tracker
	dice     *rand.Rand
	store    *Store
	ids      []string
	comments map[string][]string // that were sent
	n        int
}

// fault returns the failure of a request, usually none.
func (s *storm) fault() providertest.Kind {
	if s.dice.IntN(12) > 0 {
		return ""
	}
	return faultKinds[s.dice.IntN(len(faultKinds))]
}

func (s *storm) one() string { return s.ids[s.dice.IntN(len(s.ids))] }

func (s *storm) add() {
	s.n++
	spec := providertest.Spec{Title: fmt.Sprint("made ", s.n), Priority: s.dice.IntN(5), Status: s.World.StatusOf(provider.Todo)}
	if len(s.ids) > 0 && s.dice.IntN(4) == 0 {
		if parent := s.one(); s.there(parent) {
			spec.Parent, spec.Type = parent, provider.TypeSubtask
		}
	}
	s.ids = append(s.ids, s.World.Add(spec))
}

func (s *storm) there(id string) bool { return slices.Contains(s.World.IDs(), id) }

func (s *storm) step() {
	s.n++
	s.Clock.Advance(time.Duration(s.dice.IntN(400)) * time.Second)
	switch k := s.dice.IntN(20); {
	case k < 2:
		s.add()
	case k < 7:
		title, priority := fmt.Sprint("edit ", s.n), s.dice.IntN(5)
		s.World.Edit(s.one(), providertest.Edit{Title: &title, Priority: &priority})
	case k == 7:
		status := s.World.StatusOf([]provider.Category{provider.Todo, provider.InProgress, provider.Done}[s.dice.IntN(3)])
		s.World.Edit(s.one(), providertest.Edit{Status: &status})
	case k == 8:
		if id := s.one(); s.there(id) {
			s.World.Delete(id)
		}
	case k == 9:
		if id := s.one(); s.there(id) && s.dice.IntN(3) == 0 {
			s.World.Move(id)
		}
	case k < 13:
		s.change()
	case k == 13:
		s.comment()
	default:
		if err := s.Pull(s.store, s.dice.IntN(4)); err != nil {
			s.NoSecret("an error", err.Error())
		}
	}
}

// change sends a change until it succeeds, as the queue does.
func (s *storm) change() {
	id := s.one()
	if !s.there(id) {
		return
	}
	priority := 1 + s.dice.IntN(4)
	label := s.World.Labels()[s.dice.IntN(2)]
	err := s.again(func(time.Time) error {
		item, err := s.Provider.Item(context.Background(), id)
		if err != nil {
			return err
		}
		_, err = s.Provider.Update(context.Background(), item, provider.Change{Priority: &priority, AddLabels: []string{label}})
		return err
	})
	if err != nil {
		return // it failed eight times in a row, which is reported
	}
	if now, ok := s.World.Look(id); ok && (now.Priority != priority || !slices.Contains(now.Labels, label)) {
		s.errorf("step %d: %s has priority %d and labels %q after priority %d and label %q were sent", s.n, id, now.Priority, now.Labels, priority, label)
	}
}

// comment sends a comment until it succeeds.
func (s *storm) comment() {
	id := s.one()
	c, ok := s.Provider.(provider.Commenter)
	if !ok || !s.there(id) {
		return
	}
	text := fmt.Sprint("comment ", s.n)
	err := s.again(func(attempted time.Time) error {
		item, err := s.Provider.Item(context.Background(), id)
		if err != nil {
			return err
		}
		_, err = c.AddComment(context.Background(), item, provider.NewComment{Key: provider.UUID(text), Text: text, Attempted: attempted})
		return err
	})
	if err == nil {
		s.comments[id] = append(s.comments[id], text)
	}
}

// compare compares the pulled items and the sent changes with the tracker.
func (s *storm) compare() {
	here := s.World.IDs()
	for _, id := range here {
		got, ok := s.store.Items[id]
		if !ok {
			s.errorf("%s was not pulled", id)
			continue
		}
		s.sameItem(id, got)
	}
	for id, want := range s.comments {
		got := s.World.Comments(id)
		if _, ok := s.World.Look(id); !ok {
			continue // permanently deleted, with its comments
		}
		for _, text := range want {
			n := 0
			for _, there := range got {
				if there == text {
					n++
				}
			}
			if n != 1 {
				s.errorf("%q stands %d times at %s", text, n, id)
			}
		}
	}
	for id := range s.store.Items {
		if !slices.Contains(here, id) && s.Where(s.store, id) == provider.Present {
			s.errorf("%s is held for present and is not there", id)
		}
	}
}
