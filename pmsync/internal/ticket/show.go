package ticket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Show sets a field of a tracker's ticket here. The field is named as the type of a change, the value has the form of a change's value.
// Comments and creations set no field.
func Show(tx *registry.Tx, itemID int64, field, value string, by work.Event) error {
	t, err := ByItem(tx, itemID)
	if err != nil {
		return err
	}
	switch field {
	case outbox.Status:
		return showStatus(tx, &t, value, by)
	case outbox.Priority:
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil // no tracker accepts it either
		}
		p := work.Priority(n)
		return work.Change(tx, &t.item, work.Changes{Priority: &p}, by)
	case outbox.Assignee:
		if err := tx.Do(`UPDATE tickets SET assignee = ?, assignee_name = ?, content_hash = '' WHERE item_id = ?`, value, value, itemID); err != nil {
			return err
		}
		return work.AssignPerson(tx, itemID, value)
	case outbox.Labels:
		labels := slices.DeleteFunc(strings.Split(value, "\n"), func(l string) bool { return l == "" })
		if err := tx.Do(`UPDATE tickets SET content_hash = '' WHERE item_id = ?`, itemID); err != nil {
			return err
		}
		return setLabels(tx, itemID, labels)
	case outbox.Title:
		return work.Change(tx, &t.item, work.Changes{Title: &value}, by)
	case outbox.Description:
		if err := tx.Do(`UPDATE tickets SET body = NULL, body_format = 'markdown', content_hash = '' WHERE item_id = ?`, itemID); err != nil {
			return err
		}
		return work.Change(tx, &t.item, work.Changes{Body: &value}, by)
	case outbox.Estimate: // in points, "" for none
		points, err := strconv.ParseFloat(value, 64)
		return tx.Do(`UPDATE tickets SET estimate = ?, estimate_unit = CASE WHEN estimate_unit = '' THEN 'points' ELSE estimate_unit END, content_hash = ''
			WHERE item_id = ?`, registry.Null[float64]{V: points, Valid: err == nil}, itemID)
	case outbox.Sprint:
		return intoSprint(tx, &t, value)
	case outbox.Parent:
		return below(tx, &t, value, by.Agent)
	case outbox.Link:
		return relate(tx, &t, ParseRelate(value), by.Agent)
	}
	if name := outbox.CustomName(field); name != "" {
		return showField(tx, itemID, name, value)
	}
	return nil
}

// showStatus is Show for a status: a state of the tracker, as far as they are known, or a category.
func showStatus(tx *registry.Tx, t *Ticket, value string, by work.Event) error {
	id, category := "", Category(strings.ToLower(value))
	err := tx.QueryRow(`SELECT remote_id, category FROM tracker_statuses WHERE project_id = ? AND name_key = ? ORDER BY position LIMIT 1`,
		t.item.ProjectID, text.Key(value)).Scan(&id, &category)
	if err != nil && !registry.NoRows(err) {
		return err
	}
	return takeStatus(tx, t.item.ID, value, id, cmp.Or(category, t.StatusCategory), by)
}

// intoSprint puts a tracker's ticket into the tracker's sprint with that name; "" takes it out of its sprint. A sprint that the tracker
// does not have is a NotFound fault.
func intoSprint(tx *registry.Tx, t *Ticket, name string) error {
	row := int64(0)
	if name != "" {
		id, err := sprint.RemoteID(tx, t.item.ProjectID, t.Provider, name)
		if err != nil {
			return err
		}
		if id == "" {
			return noSprint(name)
		}
		s, err := sprint.Ensure(tx, t.item.ProjectID, t.Provider, id, name)
		if err != nil {
			return err
		}
		row = s.Row
	}
	return tx.Do(`UPDATE tickets SET sprint_id = ?, content_hash = '' WHERE item_id = ?`, registry.NullIfZero(row), t.item.ID)
}
