package sync_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// edges returns the relations of a ticket here except its parent, as "SOURCE blocks TARGET".
func (s *side) edges(remoteID string) (all []string) {
	s.Helper()
	s.must(s.db.Read(s.Context(), func(tx *registry.Tx) error {
		arrows, err := work.Arrows(tx, []int64{itemOf(s.local(remoteID))})
		for _, a := range arrows {
			if a.Relation == work.ParentOf {
				continue
			}
			source, err := work.ByID(tx, a.Source)
			if err != nil {
				return err
			}
			target, err := work.ByID(tx, a.Target)
			if err != nil {
				return err
			}
			all = append(all, source.Title+" "+string(a.Relation)+" "+target.Title)
		}
		return err
	}))
	slices.Sort(all)
	return all
}

func itemOf(t ticket.Ticket) int64 { return t.Item().ID }

// TestParentAndLinksAreSent: a ticket is put below another one and waits for a third, here at once and at the tracker with the push. A pull
// between the two removes nothing.
func TestParentAndLinksAreSent(t *testing.T) {
	t.Parallel()
	everyTracker(t, func(t *testing.T, s *side) {
		above, blocker, id := s.world.Add(providertest.Spec{Title: "Above"}), s.world.Add(providertest.Spec{Title: "Blocker"}), s.world.Add(providertest.Spec{Title: "Item"})
		s.pull(false)
		key := s.local(above).ID
		s.edit(id, ticket.Edit{Parent: &key, Links: []ticket.Relate{{Relation: "blocked-by", Target: s.local(blocker).ID}}})
		s.edit(id, ticket.Edit{Links: []ticket.Relate{{Relation: "blocked_by", Target: s.local(blocker).ID}}}) // once more, which changes nothing
		want := []string{"Blocker blocks Item"}
		for _, step := range []func(){func() {}, func() { s.world.Edit(id, providertest.Edit{Title: ptr("Item")}); s.pull(false) }, func() {
			if r := s.push(); r.Sent != 2 || r.Waiting != 0 || len(r.Errors) != 0 {
				t.Fatalf("%+v", r)
			}
		}, func() { s.pull(true) }} {
			step()
			if got := s.edges(id); s.local(id).Parent != key || !slices.Equal(got, want) {
				t.Fatalf("it is below %q, and %q", s.local(id).Parent, got)
			}
		}
		if now := s.remote(id); now.Parent != above || !slices.Equal(s.remote(blocker).Blocks, []string{id}) {
			t.Errorf("at the tracker it is %+v, and the blocker blocks %v", now, s.remote(blocker).Blocks)
		}
		s.edit(id, ticket.Edit{Parent: ptr("")})
		if r := s.push(); r.Sent != 1 || s.remote(id).Parent != "" || s.local(id).Parent != "" {
			t.Errorf("%+v, it is below %q and here below %q", r, s.remote(id).Parent, s.local(id).Parent)
		}
	})
}

// TestParentOfBothSides: the tracker's parent wins where both sides changed it.
func TestParentOfBothSides(t *testing.T) {
	t.Parallel()
	everyTracker(t, func(t *testing.T, s *side) {
		ours, theirs, id := s.world.Add(providertest.Spec{Title: "Ours"}), s.world.Add(providertest.Spec{Title: "Theirs"}), s.world.Add(providertest.Spec{Title: "Item"})
		s.pull(false)
		s.edit(id, ticket.Edit{Parent: ptr(s.local(ours).ID)})
		item := s.tracker.Item(id)
		_, err := s.tracker.Provider.Update(t.Context(), item, provider.Change{Parent: &theirs, ParentType: provider.TypeTicket})
		s.must(err)
		r := s.push()
		if r.Sent != 0 || s.remote(id).Parent != theirs || s.local(id).Parent != s.local(theirs).ID {
			t.Errorf("%+v; it is below %q there and %q here", r, s.remote(id).Parent, s.local(id).Parent)
		}
	})
}

