package sync_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// halved is a tracker where one item of each page could not be read; with odd, one more cannot be stored.
type halved struct {
	provider.Provider
	odd bool
}

func (h halved) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	return h.Provider.Pull(ctx, p, func(page provider.Page) error {
		if n := len(page.Items); n > 1 {
			page.Failed = append(page.Failed, provider.Failure{RemoteID: page.Items[0].RemoteID, Err: errors.New("half an answer")})
			page.Items = page.Items[1:]
			if h.odd {
				page.Items[0].Type = "nothing that a ticket can be"
			}
		}
		return yield(page)
	})
}

// TestWhatRunsTwiceCountsOnce: a write that another program interrupts runs its function again. The result of a pull or push must be the
// same as without that.
func TestWhatRunsTwiceCountsOnce(t *testing.T) {
	s := sideOn(t, harnesses["linear"](), registrytest.OpenRepeating(t))
	tell := func(r sync.Result) string {
		return strings.TrimSpace(fmt.Sprintf("%d new %d changed %d gone %d same %d sent %d in conflict %d errors", r.Created, r.Updated, r.Deleted, r.Unchanged, r.Sent, r.Conflicts, len(r.Errors)))
	}
	is := func(step string, r sync.Result, want string) {
		t.Helper()
		if got := tell(r); got != want {
			t.Errorf("%s: %s, want %s (%q)", step, got, want, r.Errors)
		}
	}
	half := s.another()
	half.Tracker = halved{half.Tracker, false}
	one, two, three := s.world.Add(providertest.Spec{Title: "one"}), s.world.Add(providertest.Spec{Title: "two"}), s.world.Add(providertest.Spec{Title: "three"})
	r, err := half.Pull(t.Context(), false)
	s.must(err)
	is("a pull of which one item could not be read", r, "3 new 0 changed 0 gone 0 same 0 sent 0 in conflict 1 errors") // requested again by its id
	is("everything again", s.pull(true), "0 new 0 changed 0 gone 3 same 0 sent 0 in conflict 0 errors")

	half.Tracker = halved{s.another().Tracker, true}
	r, err = half.Pull(t.Context(), true)
	s.must(err)
	is("everything again, of which one cannot be stored", r, "0 new 0 changed 0 gone 4 same 0 sent 0 in conflict 2 errors")

	s.world.Edit(two, providertest.Edit{Title: ptr("two, changed")})
	is("a change there", s.pull(false), "0 new 1 changed 0 gone 0 same 0 sent 0 in conflict 0 errors")
	s.edit(one, ticket.Edit{Labels: ptr(s.world.Labels()[:1]), Priority: ptr(work.PriorityHigh), Comment: "said once"})
	if r := s.push(); r.Sent != 3 || r.Updated != 3 { // looked at once, and stored after each of two changes
		t.Errorf("a push of two fields and a comment: %s", tell(r))
	}
	if _, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "made here", Remote: true}); err != nil {
		t.Fatal(err)
	}
	if r := s.push(); r.Sent != 1 {
		t.Errorf("a ticket that is made there: %s", tell(r))
	}
	s.edit(two, ticket.Edit{Labels: ptr(s.world.Labels()[:1])})
	for _, reason := range []provider.Reason{provider.Unavailable, provider.Invalid} {
		e, _ := s.against(reason)
		r, err = e.Push(t.Context(), sync.Push{Now: true})
		s.must(err)
		is("a push that fails as "+string(reason), r, map[provider.Reason]string{
			provider.Unavailable: "0 new 1 changed 0 gone 0 same 0 sent 0 in conflict 1 errors",
			provider.Invalid:     "0 new 2 changed 0 gone 0 same 0 sent 0 in conflict 1 errors",
		}[reason])
	}

	done, review := s.world.StatusOf(provider.Done), s.world.StatusOf(provider.InProgress)
	s.edit(three, ticket.Edit{Status: &done})
	s.world.Edit(three, providertest.Edit{Status: &review})
	if r := s.push(); r.Sent != 0 || r.Conflicts != 1 {
		t.Errorf("a status that both changed: %s", tell(r))
	}
	s.world.Purge(two)
	if r := s.pull(true); r.Deleted != 1 || len(s.conflicts(false)) != 1 {
		t.Errorf("a ticket that was deleted there: %s, %d conflicts", tell(r), len(s.conflicts(false)))
	}
}
