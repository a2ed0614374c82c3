package ticket

import (
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Show gives a field of a tracker's ticket, named as changes are, the value that it is
// to have here, written as waiting changes write it. Comments and creations have none.
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
			return nil // which no tracker takes either
		}
		p := work.Priority(n)
		return work.Change(tx, &t.item, work.Changes{Priority: &p}, by)
	case outbox.Assignee:
		if _, err := tx.Exec(`UPDATE tickets SET assignee = ?, assignee_name = ?, content_hash = '' WHERE item_id = ?`, value, value, itemID); err != nil {
			return err
		}
		return work.AssignPerson(tx, itemID, value)
	case outbox.Labels:
		var labels []string
		for _, l := range strings.Split(value, "\n") {
			if l != "" {
				labels = append(labels, l)
			}
		}
		if _, err := tx.Exec(`UPDATE tickets SET content_hash = '' WHERE item_id = ?`, itemID); err != nil {
			return err
		}
		return setLabels(tx, itemID, labels)
	}
	return nil
}

// showStatus is Show for a status: a state of the tracker, as far as they are known, or
// a category.
func showStatus(tx *registry.Tx, t *Ticket, value string, by work.Event) error {
	id, category := "", Category(strings.ToLower(value))
	err := tx.QueryRow(`SELECT remote_id, category FROM tracker_statuses WHERE project_id = ? AND name_key = ? ORDER BY position LIMIT 1`,
		t.item.ProjectID, text.Key(value)).Scan(&id, &category)
	if err != nil && !registry.NoRows(err) {
		return err
	}
	if category == "" {
		category = t.StatusCategory
	}
	if _, err := tx.Exec(`UPDATE tickets SET status_category = ?, status_id = ?, content_hash = '' WHERE item_id = ?`, category, id, t.item.ID); err != nil {
		return err
	}
	return work.SetStatus(tx, &t.item, work.Move{Status: value, State: State(category), Event: by})
}
