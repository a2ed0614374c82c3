package ticket

import (
	"cmp"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// RemoteIDs returns the remote ids of a provider's tickets that are here and not
// gone.
func RemoteIDs(tx *registry.Tx, projectID int64, provider string) (map[string]bool, error) {
	return idSet(tx, `SELECT t.remote_id FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.gone_at IS NULL AND i.deleted_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM pending_changes c WHERE c.item_id = t.item_id AND c.change_type = 'create' AND c.status IN ('pending', 'sending', 'failed'))`, projectID, provider)
}

// idSet returns the ids that a query selects, as a set.
func idSet(tx *registry.Tx, query string, args ...any) (map[string]bool, error) {
	ids := map[string]bool{}
	all, err := registry.Collect(tx, registry.One[string], query, args...)
	for _, id := range all {
		ids[id] = true
	}
	return ids, err
}

// AwayIDs returns the remote ids of a provider's tickets that were here and are out of sight, at most so many, the most recent ones.
func AwayIDs(tx *registry.Tx, projectID int64, provider string, most int) (map[string]bool, error) {
	return idSet(tx, `SELECT t.remote_id FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND i.deleted_at IS NOT NULL AND t.remote_id NOT LIKE '%~%' ORDER BY i.deleted_at DESC, t.item_id DESC LIMIT ?`,
		projectID, provider, most)
}

// Away reports whether a provider's ticket was here and is out of sight.
func Away(tx *registry.Tx, projectID int64, provider, remoteID string) (bool, error) {
	return registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.remote_id = ? AND i.deleted_at IS NOT NULL)`, projectID, provider, remoteID))
}

// OutsideBlockers returns the remote ids of tickets that are not here and that block a provider's tickets, at most so many. They are few
// among the tickets, so that the join begins with them.
func OutsideBlockers(tx *registry.Tx, projectID int64, provider string, most int) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT DISTINCT l.remote_id FROM outside_blockers o CROSS JOIN tickets t
		JOIN ticket_links l ON l.item_id = o.item_id AND LOWER(l.remote_id) = o.ref_key
		WHERE t.item_id = o.item_id AND t.project_id = ? AND t.provider = ? AND l.relation = 'blocked_by' AND l.target_id IS NULL ORDER BY l.remote_id LIMIT ?`, projectID, provider, most)
}

// Reasons why a ticket is out of sight: its tracker archived it, or moved it to another project.
const (
	Archived = "archived"
	Moved    = "moved to another project"
)

// Leave puts a ticket that its tracker no longer has in the project out of sight. Items that waited for it are unblocked, unless it was
// Moved unfinished to another project. An Archived ticket is marked as such. It returns the ticket's item and key, 0 when it is not
// here.
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
		err = tx.Do(`UPDATE tickets SET archived_at = COALESCE(archived_at, ?), content_hash = '' WHERE item_id = ?`, tx.Stamp(), itemID)
	} else {
		err = tx.Do(`UPDATE tickets SET gone_at = ?, content_hash = '' WHERE item_id = ?`, tx.Stamp(), itemID)
	}
	if err != nil {
		return 0, "", err
	}
	tx.Changed(registry.TopicTickets, projectID, key)
	if why == Moved {
		if err := blocksFromElsewhere(tx, itemID, remoteID, key); err != nil {
			return 0, "", err
		}
	}
	return itemID, key, work.Delete(tx, itemID, work.Event{Actor: provider, Why: why + " at the tracker"})
}

// blocksFromElsewhere lets an unfinished ticket that moves to another project block as before. It makes the next pull read the blocked
// tickets anew.
func blocksFromElsewhere(tx *registry.Tx, itemID int64, remoteID, key string) error {
	item, err := work.ByID(tx, itemID)
	if err != nil || work.Resolves(item.Kind, item.State) {
		return err
	}
	waiting, err := registry.Collect(tx, registry.One[int64], `SELECT d.target_id FROM dependencies d WHERE d.source_id = ? AND d.relation = 'blocks' ORDER BY d.id`, itemID)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		if err := work.AddOutside(tx, id, work.Outside{ID: remoteID, Ref: key, Title: item.Title}, work.Event{Why: Moved}); err != nil {
			return err
		}
		if err := tx.Do(`UPDATE tickets SET content_hash = '' WHERE item_id = ?`, id); err != nil {
			return err
		}
		if err := tx.Do(`UPDATE ticket_links SET target_id = NULL WHERE item_id = ? AND target_id = ? AND relation = 'blocked_by'`, id, itemID); err != nil {
			return err
		}
	}
	return nil
}

// KeepFields replaces the tracker's values of some fields in n, named as the types of changes, by the ticket's values here, which wait to
// be sent.
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
		case outbox.Title:
			n.Title = t.Title
		case outbox.Description:
			n.Body = Text{Format: string(description.Markdown), Text: t.Description}
		case outbox.Parent:
			n.stay.place = true
		case outbox.Estimate:
			n.Estimate, n.EstimateUnit = t.Estimate, t.EstimateUnit
		case outbox.Sprint:
			id, err := RemoteSprint(tx, itemID, t.Provider)
			if err != nil {
				return err
			}
			n.Sprint = Ref{ID: id, Name: t.Sprint}
		}
		if name := outbox.CustomName(field); name != "" {
			value, err := fieldValue(tx, itemID, name)
			if err != nil {
				return err
			}
			for i := range n.Fields {
				if n.Fields[i].Named(Field{Name: name}) {
					n.Fields[i].Value = value
				}
			}
		}
	}
	return nil
}

