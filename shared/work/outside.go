package work

import (
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Outside is a blocker that has no row in items: a ticket of another project of a tracker, or one that an import names but does not
// contain.
type Outside struct {
	ID    string // unique among the blockers of one item; Ref when empty
	Ref   string // the name that people use
	Title string
}

// key returns the value that tells a row from others.
func (o Outside) key() string {
	if o.ID == "" {
		return text.Key(o.Ref)
	}
	return text.Key(o.ID)
}

// WaitOutside sets the outside blockers of an item; with none the item no longer waits for any. An item waits for each of them, and so do
// the items that it contains.
func WaitOutside(tx *registry.Tx, itemID int64, blockers []Outside, by Event) error {
	here, err := outsideBlockers(tx, itemID)
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(blockers))
	for _, o := range blockers {
		wanted[o.key()] = true
	}
	for _, o := range here {
		if !wanted[o.key()] {
			if _, err := EndOutside(tx, itemID, o.ID, by); err != nil {
				return err
			}
		}
	}
	for _, o := range blockers {
		if err := AddOutside(tx, itemID, o, by); err != nil {
			return err
		}
	}
	return nil
}

// AddOutside makes an item wait for one outside blocker. Adding one twice is not an error.
func AddOutside(tx *registry.Tx, itemID int64, o Outside, by Event) error {
	if o.Ref == "" {
		o.Ref = o.ID
	}
	n, err := tx.Exec(`INSERT INTO outside_blockers (item_id, ref_key, ref, title) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, itemID, o.key(), o.Ref, o.Title)
	if err != nil || n == 0 {
		return err
	}
	by.Field, by.Old, by.New = edgeField(Blocks), "", o.Ref
	if err := Record(tx, itemID, by); err != nil {
		return err
	}
	return holdOne(tx, itemID, +1)
}

// EndOutside removes an outside blocker by its id or ref; false when the item did not wait for it.
func EndOutside(tx *registry.Tx, itemID int64, id string, by Event) (bool, error) {
	here, err := outsideBlockers(tx, itemID)
	if err != nil {
		return false, err
	}
	found := false
	for _, o := range here {
		if o.ID != text.Key(id) && text.Key(o.Ref) != text.Key(id) {
			continue
		}
		found = true
		if err := tx.Do(`DELETE FROM outside_blockers WHERE item_id = ? AND ref_key = ?`, itemID, o.ID); err != nil {
			return false, err
		}
		by.Field, by.Old, by.New = edgeField(Blocks), o.Ref, ""
		if err := Record(tx, itemID, by); err != nil {
			return false, err
		}
		if err := holdOne(tx, itemID, -1); err != nil {
			return false, err
		}
	}
	return found, nil
}

// HereNow removes an outside blocker from a project's items because it has a row again: the edges to that row take over.
func HereNow(tx *registry.Tx, projectID int64, id string, by Event) error {
	waiting, err := registry.Collect(tx, registry.One[int64], `SELECT o.item_id FROM outside_blockers o JOIN items i ON i.id = o.item_id
		WHERE i.project_id = ? AND o.ref_key = ? ORDER BY o.item_id`, projectID, text.Key(id))
	for _, item := range waiting {
		if err == nil {
			_, err = EndOutside(tx, item, id, by)
		}
	}
	return err
}

// outsideBlockers returns the outside blockers of one item.
func outsideBlockers(tx *registry.Tx, itemID int64) ([]Outside, error) {
	return registry.Collect(tx, func(row registry.Scanner) (o Outside, err error) { return o, row.Scan(&o.ID, &o.Ref, &o.Title) },
		`SELECT ref_key, ref, title FROM outside_blockers WHERE item_id = ? ORDER BY ref_key`, itemID)
}

// OutsideBlockers returns the outside blockers of an item and of the items that contain it, its own first.
func OutsideBlockers(tx *registry.Tx, itemID int64) ([]Outside, error) {
	return registry.Collect(tx, func(row registry.Scanner) (o Outside, err error) { return o, row.Scan(&o.ID, &o.Ref, &o.Title) },
		waitingUp+`SELECT o.ref_key, o.ref, o.title FROM up CROSS JOIN outside_blockers o WHERE o.item_id = up.id ORDER BY up.depth, o.ref_key`, itemID)
}
