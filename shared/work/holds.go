package work

import (
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Resolves reports whether an item in this state no longer blocks the items that wait for it. A failed task still blocks, because its
// result is missing. A dropped ticket, plan or bug does not: someone decided that it will not come.
func Resolves(k Kind, s State) bool { return s == StateDone || s == StateDropped && k != KindTask }

// Unresolved is the condition that a blocker b still blocks; a deleted one blocks
// nothing.
const Unresolved = `b.deleted_at IS NULL AND (b.state IN ('open', 'active') OR (b.state = 'dropped' AND b.kind = 'task'))`

// holdBlocked updates the items behind a blocker that was resolved (-1), or came back (+1).
func holdBlocked(tx *registry.Tx, blocker int64, by int) error {
	return propagate(tx, by, `id IN (SELECT target_id FROM dependencies WHERE source_id = ? AND relation = 'blocks')`, blocker)
}

// holdOne updates an item to which an edge was added, or from which one was removed.
func holdOne(tx *registry.Tx, item int64, by int) error { return propagate(tx, by, `id = ?`, item) }

// batch bounds the parameters of one statement.
const batch = 500

func holdChildren(tx *registry.Tx, parents []int64, by int) error {
	for part := range slices.Chunk(parents, batch) {
		marks, args := registry.In(part)
		if err := propagate(tx, by, `parent_id IN (`+marks+`)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// holdBehind updates the items that one item holds, by containing or blocking them, when it goes (-1) or comes back (+1).
func holdBehind(tx *registry.Tx, item Item, by int) error {
	if item.Holds > 0 {
		if err := holdChildren(tx, []int64{item.ID}, by); err != nil {
			return err
		}
	}
	if Resolves(item.Kind, item.State) {
		return nil
	}
	return holdBlocked(tx, item.ID, by)
}

// eachOf runs a query that ends with IN over some values, in batches, and uses each row.
func eachOf[V, T any](tx *registry.Tx, scan func(registry.Scanner) (T, error), query string, values []V, use func(T)) error {
	for part := range slices.Chunk(values, batch) {
		marks, args := registry.In(part)
		found, err := registry.Collect(tx, scan, query+` (`+marks+`)`, args...)
		if err != nil {
			return err
		}
		for _, row := range found {
			use(row)
		}
	}
	return nil
}

// propagate changes the holds of the selected items by one, and those of the children of items that thereby became held, or free.
func propagate(tx *registry.Tx, by int, where string, args ...any) error {
	type changed struct {
		id, holds int64
		deleted   bool
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (c changed, err error) {
		return c, row.Scan(&c.id, &c.holds, &c.deleted)
	}, `UPDATE items SET holds = holds + ? WHERE `+where+` RETURNING id, holds, deleted_at IS NOT NULL`, append([]any{by}, args...)...)
	if err != nil {
		return err
	}
	edge := int64(0) // the count at which an item has just become free
	if by > 0 {
		edge = 1
	}
	var flipped []int64
	for _, c := range all {
		if c.holds == edge && !c.deleted {
			flipped = append(flipped, c.id)
		}
	}
	return holdChildren(tx, flipped, by)
}

// heldBy returns how much a parent adds to the holds of its child, 0 or 1.
func heldBy(tx *registry.Tx, parent int64) (holds int, err error) {
	held, err := registry.One[bool](tx.QueryRow(`SELECT holds > 0 AND deleted_at IS NULL FROM items WHERE id = ?`, parent))
	if held {
		holds = 1
	}
	return holds, err
}

// takenUp returns a Conflict fault if a task was already made from origin, else nil.
func takenUp(tx *registry.Tx, origin int64) error {
	var from, ref string
	err := tx.QueryRow(`SELECT o.ref, t.ref FROM items t JOIN items o ON o.id = t.origin_id
		WHERE t.origin_id = ? AND t.kind = 'task' AND t.deleted_at IS NULL AND t.state <> 'dropped'`, origin).Scan(&from, &ref)
	if found, err := registry.Found(err); !found {
		return err
	}
	return fault.Conflict("item", from, "%q is taken up by task %q already", from, ref).WithHint("work on that task")
}

// Recount counts every item's holds anew and returns how many were wrong. It mends wrong counts after a merge of two registries, or when
// doctor finds them.
func Recount(tx *registry.Tx) (wrong int, err error) { return recount(tx, true) }

// Miscounted returns how many items have wrong holds, and changes nothing.
func Miscounted(tx *registry.Tx) (wrong int, err error) { return recount(tx, false) }

func recount(tx *registry.Tx, mend bool) (wrong int, err error) {
	type row struct {
		id, parent int64
		holds, own int
		deleted    bool
	}
	rows, err := registry.Collect(tx, func(r registry.Scanner) (x row, err error) {
		return x, r.Scan(&x.id, registry.Nullable(&x.parent), &x.holds, &x.deleted, &x.own)
	}, `SELECT items.id, items.parent_id, items.holds, items.deleted_at IS NOT NULL,
		  COALESCE(waits.n, 0) + CASE WHEN held.item_id IS NULL THEN 0 ELSE 1 END
		  + (SELECT COUNT(*) FROM outside_blockers outside WHERE outside.item_id = items.id)
		FROM items LEFT JOIN item_holds held ON held.item_id = items.id LEFT JOIN (SELECT d.target_id, COUNT(*) AS n FROM dependencies d JOIN items b ON b.id = d.source_id
		  WHERE d.relation = 'blocks' AND `+Unresolved+` GROUP BY d.target_id) waits ON waits.target_id = items.id`)
	if err != nil {
		return 0, err
	}
	byID := make(map[int64]*row, len(rows))
	for i := range rows {
		byID[rows[i].id] = &rows[i]
	}
	known := make(map[int64]int, len(rows))
	var count func(r *row) int
	count = func(r *row) int {
		if n, ok := known[r.id]; ok {
			return n
		}
		known[r.id] = r.own // a cycle of parents, which Link never makes, ends here
		if p := byID[r.parent]; p != nil && !p.deleted && count(p) > 0 {
			known[r.id]++
		}
		return known[r.id]
	}
	right := map[int][]int64{} // right count → items with another one
	for i := range rows {
		if n := count(&rows[i]); n != rows[i].holds {
			right[n] = append(right[n], rows[i].id)
			wrong++
		}
	}
	if !mend {
		return wrong, nil
	}
	for holds, ids := range right {
		for part := range slices.Chunk(ids, batch) {
			marks, args := registry.In(part)
			if err := tx.Do(`UPDATE items SET holds = ? WHERE id IN (`+marks+`)`, append([]any{holds}, args...)...); err != nil {
				return wrong, err
			}
		}
	}
	return wrong, nil
}

// FreedBy returns the refs of the tasks that can be claimed now because an item is finished, most urgent first, then oldest: those that
// waited for it, those inside items that waited for it, at any depth, and its parent task if it was the last open part. Tasks that still
// wait for another item are left out. The result is empty while the item still blocks, as a failed task does.
func FreedBy(tx *registry.Tx, done Item) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `WITH RECURSIVE freed (id) AS (
		SELECT t.id FROM dependencies d JOIN items t ON t.id = d.target_id WHERE d.source_id = ? AND d.relation = 'blocks' AND t.deleted_at IS NULL
		UNION SELECT child.id FROM items child JOIN freed ON child.parent_id = freed.id WHERE child.deleted_at IS NULL)
		SELECT items.ref FROM items WHERE (items.id IN (SELECT id FROM freed) OR items.id = ?)
		  AND items.kind = 'task' AND items.state = 'open' AND `+Fit+` ORDER BY items.priority DESC, items.created_at, items.id`, done.ID, done.ParentID)
}
