package work

import (
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// An item begins and ends. It ends after it began; an item that it blocks begins after
// it ended; an item that it contains begins after it began and ends before it ends. A
// cycle among these moments is a wait without end.

// moment is the beginning of an item or, when it is odd, its end.
type moment int64

func beginning(item int64) moment { return moment(item * 2) }
func ending(item int64) moment    { return moment(item*2 + 1) }
func (m moment) item() int64      { return int64(m) / 2 }
func (m moment) isEnd() bool      { return m&1 == 1 }

// refuseCycle refuses an edge that would close a cycle.
func refuseCycle(tx *registry.Tx, e Edge, source, target Item) error {
	if e.Relation == Blocks {
		way, err := wayBetween(tx, beginning(target.ID), ending(source.ID), 0)
		if err != nil || way == nil {
			return err
		}
		return cycle(tx, e, source, append([]int64{source.ID}, way...))
	}
	// The parent that the target leaves is ignored.
	way, err := wayBetween(tx, beginning(target.ID), beginning(source.ID), target.ID)
	if err == nil && way != nil {
		return cycle(tx, e, source, append([]int64{source.ID}, way...))
	}
	if err == nil {
		way, err = wayBetween(tx, ending(source.ID), ending(target.ID), target.ID)
	}
	if err != nil || way == nil {
		return err
	}
	return cycle(tx, e, source, append(way, source.ID))
}

// wayBetween looks for a path from one moment to a later one, level by level, and returns the items along it, or nil. The parent of orphan
// is ignored. Deleted items count, since they may be brought back.
func wayBetween(tx *registry.Tx, from, to moment, orphan int64) ([]int64, error) {
	came := map[moment]moment{from: from}
	for level := []moment{from}; len(level) > 0; {
		var next []moment
		reach := func(m, after moment) {
			if _, seen := came[after]; !seen {
				came[after] = m
				next = append(next, after)
			}
		}
		var begins, ends []int64
		for _, m := range level {
			if m.isEnd() {
				ends = append(ends, m.item())
				continue
			}
			begins = append(begins, m.item())
			reach(m, ending(m.item()))
		}
		err := eachPair(tx, `SELECT parent_id, id FROM items WHERE parent_id IN`, begins, func(parent, child int64) {
			if child != orphan {
				reach(beginning(parent), beginning(child))
			}
		})
		if err == nil {
			err = eachPair(tx, `SELECT source_id, target_id FROM dependencies WHERE relation = 'blocks' AND source_id IN`, ends, func(source, target int64) {
				reach(ending(source), beginning(target))
			})
		}
		if err == nil {
			err = eachPair(tx, `SELECT id, parent_id FROM items WHERE parent_id IS NOT NULL AND id IN`, ends, func(child, parent int64) {
				if child != orphan {
					reach(ending(child), ending(parent))
				}
			})
		}
		if err != nil {
			return nil, err
		}
		if _, found := came[to]; found {
			return itemsAlong(came, from, to), nil
		}
		level = next
	}
	return nil, nil
}

// itemsAlong walks the path back and returns its items in order, without repeats in a row.
func itemsAlong(came map[moment]moment, from, to moment) []int64 {
	way := []moment{to}
	for m := to; m != from; {
		m = came[m]
		way = append(way, m)
	}
	slices.Reverse(way)
	return itemsOf(way)
}

func itemsOf(way []moment) []int64 {
	items := make([]int64, len(way))
	for i, m := range way {
		items[i] = m.item()
	}
	return slices.Compact(items)
}

// eachPair is eachOf for rows of two ids.
func eachPair(tx *registry.Tx, query string, ids []int64, each func(a, b int64)) error {
	type pair struct{ a, b int64 }
	scan := func(row registry.Scanner) (p pair, err error) { return p, row.Scan(&p.a, &p.b) }
	return eachOf(tx, scan, query, ids, func(p pair) { each(p.a, p.b) })
}

// cycle returns the error that refuses an edge, with the cycle that it would close.
func cycle(tx *registry.Tx, e Edge, source Item, items []int64) error {
	names, err := refs(tx, items)
	if err != nil {
		return err
	}
	target, err := ByID(tx, e.Target)
	if err != nil {
		return err
	}
	verb := "block"
	if e.Relation == ParentOf {
		verb = "contain"
	}
	return fault.Conflict(string(source.Kind), source.Ref, "%q cannot %s %q: that would close the cycle %s",
		source.Ref, verb, target.Ref, strings.Join(names, " → ")).WithHint("leave out one of these edges")
}

func refs(tx *registry.Tx, items []int64) ([]string, error) {
	names := make([]string, len(items))
	for i, id := range items {
		item, err := ByID(tx, id)
		if err != nil {
			return nil, err
		}
		names[i] = item.Ref
	}
	return names, nil
}

// mostCycles bounds how many cycles are returned: mending one often mends others.
const mostCycles = 20

// Cycles returns chains of unfinished items that wait for themselves, each from an item back to it. Link never makes one; a merge of two
// registries might.
func Cycles(tx *registry.Tx) ([][]string, error) {
	after := map[moment][]moment{}
	arrow := func(from, to moment) { after[from] = append(after[from], to) }
	type row struct{ id, parent, open int64 }
	rows, err := registry.Collect(tx, func(r registry.Scanner) (x row, err error) {
		return x, r.Scan(&x.id, registry.Nullable(&x.parent), &x.open)
	}, `SELECT b.id, b.parent_id, CASE WHEN `+Unresolved+` THEN 1 ELSE 0 END FROM items b`)
	if err != nil {
		return nil, err
	}
	open := make(map[int64]bool, len(rows))
	for _, r := range rows {
		open[r.id] = r.open == 1
	}
	for _, r := range rows {
		if !open[r.id] {
			continue
		}
		arrow(beginning(r.id), ending(r.id))
		if open[r.parent] {
			arrow(beginning(r.parent), beginning(r.id))
			arrow(ending(r.id), ending(r.parent))
		}
	}
	edges, err := registry.Collect(tx, func(r registry.Scanner) (e row, err error) { return e, r.Scan(&e.id, &e.parent) },
		`SELECT source_id, target_id FROM dependencies WHERE relation = 'blocks' ORDER BY id`)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		if open[e.id] && open[e.parent] {
			arrow(ending(e.id), beginning(e.parent))
		}
	}
	var found [][]string
	for len(found) < mostCycles {
		way := anyCycle(after)
		if way == nil {
			break
		}
		names, err := refs(tx, way)
		if err != nil {
			return nil, err
		}
		found = append(found, names)
		for _, id := range way {
			delete(after, beginning(id))
			delete(after, ending(id))
		}
	}
	return found, nil
}

// anyCycle removes moments without a predecessor until none is left. The rest is in a cycle or behind one, so walking backwards from it
// ends in a cycle.
func anyCycle(after map[moment][]moment) []int64 {
	o := newOrdering(len(after))
	for _, from := range slices.Sorted(maps.Keys(after)) {
		for _, to := range after[from] {
			if _, there := after[to]; there || to.isEnd() {
				o.arrow(from, to)
			}
		}
	}
	circling := o.sort()
	if len(circling) == 0 {
		return nil
	}
	at := map[moment]int{}
	var way []moment
	for m := slices.Min(slices.Collect(maps.Keys(circling))); ; {
		if i, seen := at[m]; seen {
			way = append(way[i:], m)
			break
		}
		at[m] = len(way)
		way = append(way, m)
		m = o.before[m][slices.IndexFunc(o.before[m], func(b moment) bool { return circling[b] })]
	}
	slices.Reverse(way)
	items := itemsOf(way)
	if items[0] != items[len(items)-1] {
		items = append(items, items[0])
	}
	return items
}
