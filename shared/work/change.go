package work

import (
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Changes are new values of an item's texts and fields; nil leaves one as it is.
type Changes struct {
	Text     *string // the first line becomes the title, the whole the description
	Title    *string // the title alone, checked by the caller
	Body     *string // the description alone, checked by the caller
	Priority *Priority
	Estimate *time.Duration // 0: not estimated
}

// Change edits an item and records each changed field in its history; by holds who made the change and why.
func Change(tx *registry.Tx, item *Item, c Changes, by Event) error {
	was := *item
	if c.Text != nil {
		body, err := text.Body("description", *c.Text)
		if err != nil {
			return err
		}
		if body == "" {
			return fault.Validation("description", "the new text of %s %q is empty", item.Kind, item.Ref).WithHint("say what is to be done")
		}
		item.Title, item.Description = text.FirstLine(body, titleLimit), body
	}
	if c.Title != nil {
		item.Title = *c.Title
	}
	if c.Body != nil {
		item.Description = *c.Body
	}
	if c.Priority != nil {
		item.Priority = *c.Priority
	}
	if c.Estimate != nil {
		item.Estimate = *c.Estimate
	}
	events := []Event{
		{Field: "text", Old: was.Title, New: item.Title},
		{Field: "priority", Old: was.Priority.String(), New: item.Priority.String()},
		{Field: "estimate", Old: FormatDuration(was.Estimate), New: FormatDuration(item.Estimate)},
	}
	changed := false
	for _, e := range events {
		if e.Old == e.New && (e.Field != "text" || was.Description == item.Description) {
			continue
		}
		changed = true
		e.Agent, e.Actor, e.Why = by.Agent, by.Actor, by.Why
		if err := Record(tx, item.ID, e); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return tx.Do(`UPDATE items SET title = ?, description = ?, priority = ?, estimate_seconds = ?, updated_at = ?, version = version + 1 WHERE id = ?`,
		item.Title, item.Description, int(item.Priority), registry.NullIfZero(int64(item.Estimate/time.Second)), tx.Stamp(), item.ID)
}
