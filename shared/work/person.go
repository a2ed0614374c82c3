package work

import (
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// HoldBack keeps an unfinished item from being worked on until LetGo; by is the person and the reason. Holding back an item twice is
// not an error and changes nothing.
func HoldBack(tx *registry.Tx, item Item, by Event) error {
	if item.State != StateOpen && item.State != StateActive {
		return fault.Conflict(string(item.Kind), item.Ref, "%s %q is already %s", item.Kind, item.Ref, item.Status).
			WithHint("a finished item needs no holding back")
	}
	n, err := tx.Exec(`INSERT INTO item_holds (item_id, agent_id, why, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		item.ID, registry.NullIfZero(by.Agent), by.Why, tx.Stamp())
	if err != nil || n == 0 {
		return err
	}
	if err := holdOne(tx, item.ID, +1); err != nil {
		return err
	}
	by.Field, by.New = "held_back", "yes"
	return Record(tx, item.ID, by)
}

// LetGo undoes HoldBack; it returns false when no one held the item back.
func LetGo(tx *registry.Tx, item Item, by Event) (bool, error) {
	n, err := tx.Exec(`DELETE FROM item_holds WHERE item_id = ?`, item.ID)
	if err != nil || n == 0 {
		return false, err
	}
	if err := holdOne(tx, item.ID, -1); err != nil {
		return false, err
	}
	by.Field, by.Old = "held_back", "yes"
	return true, Record(tx, item.ID, by)
}

// heldSentence returns a phrase on who holds an item back, and why.
func heldSentence(tx *registry.Tx, item Item) (string, error) {
	var who, why string
	err := tx.QueryRow(`SELECT agents.name, item_holds.why FROM item_holds LEFT JOIN agents ON agents.id = item_holds.agent_id
		WHERE item_holds.item_id = ?`, item.ID).Scan(registry.Nullable(&who), &why)
	if err != nil {
		return "", err
	}
	said := "it is held back"
	if who != "" {
		said = fmt.Sprintf("%q holds it back", who)
	}
	if why != "" {
		said += ": " + why
	}
	return said, nil
}

// BlockedSince returns the earliest time from which an open bug or a person has blocked an item; nil when none does.
func BlockedSince(tx *registry.Tx, itemID int64) (*timestamp.Time, error) {
	return registry.One[*timestamp.Time](tx.QueryRow(`SELECT MIN(at) FROM (
		SELECT at FROM item_holds WHERE item_id = ?
		UNION ALL SELECT d.created_at FROM dependencies d JOIN items b ON b.id = d.source_id WHERE d.target_id = ? AND d.relation = 'blocks'
			AND b.kind = 'bug' AND b.state IN ('open', 'active') AND b.deleted_at IS NULL) began`, itemID, itemID))
}
