package sync

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Held is a change that could not be sent so far.
type Held struct {
	ID      string         `json:"id"`
	Ticket  string         `json:"ticket"`
	Type    string         `json:"change_type"`
	Value   string         `json:"value"`
	Refused bool           `json:"refused"` // otherwise it waits and is sent automatically
	Reason  string         `json:"reason"`
	At      timestamp.Time `json:"at"`
}

// mostHeld bounds how many held changes a status lists.
const mostHeld = 100

func held(all []outbox.Change) []Held {
	list := make([]Held, len(all))
	for i, c := range all {
		list[i] = Held{ID: c.ID, Ticket: c.Ticket, Type: c.Type, Value: c.Value, Refused: c.Status == outbox.Failed, Reason: c.LastError, At: c.UpdatedAt}
	}
	return list
}

// Settled lists the changes that were queued again or discarded.
type Settled struct {
	Changes  []Held          `json:"changes"`
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// Retry queues refused changes again for the next push: the change with that id, those of the ticket with that id, or all of the project
// when id is "". The tickets show their values again. A non-empty id without refused changes is a NotFound fault.
func (s *Service) Retry(ctx context.Context, c caller.Caller, id string) (done Settled, err error) {
	return s.settle(ctx, c, func(tx *registry.Tx, projectID int64, by work.Event) ([]outbox.Change, error) {
		all, err := outbox.Refused(tx, projectID, id)
		if err == nil && len(all) == 0 && id != "" {
			err = fault.NotFound("refused change", id).WithHint("`pmsync status` lists what was refused")
		}
		for _, one := range all {
			if err := retry(tx, one, by); err != nil {
				return nil, err
			}
		}
		return all, err
	})
}

func retry(tx *registry.Tx, c outbox.Change, by work.Event) error {
	t, err := ticket.ByItem(tx, c.Item)
	if err != nil {
		return err
	}
	base := valueOf(t, c.Type)
	if c.Base != nil && outbox.CustomName(c.Type) != "" {
		base = *c.Base
	}
	if err := outbox.Again(tx, c.Row, base); err != nil {
		return err
	}
	return ticket.Show(tx, c.Item, c.Type, c.Value, by)
}

// Discard drops waiting or refused changes: the change with that id, or all changes of the ticket with that id. After a waiting change is
// dropped, the ticket shows the tracker's value again. With a creation all that waits for the new ticket is dropped. A change that may have
// been sent is a Conflict fault until a push has found out.
func (s *Service) Discard(ctx context.Context, c caller.Caller, id string) (done Settled, err error) {
	return s.settle(ctx, c, func(tx *registry.Tx, projectID int64, by work.Event) ([]outbox.Change, error) {
		all, err := outbox.Open(tx, projectID, id)
		if len(all) == 1 && all[0].Type == outbox.Create {
			all, err = outbox.Open(tx, projectID, all[0].Ticket)
		}
		for _, one := range all {
			if err := discard(tx, one, by); err != nil {
				return nil, err
			}
		}
		return all, err
	})
}

func discard(tx *registry.Tx, c outbox.Change, by work.Event) error {
	if c.Status == outbox.Sending && c.Type == outbox.Create {
		return fault.Conflict("change", c.ID, "the tracker may have made %q already, which is not known yet", c.Value).
			WithHint("run `pmsync push`, which looks for it, and discard it then")
	}
	if err := outbox.Settle(tx, c.Row, outbox.Canceled, "", "it was discarded"); err != nil {
		return err
	}
	if err := closeConflict(tx, c.Item, c.Type, KeepRemote, by.Agent); err != nil {
		return err
	}
	if c.Type == outbox.Link {
		return ticket.Unrelate(tx, c.Item, ticket.ParseRelate(c.Value))
	}
	if c.Status == outbox.Failed || c.Base == nil || c.Type == outbox.Create {
		return nil // the ticket shows the tracker's value already, or is local
	}
	return ticket.Show(tx, c.Item, c.Type, *c.Base, by)
}

// settle runs do on the caller's project and returns the changes that it settled.
func (s *Service) settle(ctx context.Context, c caller.Caller, do func(*registry.Tx, int64, work.Event) ([]outbox.Change, error)) (done Settled, err error) {
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		all, err := do(tx, who.Project.ID, work.Event{Agent: who.AgentID})
		done = Settled{Changes: held(all), BookedOn: who.BookedOn()}
		tx.Changed(registry.TopicTickets, who.Project.ID, "")
		return err
	})
	return done, err
}

// valueOf returns a field of a ticket in the form of a change's value.
func valueOf(t ticket.Ticket, field string) string {
	return remoteValue(&ticket.New{Title: t.Title, Body: ticket.Text{Format: string(provider.Markdown), Text: t.Description}, Status: t.Status,
		Priority: work.Priority(t.Priority), Assignee: t.Assignee, Labels: t.Labels, Estimate: t.Estimate,
		Parent: ticket.Ref{Key: t.Parent}, Sprint: ticket.Ref{Name: t.Sprint}}, field)
}
