package sync

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Words are the comments, attachments and pages of a ticket.
type Words struct {
	Comments []ticket.Comment // the latest, oldest first
	Files    []ticket.File    // attachments and pages
}

// Words asks the tracker of a ticket for its last comments, at most so many, and for its attachments and pages, and keeps them. A local
// ticket has the comments made here. Errors of the tracker are those of a pull. Secrets are taken out.
func (s *Service) Words(ctx context.Context, c caller.Caller, id string, most int) (w Words, err error) {
	t, w, err := s.known(ctx, c, id, most)
	if err != nil || t.Provider == ticket.Local {
		return w, err
	}
	folder, err := s.folder(ctx, c.Place)
	if err != nil {
		return w, err
	}
	tracker, _, err := s.Tracker(ctx, folder)
	if err != nil || tracker == nil {
		return w, err
	}
	item, err := tracker.Item(ctx, t.ProviderID)
	if err != nil {
		return w, err
	}
	comments, err := lastComments(ctx, tracker, item, max(most, ticket.KeptComments))
	if err != nil {
		return w, err
	}
	files := item.Files
	if a, ok := tracker.(provider.Attacher); ok {
		more, err := a.Attachments(ctx, item)
		if err != nil {
			return w, err
		}
		files = append(slices.Clone(files), more...)
	}
	err = s.DB.Write(ctx, registry.Scope{Project: t.Item().ProjectID}, func(tx *registry.Tx) error {
		if err := ticket.KeepComments(tx, t.Item().ID, comments); err != nil {
			return err
		}
		return ticket.KeepFiles(tx, t.Item().ID, filesOf(files))
	})
	if err != nil {
		return w, err
	}
	_, w, err = s.known(ctx, c, id, most)
	if len(comments) > ticket.KeptComments { // asked for more than are kept
		w.Comments = ticket.CleanComments(comments[max(0, len(comments)-most):])
	}
	return w, err
}

// known returns the stored comments, attachments and pages of a ticket.
func (s *Service) known(ctx context.Context, c caller.Caller, id string, most int) (t ticket.Ticket, w Words, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		if t, err = ticket.Find(tx, who.Project.ID, "ticket", id); err != nil {
			return err
		}
		if w.Comments, err = ticket.CommentsOf(tx, t.Item().ID, most); err != nil {
			return err
		}
		w.Files, err = ticket.FilesOf(tx, t.Item().ID)
		return err
	})
	return t, w, err
}

// lastComments reads the last comments of an item at its tracker, at most so many, oldest first.
func lastComments(ctx context.Context, tracker provider.Provider, item *provider.Item, most int) (all []ticket.Comment, err error) {
	commenter, ok := tracker.(provider.Commenter)
	if !ok {
		return nil, nil
	}
	err = commenter.Comments(ctx, item, func(m provider.Comment) error {
		one := ticket.Comment{ID: m.ID, At: timestamp.Of(m.CreatedAt), Text: shown(m.Body), URL: m.URL}
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

// shown returns a tracker's text as Markdown, without the marks of what was sent from here.
func shown(t provider.Text) string {
	body, _ := provider.Unmark(t.Text)
	if doc, err := description.Parse(body, description.Format(t.Format)); err == nil && t.Format != provider.Markdown && t.Format != provider.Plain {
		body = doc.Markdown()
		body, _ = provider.Unmark(body)
	}
	return body
}

// mostRead bounds for how many tickets a pull reads the comments. It reads those of open tickets that changed since the last pull; each
// ticket takes a request.
const mostRead = 10

// hear notes the open tickets that a pull brought, so that listen reads their comments.
func (e *Engine) hear(items []provider.Item) {
	for _, i := range items {
		open := i.Status.Category == provider.Todo || i.Status.Category == provider.InProgress
		if open && i.Presence == provider.Present && (i.Type == provider.TypeTicket || i.Type == provider.TypeSubtask) {
			e.heardOf = append(e.heardOf, i)
		}
	}
	if more := len(e.heardOf) - mostRead; more > 0 {
		e.heardOf = slices.Delete(e.heardOf, 0, more)
	}
}

// listen reads the last comments of the noted tickets, those that changed last. Unreadable comments are left for another pull: the tickets
// themselves are stored.
func (e *Engine) listen(ctx context.Context, t *turn) error {
	items := e.heardOf
	e.heardOf = nil
	for _, i := range items {
		comments, err := lastComments(ctx, e.Tracker, &i, ticket.KeptComments)
		if err != nil {
			return ctx.Err()
		}
		if err := t.write(ctx, func(tx *registry.Tx) error {
			item, err := ticket.ItemOf(tx, e.Project, e.name(), i.RemoteID)
			if err != nil || item == 0 {
				return err
			}
			return ticket.KeepComments(tx, item, comments)
		}); err != nil {
			return err
		}
	}
	return nil
}
