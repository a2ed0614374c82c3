package work

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// Waiting is an unresolved blocker of an item, or of something that contains it.
type Waiting struct {
	Item
	Through string // ref of the container it blocks; "" when it blocks the item itself
}

// NotHere is the status of a blocker that has no row of its own.
const NotHere = "not here"

// item shows a blocker that is not here as an item: an open ticket of its tracker.
func (o Outside) item() Item {
	return Item{Ref: o.Ref, Kind: KindTicket, Title: o.Title, Status: NotHere, State: StateOpen}
}

// Blockers returns the unresolved blockers of an item: first its own, then those of the items that contain it, nearest first, then those
// that are not here.
func Blockers(tx *registry.Tx, itemID int64) ([]Waiting, error) {
	all, err := blockersHere(tx, itemID)
	if err != nil {
		return nil, err
	}
	outside, err := OutsideBlockers(tx, itemID)
	for _, o := range outside {
		all = append(all, Waiting{Item: o.item()})
	}
	return all, err
}

func blockersHere(tx *registry.Tx, itemID int64) ([]Waiting, error) {
	return registry.Collect(tx, func(row registry.Scanner) (w Waiting, err error) {
		var depth int
		w.Item, err = Scan(row, &w.Through, &depth)
		if depth == 0 {
			w.Through = ""
		}
		return w, err
	}, // CROSS JOIN makes the planner go from the few containers to their edges, not from all edges
		`WITH RECURSIVE up (id, parent_id, ref, depth) AS (
			SELECT id, parent_id, ref, 0 FROM items WHERE id = ? UNION ALL
			SELECT p.id, p.parent_id, p.ref, up.depth + 1 FROM items p JOIN up ON p.id = up.parent_id WHERE p.deleted_at IS NULL AND p.holds > 0 AND up.depth < 1000)
		SELECT `+Columns+`, up.ref, up.depth FROM up CROSS JOIN dependencies d JOIN items ON items.id = d.source_id
		WHERE d.target_id = up.id AND d.relation = 'blocks' AND `+strings.ReplaceAll(Unresolved, "b.", "items.")+` ORDER BY up.depth, d.id`, itemID)
}
