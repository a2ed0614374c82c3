package work

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// MaxChain is the greatest depth of a chain, in steps.
const MaxChain = 10

// Linked is an item at the end of a chain of edges.
type Linked struct {
	Item
	Depth    int  // steps from the item in question; 1 is a direct neighbour
	Resolved bool // it no longer blocks
}

// ChainBefore returns the items that an item waits for, itself or through an item that contains it, nearest first. A depth above 1 includes
// their own blockers in turn. Resolved blockers are left out unless resolved asks for them; blockers that are not here come last.
func ChainBefore(tx *registry.Tx, itemID int64, depth int, resolved bool) ([]Linked, error) {
	all, err := chainHere(tx, itemID, depth, resolved)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, from := range append([]Linked{{Item: Item{ID: itemID}}}, all...) {
		if i > 0 && (from.Depth >= min(depth, MaxChain) || from.Holds == 0) {
			continue
		}
		outside, err := OutsideBlockers(tx, from.ID)
		if err != nil {
			return nil, err
		}
		for _, o := range outside {
			if !seen[o.ID] {
				seen[o.ID] = true
				all = append(all, Linked{Item: o.item(), Depth: from.Depth + 1})
			}
		}
	}
	return all, nil
}

// chainHere reads the items of a chain that are here, each at its least depth.
func chainHere(tx *registry.Tx, itemID int64, depth int, resolved bool) ([]Linked, error) {
	still, contained := ` AND `+Unresolved, ` AND p.holds > 0`
	if resolved {
		still, contained = ` AND b.deleted_at IS NULL`, ``
	}
	return registry.Collect(tx, func(row registry.Scanner) (l Linked, err error) {
		l.Item, err = Scan(row, &l.Depth)
		l.Resolved = Resolves(l.Kind, l.State)
		return l, err
	}, `WITH RECURSIVE up (id, parent_id, depth) AS (
			SELECT id, parent_id, 0 FROM items WHERE id = ? UNION ALL
			SELECT p.id, p.parent_id, up.depth + 1 FROM items p JOIN up ON p.id = up.parent_id WHERE p.deleted_at IS NULL`+contained+` AND up.depth < 1000),
		chain (id, depth) AS (
			SELECT d.source_id, 1 FROM up CROSS JOIN dependencies d JOIN items b ON b.id = d.source_id WHERE d.target_id = up.id AND d.relation = 'blocks'`+still+`
			UNION SELECT d.source_id, chain.depth + 1 FROM chain JOIN dependencies d ON d.target_id = chain.id AND d.relation = 'blocks'
				JOIN items b ON b.id = d.source_id WHERE chain.depth < ?`+still+`)
		SELECT `+Columns+`, near.depth FROM (SELECT id, MIN(depth) AS depth FROM chain GROUP BY id) near
		JOIN items ON items.id = near.id WHERE items.id <> ? ORDER BY near.depth, items.priority DESC, items.id`, itemID, min(depth, MaxChain), itemID)
}

// ChainAfter returns the items that wait for an item, nearest first: the items it blocks, and with depth above 1 those that these block or
// contain in turn. Finished items no longer wait and are left out.
func ChainAfter(tx *registry.Tx, itemID int64, depth int) (all []Linked, err error) {
	const waits = ` AND b.deleted_at IS NULL AND b.state IN ('open', 'active')`
	seen := map[int64]bool{itemID: true}
	level := []int64{itemID}
	for step := 1; step <= min(depth, MaxChain) && len(level) > 0; step++ {
		var next []int64
		reach := func(_, to int64) {
			if !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
		err := eachPair(tx, `SELECT d.source_id, b.id FROM dependencies d JOIN items b ON b.id = d.target_id WHERE d.relation = 'blocks'`+waits+` AND d.source_id IN`, level, reach)
		if err == nil && step > 1 {
			err = eachPair(tx, `SELECT b.parent_id, b.id FROM items b WHERE true`+waits+` AND b.parent_id IN`, level, reach)
		}
		if err != nil {
			return nil, err
		}
		items, err := ByIDs(tx, next)
		if err != nil {
			return nil, err
		}
		for _, id := range next {
			all = append(all, Linked{Item: items[id], Depth: step})
		}
		level = next
	}
	return all, nil
}

// Arrow is an edge as a graph shows it. Containment counts as an edge.
type Arrow struct {
	Source, Target int64
	Relation       Relation
	Bidirectional  bool
	Notes          string
}

// Arrows returns the edges, containment included, that touch any of some items; edges to deleted items are left out.
func Arrows(tx *registry.Tx, ids []int64) (all []Arrow, err error) {
	seen := map[Arrow]bool{}
	for part := range slices.Chunk(ids, batch/2) {
		marks, args := registry.In(part)
		found, err := registry.Collect(tx, func(row registry.Scanner) (a Arrow, err error) {
			return a, row.Scan(&a.Source, &a.Target, &a.Relation, &a.Bidirectional, &a.Notes)
		}, strings.ReplaceAll(`SELECT d.source_id, d.target_id, d.relation, d.bidirectional, d.notes FROM dependencies d
				JOIN items t ON t.id = d.target_id WHERE d.source_id IN ($) AND t.deleted_at IS NULL
			UNION SELECT d.source_id, d.target_id, d.relation, d.bidirectional, d.notes FROM dependencies d
				JOIN items s ON s.id = d.source_id WHERE d.target_id IN ($) AND s.deleted_at IS NULL
			UNION SELECT c.parent_id, c.id, 'parent_of', 0, '' FROM items c WHERE c.parent_id IN ($) AND c.deleted_at IS NULL
			UNION SELECT p.id, c.id, 'parent_of', 0, '' FROM items c JOIN items p ON p.id = c.parent_id WHERE c.id IN ($) AND p.deleted_at IS NULL
			ORDER BY 1, 2, 3`, "$", marks), slices.Concat(args, args, args, args)...)
		if err != nil {
			return nil, err
		}
		for _, a := range found {
			if !seen[a] {
				seen[a] = true
				all = append(all, a)
			}
		}
	}
	return all, nil
}

// ByIDs returns items by their row ids; items that do not exist are left out.
func ByIDs(tx *registry.Tx, ids []int64) (map[int64]Item, error) {
	found := make(map[int64]Item, len(ids))
	err := eachOf(tx, scanItem, `SELECT `+Columns+` FROM items WHERE id IN`, ids, func(item Item) { found[item.ID] = item })
	return found, err
}

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
		waitingUp+`SELECT `+Columns+`, up.ref, up.depth FROM up CROSS JOIN dependencies d JOIN items ON items.id = d.source_id
		WHERE d.target_id = up.id AND d.relation = 'blocks' AND `+strings.ReplaceAll(Unresolved, "b.", "items.")+` ORDER BY up.depth, d.id`, itemID)
}

// waitingUp begins a query about an item and what contains it, as far as that waits.
const waitingUp = `WITH RECURSIVE up (id, parent_id, ref, depth) AS (
	SELECT id, parent_id, ref, 0 FROM items WHERE id = ? UNION ALL
	SELECT p.id, p.parent_id, p.ref, up.depth + 1 FROM items p JOIN up ON p.id = up.parent_id WHERE p.deleted_at IS NULL AND p.holds > 0 AND up.depth < 1000) `
