package sync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Push holds the options of a push.
type Push struct {
	Now    bool // do not wait until the youngest change has settled
	Due    bool // skip changes after a failed attempt until their time comes, as automatic pushes do
	DryRun bool // send nothing, do not contact the tracker
}

// Limits of one push.
const (
	maxCreations = 25 // tickets made at the tracker, so that a mistake does not make hundreds
	maxRounds    = 20 // waits for changes to settle
)

// Push sends the waiting changes, those of each ticket in the order they were made.
// Before a change is sent its ticket is read, and merged three-way with the waiting
// changes. A change is marked before it is sent and settled with the answer. If the
// answer is lost, the change is looked for before it is sent again.
//
// Refused changes are named in the result and kept until they are sent again or
// discarded. Changes that the tracker could not take, or that are meant for a ticket
// that is gone, wait for as long as it takes. Errors are those of Pull.
func (e *Engine) Push(ctx context.Context, p Push) (r Result, err error) {
	r = Result{Direction: "push", Status: Success, Errors: []string{}, DryRun: p.DryRun}
	if p.DryRun {
		err := e.DB.Read(ctx, func(tx *registry.Tx) error {
			r.StartedAt = timestamp.Of(tx.Now())
			r.Planned, err = planned(tx, e.Project, e.name())
			r.Waiting = len(r.Planned)
			return err
		})
		return r, err
	}
	if !p.Now {
		if err := e.settled(ctx); err != nil {
			return r, err
		}
	}
	t, err := e.take(ctx)
	if err != nil {
		return r, err
	}
	defer t.end(ctx)
	var row int64
	if err := t.write(ctx, func(tx *registry.Tx) error {
		r.StartedAt = timestamp.Of(tx.Now())
		row, err = e.begin(tx, r.Direction)
		return err
	}); err != nil {
		return r, err
	}
	failure := e.send(ctx, t, p.Due, &r)
	if err := e.DB.Read(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		if r.Waiting, err = outbox.Count(tx, e.Project); err != nil || r.Waiting == 0 || r.Conflicts > 0 {
			return err
		}
		waiting, err := outbox.Waiting(tx, e.Project)
		if slices.ContainsFunc(waiting, func(c outbox.Change) bool { return c.Status == outbox.Conflict }) {
			r.note("what is in conflict waits until it is settled: `pmsync conflicts` shows both values")
		}
		return err
	}); err != nil && failure == nil {
		failure = err
	}
	err = e.finish(ctx, row, &r, failure)
	return r, err
}

// planned returns the changes that wait to be sent to the tracker.
func planned(tx *registry.Tx, projectID int64, tracker string) ([]Send, error) {
	waiting, err := outbox.Waiting(tx, projectID)
	if err != nil {
		return nil, err
	}
	before, err := registry.OrZero(registry.One[string](tx.QueryRow(`SELECT provider FROM trackers WHERE project_id = ?`, projectID)))
	all := []Send{}
	for _, c := range waiting {
		if c.Status != outbox.Pending && c.Status != outbox.Sending {
			continue
		}
		t, err := ticket.ByItem(tx, c.Item)
		if err != nil {
			return nil, err
		}
		if t.Provider == ticket.Local { // to be made where the project was connected to when it was queued
			t.Provider = cmp.Or(before, tracker)
		}
		if t.Provider != tracker {
			continue
		}
		s := Send{Change: c.ID, Ticket: c.Ticket, Type: c.Type, To: c.Value}
		switch {
		case c.Type == outbox.Create:
			s.To = t.Title // as the push sends it
		case c.Base != nil:
			s.From = *c.Base
		}
		all = append(all, s)
	}
	return all, err
}

// settled waits until the youngest change is as old as configured.
func (e *Engine) settled(ctx context.Context) error {
	for range maxRounds {
		var wait time.Duration
		err := e.DB.Read(ctx, func(tx *registry.Tx) error {
			youngest, err := outbox.Youngest(tx, e.Project)
			if err == nil && !youngest.IsZero() {
				wait = min(e.Debounce-e.clock().Now().Sub(youngest), e.Debounce)
			}
			return err
		})
		if err != nil || wait <= 0 {
			return err
		}
		if err := e.clock().Wait(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

// send does the requests of a push.
func (e *Engine) send(ctx context.Context, t *turn, due bool, r *Result) error {
	if err := e.finishCreations(ctx, t, r); err != nil {
		return err
	}
	tickets, err := registry.Read(ctx, e.DB, func(tx *registry.Tx) ([]int64, error) {
		waiting, err := outbox.Waiting(tx, e.Project)
		return sendable(waiting, due, tx.Now()), err
	})
	if err != nil {
		return err
	}
	for done, item := range tickets {
		e.progress(done, len(tickets))
		s := &sending{Engine: e, turn: t, item: item, result: r}
		if err := s.ticket(ctx); err != nil {
			return err
		}
	}
	e.progress(len(tickets), len(tickets))
	return nil
}

// sendable returns the tickets with changes to send, in the order of their oldest change. With due it leaves out those whose oldest change
// waits for its next attempt.
func sendable(waiting []outbox.Change, due bool, now time.Time) (tickets []int64) {
	seen := map[int64]bool{}
	for _, c := range waiting {
		if c.Status != outbox.Pending && c.Status != outbox.Sending || seen[c.Item] {
			continue
		}
		seen[c.Item] = true
		if !due || c.Due(now) {
			tickets = append(tickets, c.Item)
		}
	}
	return tickets
}

// creations returns the tickets to make at the tracker now, and the number of all that wait to be made. A pull only continues creations
// that were begun.
func creations(waiting []outbox.Change, push bool) (now []outbox.Change, all int) {
	for _, c := range waiting {
		if c.Type != outbox.Create || c.Status != outbox.Sending && (c.Status != outbox.Pending || !push) {
			continue
		}
		if all++; len(now) < maxCreations {
			now = append(now, c)
		}
	}
	return now, all
}

// finishCreations makes the waiting tickets at the tracker. A ticket whose answer was lost is found by the tracker's own means, and so made
// once.
func (e *Engine) finishCreations(ctx context.Context, t *turn, r *Result) error {
	creator, ok := e.Tracker.(provider.Creator)
	if !ok {
		return nil
	}
	waiting, err := registry.Read(ctx, e.DB, func(tx *registry.Tx) ([]outbox.Change, error) { return outbox.Waiting(tx, e.Project) })
	if err != nil {
		return err
	}
	waiting, all := creations(waiting, r.Direction == "push")
	if all > len(waiting) {
		r.note(fmt.Sprintf("%d tickets wait to be made at %s; one push makes %d", all, e.Tracker.Name().Title(), maxCreations))
	}
	for _, c := range waiting {
		r.asked = true
		s := &sending{Engine: e, turn: t, item: c.Item, result: r}
		if err := s.create(ctx, creator, c); err != nil {
			return err
		}
	}
	return nil
}