// TestRelationsThatATrackerLacks are refused before anything is queued, and so is a relation to a local ticket.
func TestRelationsThatATrackerLacks(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["github"]())
	one, two := s.world.Add(providertest.Spec{Title: "one"}), s.world.Add(providertest.Spec{Title: "two"})
	s.pull(false)
	here, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Here alone"})
	s.must(err)
	for want, e := range map[string]ticket.Edit{
		"GitHub has no relation related_to": {Links: []ticket.Relate{{Relation: "related_to", Target: s.local(two).ID}}},
		"is not a relation of tickets":      {Links: []ticket.Relate{{Relation: "likes", Target: s.local(two).ID}}},
		"is kept here alone, and":           {Parent: ptr(here.ID)},
		"GitHub has no custom fields":       {Fields: []ticket.Field{{Name: "Severity", Value: "Major"}}},
		"cannot be related to itself":       {Links: []ticket.Relate{{Relation: "blocks", Target: s.local(one).ID}}},
		"close the cycle":                   {Links: []ticket.Relate{{Relation: "blocks", Target: s.local(two).ID}, {Relation: "blocked_by", Target: s.local(two).ID}}},
	} {
		_, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(one).ID, e)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", e, err, want)
		}
	}
	if r := s.push(); r.Sent != 0 || r.Waiting != 0 {
		t.Errorf("%+v", r)
	}
}

// TestRefusedLinkIsNotShown: the edge of a link that the tracker refuses is removed, and a retry brings it back. Discarding a waiting link
// removes it too.
func TestRefusedLinkIsNotShown(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	service := &sync.Service{DB: s.db}
	one, two := s.world.Add(providertest.Spec{Title: "one"}), s.world.Add(providertest.Spec{Title: "two"})
	s.pull(false)
	link := ticket.Edit{Links: []ticket.Relate{{Relation: "blocks", Target: s.local(two).ID}}}
	s.edit(one, link)
	e := s.another()
	e.Tracker = &refusing{e.Tracker}
	_, err := e.Push(t.Context(), sync.Push{Now: true})
	s.must(err)
	if held := s.status().Held; len(s.edges(one)) != 0 || len(held) != 1 || held[0].Type != outbox.Link {
		t.Fatalf("%q, %+v", s.edges(one), held)
	}
	_, err = service.Retry(t.Context(), s.caller, "")
	s.must(err)
	if got := s.edges(one); len(got) != 1 {
		t.Errorf("after a retry: %q", got)
	}
	_, err = service.Discard(t.Context(), s.caller, s.local(one).ID)
	s.must(err)
	if got := s.edges(one); len(got) != 0 {
		t.Errorf("after it was discarded: %q", got)
	}
	s.edit(one, link)
	if r := s.push(); r.Sent != 1 || len(s.edges(one)) != 1 || len(s.remote(one).Blocks) != 1 {
		t.Errorf("%+v, %q", r, s.edges(one))
	}
}

// TestMadeWithPlaceAndFields: a ticket is made below another one, related, with fields. A ticket that lacks a field required by the tracker
// names the field, and is made once it has it.
func TestMadeWithPlaceAndFields(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["jira"]())
	above, other := s.world.Add(providertest.Spec{Title: "Above", Type: provider.TypeEpic}), s.world.Add(providertest.Spec{Title: "Other"})
	s.pull(false)
	n := ticket.New{Title: "Made", Remote: true, At: "jira", ProviderType: "Incident", Relate: []ticket.Relate{{Relation: "related_to", Target: s.local(other).ID}}}
	n.Parent.Key = s.local(above).ID
	made, err := s.tickets.Create(t.Context(), s.caller, n)
	s.must(err)
	r := s.push()
	if len(r.Errors) != 1 || !strings.Contains(r.Errors[0], `"Severity"`) {
		t.Fatalf("%+v", r)
	}
	_, err = s.tickets.Update(t.Context(), s.caller, "id", made.ID, ticket.Edit{Fields: []ticket.Field{{Name: "severity", Value: "Critical"}}})
	s.must(err)
	_, err = (&sync.Service{DB: s.db}).Retry(t.Context(), s.caller, made.ID)
	s.must(err)
	if r := s.push(); r.Sent != 2 || r.Waiting != 0 || len(r.Errors) != 0 {
		t.Fatalf("%+v", r)
	}
	page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Text: "Made"})
	s.must(err)
	now := page.Tickets[0]
	item := s.tracker.Item(now.ProviderID)
	if now.Provider != "jira" || item.Above() == nil || item.Above().ID != above || !item.Linked(provider.NewLink{Relation: provider.RelatedTo, Target: other}) ||
		len(item.Fields) != 1 || item.Fields[0].Value != "Critical" || now.Parent != s.local(above).ID {
		t.Errorf("%+v, %+v", now, item)
	}
}

