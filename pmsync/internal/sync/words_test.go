package sync_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
)

// TestWordsGoThere: the title, the description, added labels and, where the tracker has them, the points and the sprint are sent, and shown
// here at once. A part that the tracker lacks is refused before it is queued.
func TestWordsGoThere(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		labels := s.world.Labels()
		id := s.world.Add(providertest.Spec{Title: "one", Body: "Body", Labels: labels[:2]})
		s.pull(false)
		sprint := ""
		if l, ok := s.engine.Tracker.(provider.SprintLister); ok {
			s.must(l.Sprints(t.Context(), func(one provider.Sprint) error { sprint = one.Name; return nil }))
		}
		kind, _ := provider.KindOf(s.world.Name())
		e := ticket.Edit{Title: ptr("Another one"), Description: ptr("Why it is *so*."), AddLabels: labels[2:3], RemoveLabels: labels[:1]}
		sent := 3
		for _, lacks := range kind.Lacks {
			more := e
			switch lacks {
			case provider.FieldEstimate:
				more.Estimate = ptr(3.0)
			case provider.FieldCustom:
				more.Fields = []ticket.Field{{Name: "Severity", Value: "Major"}}
			default:
				more.Sprint = ptr("Sprint 1")
			}
			if _, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(id).ID, more); !fault.Is(err, fault.KindConflict) {
				t.Errorf("%s: %v", lacks, err)
			}
		}
		if s.tracker.H.Estimates {
			e.Estimate = ptr(3.0)
			sent++
		}
		if sprint != "" {
			e.Sprint = &sprint
			sent++
		}
		s.edit(id, e)
		here := func(when string) {
			t.Helper()
			got := s.local(id)
			if got.Title != "Another one" || got.Description != "Why it is *so*." && !ticket.SameMarkdown(got.Description, "Why it is *so*.") && when == "before" ||
				got.Sprint != sprint || s.tracker.H.Estimates && (got.Estimate == nil || *got.Estimate != 3) || len(got.Labels) != 2 {
				t.Errorf("%s the push it is %+v", when, got)
			}
		}
		here("before")
		if r := s.push(); r.Sent != sent || r.Waiting != 0 || len(r.Errors) != 0 {
			t.Errorf("%+v, %+v", r, s.status().Held)
		}
		here("after")
		if there := s.remote(id); there.Title != "Another one" || len(there.Labels) != 2 {
			t.Errorf("the tracker has %+v", there)
		}
		if r := s.pull(false); r.Updated+r.Conflicts > 0 {
			t.Errorf("it came back as news: %+v", r)
		}
	})
}

// TestATitleThatBothChanged: the tracker's wins, and the other one is kept in the log.
func TestATitleThatBothChanged(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "one"})
		s.pull(false)
		s.edit(id, ticket.Edit{Title: ptr("ours")})
		s.world.Edit(id, providertest.Edit{Title: ptr("theirs")})
		if r := s.push(); r.Sent != 0 || r.Conflicts != 1 || s.local(id).Title != "theirs" || s.remote(id).Title != "theirs" {
			t.Errorf("%+v, here %q", r, s.local(id).Title)
		}
		if all := s.conflicts(true); len(all) != 1 || all[0].Local != "ours" || all[0].Remote != "theirs" {
			t.Errorf("%+v", all)
		}
		s.edit(id, ticket.Edit{Title: ptr("discarded"), Description: ptr("discarded too")})
		_, err := (&sync.Service{DB: s.db}).Discard(t.Context(), s.caller, s.local(id).ID)
		s.must(err)
		if got := s.local(id); got.Title != "theirs" || got.Description != "" {
			t.Errorf("after a discard it is %+v", got)
		}
	})
}

// TestSecretsOfTheTrackerStay: a description and a title that are written over what is shown here keep the tracker's own secrets there. A
// mark that could stand for another secret is refused, and so is a new secret beside the tracker's.
func TestSecretsOfTheTrackerStay(t *testing.T) {
	t.Parallel()
	everyTracker(t, func(t *testing.T, s *side) {
		const old, other, title = "Tr0ub4dor-and-3", "Xk29vbTq81mzPw", "rotate token ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"
		body := "password: " + old + " in vault."
		id := s.world.Add(providertest.Spec{Title: title, Body: body})
		two := s.world.Add(providertest.Spec{Title: "two", Body: body + "\n\nadmin password: " + other})
		s.pull(false)
		shown := s.local(id).Description
		if !strings.Contains(shown, "[redacted password]") {
			t.Fatalf("shown is %q", shown)
		}
		_, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(id).ID, ticket.Edit{Description: ptr("password: " + other)})
		if !fault.Is(err, fault.KindConflict) {
			t.Errorf("a new secret: %v", err)
		}
		s.edit(id, ticket.Edit{Title: ptr("Please " + s.local(id).Title), Description: ptr(shown + "\n\nAppended.")})
		if r := s.push(); r.Sent != 2 || len(r.Errors) != 0 {
			t.Fatalf("%+v", r)
		}
		if now := s.remote(id); now.Title != "Please "+title || !strings.Contains(now.Body, body) || !strings.Contains(now.Body, "Appended.") {
			t.Errorf("the tracker has %q, %q", now.Title, now.Body)
		}
		s.edit(two, ticket.Edit{Description: ptr("Without.")})
		_, err = s.tickets.Update(t.Context(), s.caller, "id", s.local(two).ID, ticket.Edit{Description: ptr("password: " + old)})
		if !fault.Is(err, fault.KindConflict) {
			t.Errorf("a new secret over a waiting change: %v", err)
		}
		s.edit(two, ticket.Edit{Description: ptr("The password: [redacted password] is old.")})
		if r := s.push(); r.Sent != 0 || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "stands for is not certain") || !strings.Contains(s.remote(two).Body, other) {
			t.Errorf("%+v; the tracker has %q", r, s.remote(two).Body)
		}
	})
}

// TestDroppedPartsAreNamed: the change and the push name what a new description replaces and cannot hold.
func TestDroppedPartsAreNamed(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["azure_devops"]())
	id := s.world.Add(providertest.Spec{Title: "one", Body: `<p>By <a href="#" data-vss-mention="version:2.0,1">@Ann</a></p>`})
	s.pull(false)
	if done := s.edit(id, ticket.Edit{Description: ptr("By @Ann.")}); len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "has 1 mention at Azure DevOps") {
		t.Errorf("%q", done.Notes)
	}
	if r := s.push(); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "has replaced 1 mention") {
		t.Errorf("%+v", r)
	}
}

// TestChangeInConflict: a change of a field in an open conflict is not said to be sent by the next push.
func TestChangeInConflict(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.edit(id, ticket.Edit{Status: ptr(s.world.StatusOf(provider.Done))})
	s.world.Edit(id, providertest.Edit{Status: ptr(s.world.StatusOf(provider.InProgress))})
	s.push()
	done := s.edit(id, ticket.Edit{Status: ptr(s.world.StatusOf(provider.Canceled))})
	if done.Outcome != ticket.Updated || len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "is in conflict with the tracker's and is not sent before it is settled") {
		t.Errorf("%s, %q", done.Outcome, done.Notes)
	}
}
