package ticket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/criteria/find"
	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/shared/registry"
)

// bodies are the texts of a ticket that may hold criteria.
type bodies struct {
	Text
	criteria string
	parsed   string // hash of the texts last looked at
}

func bodiesOf(tx *registry.Tx, itemID int64) (b bodies, err error) {
	err = tx.QueryRow(`SELECT t.body_format, COALESCE(t.body, i.description), COALESCE(t.criteria_body, ''), t.parsed_hash
		FROM tickets t JOIN items i ON i.id = t.item_id WHERE t.item_id = ?`, itemID).Scan(&b.Format, &b.Text.Text, &b.criteria, &b.parsed)
	return b, err
}

func (b bodies) hash() string {
	sum := sha256.Sum256([]byte(b.Format + "\x00" + b.Text.Text + "\x00" + b.criteria))
	return hex.EncodeToString(sum[:16])
}

// parseCriteria looks for criteria in a ticket's texts when they have changed. Patterns are a team's own words for criteria, beside the
// common ones.
func parseCriteria(tx *registry.Tx, itemID int64, patterns []string) error {
	b, err := bodiesOf(tx, itemID)
	if err != nil || b.hash() == b.parsed {
		return err
	}
	_, err = reparse(tx, itemID, b, patterns)
	return err
}

func reparse(tx *registry.Tx, itemID int64, b bodies, patterns []string) (criteria.Reparsed, error) {
	r, err := criteria.Reparse(tx, itemID, b.find(patterns))
	if err != nil {
		return r, err
	}
	err = tx.Do(`UPDATE tickets SET parsed_hash = ? WHERE item_id = ?`, b.hash(), itemID)
	return r, err
}

// find returns the criteria in the texts: those of the tracker's own field, or if it has none, those of the description. An unreadable text
// holds none.
func (b bodies) find(patterns []string) (found []criteria.Found) {
	own := b.Format // a tracker may keep its fields in different formats
	if b.Format == string(description.Markdown) || b.Format == string(description.HTML) {
		own = string(description.Detect(b.criteria))
	}
	for _, text := range []struct {
		text, format string
		find         func(description.Document) []find.Criterion
	}{{b.criteria, own, find.Field}, {b.Text.Text, b.Format, find.Criteria}} {
		if text.text == "" {
			continue
		}
		doc, err := description.Parse(text.text, description.Format(text.format))
		if err != nil {
			continue
		}
		for _, c := range text.find(find.Named(doc, patterns)) {
			source := criteria.Parsed
			if c.Form == find.FormTask {
				source = criteria.Checklist
			}
			said := c.Text
			if c.Parent >= 0 && c.Parent < len(found) {
				said = found[c.Parent].Text + ": " + said
			}
			found = append(found, criteria.Found{Text: said, Source: source, Why: c.Why, Unsure: c.Unsure})
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

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
