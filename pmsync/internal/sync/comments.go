package sync

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Comment is what a person or an agent wrote to a ticket.
type Comment struct {
	Author string         `json:"author,omitempty"`
	At     timestamp.Time `json:"at"`
	Text   string         `json:"text"` // Markdown
	URL    string         `json:"url,omitempty"`
}

// maxComment bounds the text of one comment, in bytes.
const maxComment = 8 << 10

// Comments returns the last comments of a ticket, at most so many, oldest first. Those of a
// tracker's ticket are asked of the tracker, and are not kept; its errors are those of a
// pull. Secrets are taken out of them.
func (s *Service) Comments(ctx context.Context, c caller.Caller, id string, most int) (all []Comment, err error) {
	var t ticket.Ticket
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		who, err := c.Reads(tx)
		if err != nil {
			return err
		}
		if t, err = ticket.Find(tx, who.Project.ID, "ticket", id); err != nil || t.Provider != ticket.Local {
			return err
		}
		all, err = ownComments(tx, t.Item().ID, most)
		return err
	})
	if err != nil || t.Provider == ticket.Local {
		return all, err
	}
	folder, err := s.folder(ctx, c.Place)
	if err != nil {
		return nil, err
	}
	tracker, _, err := s.Tracker(ctx, folder)
	if err != nil || tracker == nil {
		return nil, err
	}
	return lastComments(ctx, tracker, t.ProviderID, most)
}

// lastComments reads the comments of an item at its tracker.
func lastComments(ctx context.Context, tracker provider.Provider, remoteID string, most int) (all []Comment, err error) {
	commenter, ok := tracker.(provider.Commenter)
	if !ok || remoteID == "" {
		return nil, nil
	}
	item, err := tracker.Item(ctx, remoteID)
	if err != nil {
		return nil, err
	}
	err = commenter.Comments(ctx, item, func(m provider.Comment) error {
		one := Comment{At: timestamp.Of(m.CreatedAt), Text: shown(m.Body), URL: m.URL}
		if m.Author != nil {
			one.Author = text.FirstLine(m.Author.Name, 200)
		}
		if all = append(all, one); len(all) > most {
			all = all[1:]
		}
		return nil
	})
	return all, err
}

// shown is a tracker's text as Markdown, without the marks of what was sent from here.
func shown(t provider.Text) string {
	body, _ := provider.Unmark(t.Text)
	if doc, err := description.Parse(body, description.Format(t.Format)); err == nil && t.Format != provider.Markdown && t.Format != provider.Plain {
		body = doc.Markdown()
		body, _ = provider.Unmark(body)
	}
	return redact.Stored(text.Cut(body, maxComment))
}

// ownComments are those of a ticket that is kept here alone.
func ownComments(tx *registry.Tx, item int64, most int) (all []Comment, err error) {
	all, err = registry.Collect(tx, func(row registry.Scanner) (c Comment, err error) {
		return c, row.Scan(&c.Author, &c.At, &c.Text)
	}, `SELECT COALESCE(a.name, ''), h.at, h.new FROM item_history h LEFT JOIN agents a ON a.id = h.agent_id
		WHERE h.item_id = ? AND h.field = 'comment' ORDER BY h.id DESC LIMIT ?`, item, most)
	slices.Reverse(all)
	return all, err
}
