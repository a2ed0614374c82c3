package sync_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
)

// unlisted is a tracker with an empty list, as for an account that lost access to the project, that reports for each item where it is.
type unlisted struct {
	provider.Provider
	where provider.Where
}

func (u *unlisted) Pull(_ context.Context, p provider.Pull, yield func(provider.Page) error) error {
	return yield(provider.Page{Cursor: p.Cursor, Drained: true})
}

func (u *unlisted) Check(_ context.Context, ids []string, yield func(provider.Presence) error) error {
	for _, id := range ids {
		if err := yield(provider.Presence{RemoteID: id, Where: u.where}); err != nil {
			return err
		}
	}
	return nil
}

// full does a full pull from a tracker that lists nothing, after n tickets were pulled. It returns the result and the tickets that are
// still here.
func (s *side) full(n int, where provider.Where) (r sync.Result, here []ticket.Ticket) {
	s.Helper()
	for range n {
		s.world.Add(providertest.Spec{Title: "one"})
	}
	s.pull(false)
	for _, id := range s.world.IDs() {
		s.world.Edit(id, providertest.Edit{Title: ptr("renamed")})
	}
	e := s.another()
	e.Tracker = &unlisted{e.Tracker, where}
	r, err := e.Pull(s.Context(), true)
	s.must(err)
	page, err := s.tickets.List(s.Context(), ticket.Filter{Caller: s.caller, Everything: true})
	s.must(err)
	return r, page.Tickets
}

// TestAnAccountThatLostItsRightsTakesNothingAway: a few tickets out of sight were deleted. When all are at once, the account has probably
// lost access.
func TestAnAccountThatLostItsRightsTakesNothingAway(t *testing.T) {
	for n, stay := range map[int]int{5: 0, 6: 6} {
		s := newSide(t, harnesses["linear"]())
		r, here := s.full(n, provider.Unknown)
		if len(here) != stay || (r.Status == sync.Partial) != (stay > 0) {
			t.Errorf("of %d tickets out of sight %d stay, want %d: %+v", n, len(here), stay, r)
		}
	}
}

// TestWhatIsThereThoughNotListedIsRead: a list may lag behind.
func TestWhatIsThereThoughNotListedIsRead(t *testing.T) {
	s := newSide(t, harnesses["linear"]())
	r, here := s.full(3, provider.Present)
	if len(here) != 3 || r.Deleted != 0 || r.Status != sync.Success {
		t.Errorf("%d are here: %+v", len(here), r)
	}
	for _, one := range here {
		if one.Title != "renamed" {
			t.Errorf("%s is still %q", one.ID, one.Title)
		}
	}
}

// TestMovedIsNoticedWithinADay, also where no query for changes shows it, and without reading everything again.
func TestMovedIsNoticedWithinADay(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		stays, moved := s.world.Add(providertest.Spec{Title: "stays"}), s.world.Add(providertest.Spec{Title: "moves"})
		s.pull(false)
		if !s.world.Move(moved) {
			t.Fatal("the tracker cannot")
		}
		s.pull(false)
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE sync_state SET updated_at = ? WHERE stream = 'gone'`, registry.FormatTime(tx.Now().Add(-25*time.Hour)))
			return err
		}))
		if r := s.pull(false); r.Updated != 0 || r.Created != 0 {
			t.Errorf("read again: %+v", r)
		}
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Everything: true})
		s.must(err)
		if len(page.Tickets) != 1 || page.Tickets[0].ProviderID != stays {
			t.Errorf("still here: %+v", page.Tickets)
		}
	})
}

// onePage is a tracker whose pull is one page.
type onePage struct {
	provider.Provider
	page    provider.Page
	cursors []provider.Cursor // that pulls continued from
}

func (o *onePage) Pull(_ context.Context, p provider.Pull, yield func(provider.Page) error) error {
	o.cursors = append(o.cursors, p.Cursor)
	return yield(o.page)
}

// TestAPageIsStoredWhole: with it the items that are gone, those that could not be read, and its cursor.
func TestAPageIsStoredWhole(t *testing.T) {
	s := newSide(t, harnesses["linear"]())
	gone, unread := s.world.Add(providertest.Spec{Title: "gone"}), s.world.Add(providertest.Spec{Title: "unread"})
	s.pull(false)
	e := s.another()
	o := &onePage{Provider: e.Tracker, page: provider.Page{Cursor: provider.Cursor("next"), Drained: true, Gone: []provider.Presence{{RemoteID: gone, Where: provider.Deleted}},
		Failed: []provider.Failure{{RemoteID: unread, Err: provider.Fail(provider.Protocol, nil, "no")}}}}
	e.Tracker = o
	r, err := e.Pull(t.Context(), false)
	s.must(err)
	if r.Status != sync.Partial || r.Deleted != 1 || len(r.Errors) != 1 {
		t.Errorf("%+v", r)
	}
	o.page = provider.Page{Cursor: provider.Cursor("last"), Drained: true}
	_, err = e.Pull(t.Context(), false)
	s.must(err)
	if string(o.cursors[1]) != "next" {
		t.Errorf("goes on from %q", o.cursors[1])
	}
}

// TestARefusedItemOfAPage: the others of the page are stored and counted once, the page is not read again, and the refused item is
// requested by itself.
func TestARefusedItemOfAPage(t *testing.T) {
	s := newSide(t, harnesses["linear"]())
	s.pull(false)
	_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Key: "OWN-1", Title: "made here"})
	s.must(err)
	e := s.another()
	o := &onePage{Provider: e.Tracker, page: provider.Page{Cursor: provider.Cursor("next"), Drained: true}}
	for _, title := range []string{"first", "refused", "last"} {
		i, err := e.Tracker.Item(t.Context(), s.world.Add(providertest.Spec{Title: title}))
		s.must(err)
		o.page.Items = append(o.page.Items, *i)
	}
	refused := &o.page.Items[1]
	refused.Key = "OWN-1"
	e.Tracker = o
	r, err := e.Pull(t.Context(), false) // requested by itself, the item has its real key
	s.must(err)
	if r.Status != sync.Partial || r.Created != 3 || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], `"OWN-1" is another ticket's`) {
		t.Errorf("%+v", r)
	}
	o.page.Items = nil
	if r, err = e.Pull(t.Context(), false); err != nil || r.Status != sync.Success || r.Created+r.Updated != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if string(o.cursors[1]) != "next" || s.local(refused.RemoteID).Title != "refused" {
		t.Errorf("goes on from %q", o.cursors[1])
	}
}

// TestAFailureNamesTheTicket by its key, and not by the tracker's internal id.
func TestAFailureNamesTheTicket(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "unread"})
	s.pull(false)
	e := s.another()
	e.Tracker = &onePage{Provider: e.Tracker, page: provider.Page{Cursor: provider.Cursor("next"), Drained: true,
		Failed: []provider.Failure{{RemoteID: id, Err: provider.Fail(provider.Protocol, nil, "no")}}}}
	r, err := e.Pull(t.Context(), false)
	s.must(err)
	if len(r.Errors) != 1 || r.Errors[0] != "SEM-1: no" {
		t.Errorf("%q", r.Errors)
	}
}
