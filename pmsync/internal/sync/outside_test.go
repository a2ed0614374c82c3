package sync_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// elsewhere is a tracker that has one ticket of another project.
type elsewhere struct {
	provider.Provider
	status provider.Status
	err    error
	asked  int
}

func (e *elsewhere) Item(ctx context.Context, id string) (*provider.Item, error) {
	if id != "999" {
		return e.Provider.Item(ctx, id)
	}
	e.asked++
	return &provider.Item{RemoteID: id, Presence: provider.Moved, Status: e.status}, e.err
}

// holds returns how many items ticket P-1 waits for.
func (s *side) holds() (n int) {
	s.Helper()
	s.must(s.db.Read(s.Context(), func(tx *registry.Tx) error {
		t, err := ticket.Find(tx, s.project, "id", "P-1")
		n = t.Item().Holds
		return err
	}))
	return n
}

func TestABlockerOfAnotherProjectIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status provider.Status
		err    error
		holds  int
	}{
		"still open": {provider.Status{Name: "Doing", Category: provider.InProgress}, nil, 1},
		"done":       {provider.Status{Name: "Done", Category: provider.Done}, nil, 0},
		"canceled":   {provider.Status{Name: "No", Category: provider.Canceled}, nil, 0},
		"unseen":     {provider.Status{}, provider.Fail(provider.NotFound, nil, "no such ticket"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSide(t, harnesses["linear"]())
			s.pull(false)
			s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				_, err := ticket.PutMany(tx, []ticket.New{{Provider: "linear", RemoteID: "1", Key: "P-1", Title: "x",
					Links: []ticket.Link{{Relation: "blocked_by", Target: ticket.Ref{ID: "999", Key: "PLAT-9"}}}}}, ticket.Put{ProjectID: s.project})
				return err
			}))
			if s.holds() != 1 {
				t.Fatal("it does not wait")
			}
			e := s.another()
			away := &elsewhere{Provider: e.Tracker, status: c.status, err: c.err}
			e.Tracker = away
			for range 2 { // requested once within the hour
				if r, err := e.Pull(t.Context(), false); err != nil || r.Status != sync.Success {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			if got := s.holds(); got != c.holds || away.asked != 1 {
				t.Errorf("holds %d, want %d; asked %d times", got, c.holds, away.asked)
			}
			s.must(s.db.Read(t.Context(), func(tx *registry.Tx) error {
				wrong, err := work.Miscounted(tx)
				if wrong != 0 {
					t.Errorf("%d miscounted", wrong)
				}
				return err
			}))
		})
	}
}

// A project that got another key is not a project whose tickets all went away.
func TestAllMovedAtOnceStay(t *testing.T) {
	t.Parallel()
	for n, stay := range map[int]int{1: 0, 4: 4} {
		s := newSide(t, harnesses["jira"]())
		r, here := s.full(n, provider.Moved)
		if len(here) != stay || (r.Status == sync.Partial) != (stay > 0) {
			t.Errorf("of %d moved tickets %d stay, want %d: %+v", n, len(here), stay, r)
		}
	}
}