// Mean changes the category of the tickets in a status of a tracker from one to another. A ticket with a category other than from, such as
// a completed one, keeps it.
func Mean(tx *registry.Tx, project int64, tracker, id, name, from, to string) error {
	items, err := registry.Collect(tx, registry.One[int64], `SELECT t.item_id FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.status_category = ? AND (t.status_id = ? OR LOWER(i.status) = LOWER(?)) AND i.deleted_at IS NULL`, project, tracker, from, id, name)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := takeStatus(tx, item, name, id, to, work.Event{Why: "the configuration names what the status means"}); err != nil {
			return err
		}
	}
	return nil
}

// TakeStatus sets a ticket to the tracker's status.
func TakeStatus(tx *registry.Tx, itemID int64, name, id, category string, agentID int64) error {
	return takeStatus(tx, itemID, name, id, category, work.Event{Agent: agentID, Why: "the tracker's status was kept"})
}

func takeStatus(tx *registry.Tx, itemID int64, name, id, category string, by work.Event) error {
	item, err := work.ByID(tx, itemID)
	if err != nil || name == "" {
		return err
	}
	category = cmp.Or(category, Category(strings.ToLower(name)), Todo)
	if err := tx.Do(`UPDATE tickets SET status_category = ?, status_id = ?, content_hash = '' WHERE item_id = ?`, category, id, itemID); err != nil {
		return err
	}
	return work.SetStatus(tx, &item, work.Move{Status: name, State: State(category), Event: by})
}

// Adopt links a ticket that was made here with the one that a tracker made of it. A copy that a pull brought meanwhile is deleted.
func Adopt(tx *registry.Tx, itemID int64, provider, remoteID string) error {
	twin, err := oneIfAny[int64](tx.QueryRow(`SELECT other.item_id FROM tickets other JOIN tickets own ON own.project_id = other.project_id
		WHERE own.item_id = ? AND other.item_id <> own.item_id AND other.provider = ? AND other.remote_id = ?`, itemID, provider, remoteID))
	if err == nil && twin > 0 {
		if err = tx.Do(`UPDATE tickets SET remote_id = remote_id || '~' || item_id, gone_at = ? WHERE item_id = ?`, tx.Stamp(), twin); err == nil {
			err = work.Delete(tx, twin, work.Event{Actor: provider, Why: "it is a ticket that was made here"})
		}
	}
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE tickets SET provider = ?, remote_id = ?, content_hash = '' WHERE item_id = ?`, provider, remoteID, itemID)
}

// RemoteParent returns the remote id of a ticket's parent, and the parent's type; "" when it has no parent at the tracker.
func RemoteParent(tx *registry.Tx, itemID int64, provider string) (id, kind string, err error) {
	err = tx.QueryRow(`SELECT p.remote_id, p.item_type FROM items i JOIN tickets p ON p.item_id = i.parent_id WHERE i.id = ? AND p.provider = ?`, itemID, provider).Scan(&id, &kind)
	_, err = registry.Found(err)
	return id, kind, err
}

// Remote returns the remote id and the type of the ticket with a key; "" when the provider does not have it, or not yet.
func Remote(tx *registry.Tx, projectID int64, provider, key string) (id, kind string, err error) {
	t, err := Find(tx, projectID, "ticket", key)
	if err != nil || t.Provider != provider {
		return "", "", err
	}
	return t.ProviderID, t.Type, nil
}

// RemoteSprint returns the remote id of a ticket's sprint, "" when it has none at the tracker.
func RemoteSprint(tx *registry.Tx, itemID int64, provider string) (string, error) {
	return oneIfAny[string](tx.QueryRow(`SELECT s.remote_id FROM tickets t JOIN sprints s ON s.id = t.sprint_id
		WHERE t.item_id = ? AND s.provider = ? AND s.gone_at IS NULL`, itemID, provider))
}

// ItemOf returns the item of a provider's ticket by its remote id, 0 when it is not here.
func ItemOf(tx *registry.Tx, projectID int64, provider, remoteID string) (int64, error) {
	return oneIfAny[int64](tx.QueryRow(`SELECT item_id FROM tickets WHERE project_id = ? AND provider = ? AND remote_id = ?`, projectID, provider, remoteID))
}

// KeyOf returns the key of a provider's ticket by its remote id, "" when it is not here.
func KeyOf(tx *registry.Tx, projectID int64, provider, remoteID string) (string, error) {
	return oneIfAny[string](tx.QueryRow(`SELECT i.ref FROM tickets t JOIN items i ON i.id = t.item_id WHERE t.project_id = ? AND t.provider = ? AND t.remote_id = ?`, projectID, provider, remoteID))
}

// oneIfAny reads the one value of a row, or the zero value when there is no row.
func oneIfAny[T any](row registry.Scanner) (T, error) {
	value, err := registry.One[T](row)
	_, err = registry.Found(err)
	return value, err
}
