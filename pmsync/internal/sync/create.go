package sync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// comment adds a comment exactly once, however often it is tried.
func (s *sending) comment(ctx context.Context, c outbox.Change) error {
	commenter, ok := s.Tracker.(provider.Commenter)
	if !ok {
		return provider.Fail(provider.Unsupported, nil, "%s takes no comments", s.Tracker.Name().Title())
	}
	n := provider.NewComment{Key: c.ClientID, Text: c.Value}
	if c.Status == outbox.Sending {
		n.Attempted = c.CreatedAt.Time // any earlier attempt may have succeeded
	}
	if err := s.mark(ctx, c); err != nil {
		return err
	}
	made, err := commenter.AddComment(ctx, s.current, n)
	if err != nil {
		return err
	}
	return s.turn.record(context.WithoutCancel(ctx), s.result, func(tx *registry.Tx) error {
		s.result.Sent++
		return outbox.Settle(tx, c.Row, outbox.Synced, made.ID, "")
	})
}

// create makes the ticket at the tracker exactly once, however often it is tried.
func (s *sending) create(ctx context.Context, creator provider.Creator, c outbox.Change) error {
	n, t, err := s.newItem(ctx, c)
	switch {
	case err != nil && ends(err):
		return err
	case err != nil:
		s.result.fail(about(c.Ticket, err))
		return s.turn.write(ctx, func(tx *registry.Tx) error { return outbox.Note(tx, c.Row, err.Error()) })
	}
	if err := s.mark(ctx, c); err != nil {
		return err
	}
	made, err := creator.Create(ctx, n)
	if err != nil {
		_, err = s.failed(ctx, c, err)
		return err
	}
	if left := left(t, n, made); len(left) > 0 {
		s.result.note(fmt.Sprintf("%s is made at %s without its %s, which is not taken there", c.Ticket, s.Tracker.Name().Title(), strings.Join(left, " and its ")))
	}
	s.result.sayUnheld(s.Tracker.Name(), n.Text, made)
	return s.turn.record(context.WithoutCancel(ctx), s.result, func(tx *registry.Tx) error {
		s.result.Sent++
		if err := outbox.Settle(tx, c.Row, outbox.Synced, made.RemoteID, ""); err != nil {
			return err
		}
		if err := s.went(tx, n.Fields); err != nil {
			return err
		}
		if err := ticket.Adopt(tx, s.item, s.name(), made.RemoteID); err != nil {
			return err
		}
		return s.store(tx, []provider.Item{*made}, true, s.result)
	})
}

// given returns the custom fields that wait to be sent with a new ticket.
func (s *sending) given(tx *registry.Tx) (fields []provider.FieldValue, err error) {
	waiting, err := outbox.OfItem(tx, s.item)
	for _, c := range waiting {
		if name := outbox.CustomName(c.Type); name != "" && c.Value != "" {
			fields = append(fields, provider.FieldValue{Name: name, Value: c.Value})
		}
	}
	return fields, err
}

// went settles the custom fields that were sent with a new ticket.
func (s *sending) went(tx *registry.Tx, fields []provider.FieldValue) error {
	waiting, err := outbox.OfItem(tx, s.item)
	if err != nil {
		return err
	}
	for _, c := range waiting {
		sent := slices.Contains(fields, provider.FieldValue{Name: outbox.CustomName(c.Type), Value: c.Value})
		if !sent || c.Status == outbox.Sending {
			continue
		}
		if err := outbox.Settle(tx, c.Row, outbox.Synced, "", ""); err != nil {
			return err
		}
	}
	return nil
}

// left names the parts of a ticket that are missing in the item that was made of it.
func left(t ticket.Ticket, n provider.NewItem, made *provider.Item) (parts []string) {
	if n.NativeType != "" && !strings.EqualFold(made.NativeType, n.NativeType) {
		parts = append(parts, fmt.Sprintf("type %q", n.NativeType))
	}
	if n.Status != nil && made.Status.Category != n.Status.Category {
		parts = append(parts, fmt.Sprintf("status %q (it has %q)", t.Status, made.Status.Name))
	}
	if n.Priority != 0 && made.Priority != n.Priority {
		parts = append(parts, "priority "+work.Priority(n.Priority).String())
	}
	if t.DueDate != "" && made.DueDate != t.DueDate {
		parts = append(parts, "due date "+t.DueDate)
	}
	if t.Estimate != nil && (made.Estimate == nil || *made.Estimate != *t.Estimate) {
		parts = append(parts, fmt.Sprintf("estimate of %g %s", *t.Estimate, unit(t)))
	}
	if t.Parent != "" && made.Above() == nil {
		parts = append(parts, "parent "+t.Parent)
	}
	if t.Sprint != "" && made.Sprint == nil {
		parts = append(parts, fmt.Sprintf("sprint %q", t.Sprint))
	}
	return parts
}

// unit returns the unit of a ticket's estimate, points by default.
func unit(t ticket.Ticket) string { return cmp.Or(t.EstimateUnit, "points") }

// newItem returns the request that makes the ticket, and the ticket as it is kept here.
func (s *sending) newItem(ctx context.Context, c outbox.Change) (n provider.NewItem, t ticket.Ticket, err error) {
	n = provider.NewItem{Key: c.ClientID}
	if c.Status == outbox.Sending { // an attempt that certainly failed does not count
		n.Attempted, n.Tried = c.CreatedAt.Time, c.TriedAt.Time
	}
	viewer := ""
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		if t, err = ticket.ByItem(tx, s.item); err != nil {
			return err
		}
		n.Title, n.Text, n.Type, n.Priority, n.Labels = t.Title, t.Description, provider.ItemType(t.Type), t.Priority, t.Labels
		if n.NativeType, err = ticket.ProviderType(tx, s.item); err != nil {
			return err
		}
		if t.StatusCategory != ticket.Todo {
			n.Status = &provider.Target{Category: provider.Category(t.StatusCategory)}
		}
		if c.Base != nil && *c.Base == strconv.Itoa(t.Priority) { // a default that no one chose
			n.Priority = 0
		}
		n.DueDate, n.Estimate, n.Unit = t.DueDate, t.Estimate, unit(t)
		var kind string
		if n.Parent, kind, err = ticket.RemoteParent(tx, s.item, s.name()); err != nil {
			return err
		}
		n.ParentType = provider.ItemType(kind)
		if n.Fields, err = s.given(tx); err != nil {
			return err
		}
		if n.Sprint, err = ticket.RemoteSprint(tx, s.item, s.name()); err != nil {
			return err
		}
		viewer, err = registry.One[string](tx.QueryRow(`SELECT viewer_id FROM trackers WHERE project_id = ?`, s.Project))
		return err
	})
	if n.Assignee = t.Assignee; err != nil || n.Assignee == "" || n.Assignee == viewer {
		return n, t, err
	}
	n.Assignee, err = s.find(ctx, t.Assignee)
	if provider.Is(err, provider.Invalid) || err == nil && n.Assignee == "" { // an agent's name, for instance; the ticket is made all the same
		s.result.note(fmt.Sprintf("%s is made without an assignee: no one person at %s is %q; `pmsync ticket update` assigns it", c.Ticket, s.Tracker.Name().Title(), t.Assignee))
		err = nil
	}
	return n, t, err
}