// TestCustomFieldsAreMerged: a configured field is shown, sent and kept while it waits. The tracker's value wins when both sides changed. A
// field that is not configured is sent as it is.
func TestCustomFieldsAreMerged(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["azure_devops"]())
	id := s.world.Add(providertest.Spec{Title: "Item"})
	s.pull(false)
	shown := func() (fields []ticket.Field) {
		s.must(s.db.Read(t.Context(), func(tx *registry.Tx) (err error) {
			fields, err = ticket.FieldsOf(tx, itemOf(s.local(id)))
			return err
		}))
		return fields
	}
	is := func(when, value string) {
		t.Helper()
		if got := shown(); len(got) != 1 || got[0] != (ticket.Field{Name: "Severity", Value: value}) {
			t.Errorf("%s: %+v, not %q", when, got, value)
		}
	}
	is("at first", "")
	s.edit(id, ticket.Edit{Fields: []ticket.Field{{Name: "severity", Value: "Major"}}})
	is("waiting", "Major")
	s.world.Edit(id, providertest.Edit{Title: ptr("Another title")})
	s.pull(false)
	is("after a pull", "Major")
	if r := s.push(); r.Sent != 1 {
		t.Errorf("%+v", r)
	}
	s.pull(true)
	is("sent", "Major")
	s.edit(id, ticket.Edit{Fields: []ticket.Field{{Name: "Severity", Value: "Minor"}}})
	_, err := s.tracker.Provider.Update(t.Context(), s.tracker.Item(id), provider.Change{Fields: []provider.FieldValue{{Name: "Severity", Value: "Critical"}}})
	s.must(err)
	if r := s.push(); r.Sent != 0 {
		t.Errorf("%+v", r)
	}
	is("changed on both sides", "Critical")
	s.edit(id, ticket.Edit{Fields: []ticket.Field{{Name: "Severity", Value: "Enormous"}}})
	if r := s.push(); r.Sent != 0 || len(s.status().Held) != 1 {
		t.Errorf("%+v", r)
	}
	is("refused", "Critical")
	s.edit(id, ticket.Edit{Fields: []ticket.Field{{Name: "Due Date", Value: "2027-01-02"}}})
	if r := s.push(); r.Sent != 1 || s.tracker.Item(id).DueDate != "2027-01-02" {
		t.Errorf("%+v, due on %s", r, s.tracker.Item(id).DueDate)
	}
}

// TestCommentFollowsTheCreation: a comment on a ticket that waits to be made is sent after it, once. A creation that is discarded takes the
// comment along.
func TestCommentFollowsTheCreation(t *testing.T) {
	t.Parallel()
	everyTracker(t, func(t *testing.T, s *side) {
		for _, title := range []string{"Made", "Discarded"} {
			made, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: title, Remote: true, At: string(s.tracker.Provider.Name())})
			s.must(err)
			done, err := s.tickets.Update(t.Context(), s.caller, "id", made.ID, ticket.Edit{Comment: "keep this"})
			s.must(err)
			if done.Outcome != ticket.Queued {
				t.Errorf("the comment is %s", done.Outcome)
			}
			if title == "Discarded" {
				dropped, err := (&sync.Service{DB: s.db}).Discard(t.Context(), s.caller, made.ChangeID)
				if err != nil || len(dropped.Changes) != 2 || len(s.waiting()) != 0 {
					t.Errorf("dropped: %+v, %v; waiting: %+v", dropped.Changes, err, s.waiting())
				}
			}
			s.push()
		}
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Text: "Made"})
		s.must(err)
		if all := s.world.Comments(page.Tickets[0].ProviderID); len(all) != 1 || !strings.Contains(all[0], "keep this") || len(s.waiting()) != 0 {
			t.Errorf("the tracker has the comments %q; waiting: %+v", all, s.waiting())
		}
	})
}

