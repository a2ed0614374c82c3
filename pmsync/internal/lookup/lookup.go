// Package lookup finds items by what people and agents type: an id or a key, ignoring case, in the caller's project first. A ticket is also
// found by the keys that it had before it was moved. The package only reads.
package lookup

import (
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Kind parses a kind as the tools take it: "external" is a ticket, "local" is a plan, and "" is any kind, found from the id. field names
// the parameter in errors.
func Kind(field, given string) (work.Kind, error) {
	switch word := strings.ToLower(given); word {
	case "":
		return "", nil
	case "external", string(work.KindTicket):
		return work.KindTicket, nil
	case "local", string(work.KindPlan):
		return work.KindPlan, nil
	case string(work.KindTask), string(work.KindBug), string(work.KindEpic):
		return work.Kind(word), nil
	}
	return "", fault.Validation(field, "%q is not a kind of item", given).WithHint("use ticket, plan, task or bug, or leave it out")
}

// Item returns the item that id names in a project, else anywhere, and names its
// project to the transaction. field names the parameter in errors.
func Item(tx *registry.Tx, projectID int64, kind work.Kind, field, id string) (work.Item, error) {
	item, err := find(tx, projectID, kind, field, id)
	if err == nil {
		err = tx.In(item.ProjectID)
	}
	return item, err
}

func find(tx *registry.Tx, projectID int64, kind work.Kind, field, id string) (work.Item, error) {
	if _, err := text.Name(field, id); err != nil {
		return work.Item{}, err
	}
	item, err := work.FindIn(tx, projectID, kind, id)
	if fault.Is(err, fault.KindNotFound) && (kind == "" || kind == work.KindTicket) {
		var former int64
		scan := tx.QueryRow(`SELECT k.item_id FROM ticket_keys k JOIN items i ON i.id = k.item_id
			WHERE k.key_key = ? AND i.deleted_at IS NULL ORDER BY CASE WHEN i.project_id = ? THEN 0 ELSE 1 END, k.until DESC LIMIT 1`, text.Key(id), projectID).Scan(&former)
		if scan == nil {
			return work.ByID(tx, former)
		}
		if !registry.NoRows(scan) {
			return item, scan
		}
	}
	if kind == work.KindTicket && fault.Is(err, fault.KindNotFound) { // people call an epic of a tracker a ticket
		if epic, found := work.FindIn(tx, projectID, work.KindEpic, id); found == nil {
			return epic, nil
		}
	}
	if f := fault.From(err); f != nil {
		named := *f
		named.Field = field
		if f.Kind == fault.KindNotFound {
			named.Hint = "`pmsync ticket list` shows the tickets, `pmsync plan list` the plans"
		}
		return item, &named
	}
	return item, nil
}

// Ticket is Item for a ticket or an epic of a tracker.
func Ticket(tx *registry.Tx, projectID int64, field, id string) (work.Item, error) {
	return Item(tx, projectID, work.KindTicket, field, id)
}
