package task

import "github.com/agit-suite/agit/shared/registry"

// Criterion is one acceptance criterion.
type Criterion struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Criteria returns the acceptance criteria of a task: its own first, then those of the item that it was made from. origin is that item's
// row, 0 for none. It returns at most 200.
func Criteria(tx *registry.Tx, itemID, origin int64) ([]Criterion, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Criterion, err error) {
		return c, row.Scan(&c.ID, &c.Text, &c.Status)
	}, `SELECT ref, text, status FROM item_criteria WHERE item_id IN (?, ?) ORDER BY CASE WHEN item_id = ? THEN 0 ELSE 1 END, position LIMIT 200`, itemID, origin, itemID)
}
