package ticket

import (
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// RemoteIDs returns the remote ids of a provider's tickets that are here and not
// gone.
func RemoteIDs(tx *registry.Tx, projectID int64, provider string) (map[string]bool, error) {
	ids := map[string]bool{}
	all, err := registry.Collect(tx, registry.One[string], `SELECT t.remote_id FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.gone_at IS NULL AND i.deleted_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM pending_changes c WHERE c.item_id = t.item_id AND c.change_type = 'create' AND c.status IN ('pending', 'sending', 'failed'))`, projectID, provider)
	for _, id := range all {
		ids[id] = true
	}
	return ids, err
}

// Archived is why a ticket is out of sight that its tracker put away.
const Archived = "archived"

// Leave takes a ticket out of sight that its tracker no longer has in the project:
// what waited for it waits no longer. It returns the ticket's item and key, 0 when
// it is not here. A ticket that is only archived is marked so.
func Leave(tx *registry.Tx, projectID int64, provider, remoteID, why string) (itemID int64, key string, err error) {
	var gone bool
	err = tx.QueryRow(`SELECT t.item_id, i.ref, i.deleted_at IS NOT NULL FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.remote_id = ?`, projectID, provider, remoteID).Scan(&itemID, &key, &gone)
	if registry.NoRows(err) || err == nil && gone {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	if why == Archived {
		_, err = tx.Exec(`UPDATE tickets SET archived_at = COALESCE(archived_at, ?), content_hash = '' WHERE item_id = ?`, tx.Stamp(), itemID)
	} else {
		_, err = tx.Exec(`UPDATE tickets SET gone_at = ?, content_hash = '' WHERE item_id = ?`, tx.Stamp(), itemID)
	}
	if err != nil {
		return 0, "", err
	}
	tx.Changed(registry.TopicTickets, projectID, key)
	return itemID, key, work.Delete(tx, itemID, work.Event{Actor: provider, Why: why + " at the tracker"})
}

// KeepFields puts the values that a ticket has here in place of those that come
// from its tracker, for fields named as changes are: they wait to be sent.
func KeepFields(tx *registry.Tx, itemID int64, n *New, fields []string) error {
	t, err := ByItem(tx, itemID)
	if err != nil {
		return err
	}
	for _, field := range fields {
		switch field {
		case outbox.Status:
			n.Status, n.Category = t.Status, t.StatusCategory
			if err := tx.QueryRow(`SELECT status_id FROM tickets WHERE item_id = ?`, itemID).Scan(&n.StatusID); err != nil {
				return err
			}
		case outbox.Assignee:
			n.Assignee, n.AssigneeName = t.Assignee, t.AssigneeName
		case outbox.Priority:
			n.Priority = t.item.Priority
		case outbox.Labels:
			n.Labels = t.Labels
		}
	}
	return nil
}

// TakeStatus gives a ticket the status that its tracker has.
func TakeStatus(tx *registry.Tx, itemID int64, name, id, category string, agentID int64) error {
	item, err := work.ByID(tx, itemID)
	if err != nil || name == "" {
		return err
	}
	if category == "" {
		category = Category(strings.ToLower(name))
	}
	if category == "" {
		category = Todo
	}
	if _, err := tx.Exec(`UPDATE tickets SET status_category = ?, status_id = ?, content_hash = '' WHERE item_id = ?`, category, id, itemID); err != nil {
		return err
	}
	return work.SetStatus(tx, &item, work.Move{Status: name, State: State(category), Event: work.Event{Agent: agentID, Why: "the tracker's status was kept"}})
}

// Adopt makes a ticket that was made here the one that a tracker made of it. One
// that a pull brought meanwhile is the same and goes.
func Adopt(tx *registry.Tx, itemID int64, provider, remoteID string) error {
	twin, err := registry.One[int64](tx.QueryRow(`SELECT other.item_id FROM tickets other JOIN tickets own ON own.project_id = other.project_id
		WHERE own.item_id = ? AND other.item_id <> own.item_id AND other.provider = ? AND other.remote_id = ?`, itemID, provider, remoteID))
	switch {
	case err == nil:
		if _, err := tx.Exec(`UPDATE tickets SET remote_id = remote_id || '~' || item_id, gone_at = ? WHERE item_id = ?`, tx.Stamp(), twin); err != nil {
			return err
		}
		if err := work.Delete(tx, twin, work.Event{Actor: provider, Why: "it is a ticket that was made here"}); err != nil {
			return err
		}
	case !registry.NoRows(err):
		return err
	}
	_, err = tx.Exec(`UPDATE tickets SET provider = ?, remote_id = ?, content_hash = '' WHERE item_id = ?`, provider, remoteID, itemID)
	return err
}

// RemoteParent is the remote id of the ticket that a ticket stands below, "" when
// there is none at the tracker.
func RemoteParent(tx *registry.Tx, itemID int64, provider string) (string, error) {
	id, err := registry.One[string](tx.QueryRow(`SELECT p.remote_id FROM items i JOIN tickets p ON p.item_id = i.parent_id WHERE i.id = ? AND p.provider = ?`, itemID, provider))
	if registry.NoRows(err) {
		return "", nil
	}
	return id, err
}

// RemoteSprint is the remote id of the sprint that a ticket is in, "" when there is
// none at the tracker.
func RemoteSprint(tx *registry.Tx, itemID int64, provider string) (string, error) {
	id, err := registry.One[string](tx.QueryRow(`SELECT s.remote_id FROM tickets t JOIN sprints s ON s.id = t.sprint_id
		WHERE t.item_id = ? AND s.provider = ? AND s.gone_at IS NULL`, itemID, provider))
	if registry.NoRows(err) {
		return "", nil
	}
	return id, err
}