// TestAnotherTracker: what waits for the tracker that a project was connected to before stays, with its reason, and is not made at the
// present one. No further change of its tickets is queued.
func TestAnotherTracker(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Title: ptr("waits")})
	_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Made", Remote: true, At: "linear"})
	s.must(err)
	now := sideOn(t, harnesses["jira"](), s.db)
	if dry, err := now.engine.Push(t.Context(), sync.Push{DryRun: true}); err != nil || len(dry.Planned) != 0 {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	r := now.push()
	if r.Sent != 0 || r.Waiting != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "1 change waits until it is connected to Linear again") {
		t.Errorf("%+v", r)
	}
	st := now.status()
	if len(st.Held) != 2 || st.Held[0].Refused || !st.Held[1].Refused || st.Pending != 1 || st.Foreign != 1 {
		t.Errorf("%+v", st)
	}
	for _, h := range st.Held {
		if !strings.Contains(h.Reason, "is connected to Jira now") {
			t.Errorf("%+v", h)
		}
	}
	if _, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(id).ID, ticket.Edit{Comment: "more"}); err == nil || !strings.Contains(err.Error(), "is a ticket of Linear") {
		t.Errorf("a change: %v", err)
	}
	s.offline()
	if now.push(); now.status().Online {
		t.Error("a push that sent nothing counts as an answer of Jira")
	}
	if r := s.push(); r.Sent != 1 || s.remote(id).Title != "waits" || s.status().Foreign != 0 {
		t.Errorf("connected again: %+v", r)
	}
}

// offline records that the project's tracker could not be reached.
func (s *side) offline() {
	s.Helper()
	s.must(s.db.Write(s.Context(), registry.Everything, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE trackers SET offline_since = ?, failure = 'no route'`, tx.Stamp())
	}))
}

// TestStatusBeforeTheFirstPull: a tracker that was not called yet is not offline because the project's earlier one was.
func TestStatusBeforeTheFirstPull(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	s.pull(false)
	s.offline()
	for name, offline := range map[string]bool{"linear": true, "jira": false} {
		st := s.statusWith(name)
		if st.Provider != name || st.Online == offline || (st.OfflineSince != nil) != offline || (st.LastError != "") != offline {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

// statusWith returns the project's status where its configuration names that tracker.
func (s *side) statusWith(tracker string) sync.Status {
	s.Helper()
	service := &sync.Service{DB: s.db, Config: func(context.Context, string) (*config.Config, error) {
		return &config.Config{Provider: config.Provider{Name: tracker}}, nil
	}}
	st, err := service.Status(s.Context(), caller.Caller{Place: project.Place{At: &project.Identity{UID: "app", Name: "app", Folder: "/app"}}}, 0)
	s.must(err)
	return st
}

// TestStatusOfWhatWaitsForAnotherTracker: no push sends it, so it does not keep the project from a tracker.
func TestStatusOfWhatWaitsForAnotherTracker(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Title: ptr("waits")})
	_, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "Made", Remote: true, At: "linear"})
	s.must(err)
	for name, foreign := range map[string]int{"linear": 0, "local": 2, "jira": 2} {
		if st := s.statusWith(name); st.Pending != 2 || st.Foreign != foreign {
			t.Errorf("%s: %+v", name, st)
		}
	}
}
