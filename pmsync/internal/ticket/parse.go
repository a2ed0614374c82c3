package ticket

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/shared/registry"
)

// Parsed is the result of looking for criteria in a ticket's text.
type Parsed struct {
	Ticket   string               `json:"external_item_id"`
	Criteria []criteria.Criterion `json:"criteria"`
	Reparsed *criteria.Reparsed   `json:"reparsed,omitempty"` // the changes, when the text was looked at
	BookedOn caller.BookedOn      `json:"booked_on" wire:"-"`
}

// ParseCriteria looks for acceptance criteria in a ticket's text, unless the ticket has some already; force looks again. A criterion that
// is the same or nearly so keeps its status and evidence.
func (s *Store) ParseCriteria(ctx context.Context, c caller.Caller, id string, force bool) (p Parsed, err error) {
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		t, err := Find(tx, who.Project.ID, "external_item_id", id)
		if err != nil {
			return err
		}
		p = Parsed{Ticket: t.ID, BookedOn: who.BookedOn()}
		if p.Criteria, err = criteria.Of(tx, t.item.ID); err != nil || len(p.Criteria) > 0 && !force {
			return err
		}
		b, err := bodiesOf(tx, t.item.ID)
		if err != nil {
			return err
		}
		r, err := reparse(tx, t.item.ID, b, s.Patterns)
		if err != nil {
			return err
		}
		p.Reparsed = &r
		if !r.Unchanged {
			tx.Changed(registry.TopicTickets, t.item.ProjectID, t.ID)
		}
		p.Criteria, err = criteria.Of(tx, t.item.ID)
		p.Criteria = append([]criteria.Criterion{}, p.Criteria...)
		return err
	})
	return p, err
}
