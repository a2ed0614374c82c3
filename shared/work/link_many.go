package work

import (
	"github.com/agit-suite/agit/shared/registry"
)

// LinkMany adds edges in order, each as Link does, and returns how many were new. It passes the error of a refused edge to refused, with
// its index. An error from refused ends LinkMany.
func LinkMany(tx *registry.Tx, edges []Edge, refused func(i int, err error) error) (added int, err error) {
	l := &linker{tx: tx}
	if err := l.load(); err != nil {
		return 0, err
	}
	// Most plans hold no cycle, which one pass over the whole plan proves. Otherwise the edges are added one by one, to find those that
	// would close one.
	if o := l.arrows(edges); len(o.sort()) > 0 {
		l.order = l.arrows(nil)
		l.order.sort()
	}
	for i, e := range edges {
		fresh, err := l.link(e)
		if err != nil {
			if err := refused(i, err); err != nil {
				return 0, err
			}
		}
		if fresh {
			added++
		}
	}
	return added, l.store()
}

// linker keeps all items and edges in memory while many edges are added.
type linker struct {
	tx     *registry.Tx
	items  map[int64]*Item // the fields that Link looks at
	there  map[edgeKey]bool
	order  *ordering // nil when no edge can close a cycle
	rows   [][]any
	events []itemEvent
}

type edgeKey struct {
	source, target int64
	relation       Relation
}

func (l *linker) load() error {
	items, err := registry.Collect(l.tx, func(row registry.Scanner) (i Item, err error) {
		return i, row.Scan(&i.ID, &i.Kind, &i.Ref, registry.Nullable(&i.ParentID))
	}, `SELECT id, kind, ref, parent_id FROM items WHERE deleted_at IS NULL`)
	if err != nil {
		return err
	}
	l.items = make(map[int64]*Item, len(items))
	for i := range items {
		l.items[items[i].ID] = &items[i]
	}
	edges, err := registry.Collect(l.tx, func(row registry.Scanner) (e edgeKey, err error) {
		return e, row.Scan(&e.source, &e.target, &e.relation)
	}, `SELECT source_id, target_id, relation FROM dependencies`)
	l.there = make(map[edgeKey]bool, len(edges))
	for _, e := range edges {
		l.there[e] = true
	}
	return err
}

// arrows returns the ordering constraints of all items and edges, with more edges added.
func (l *linker) arrows(more []Edge) *ordering {
	o := newOrdering(len(l.items))
	parents := make(map[int64]int64, len(l.items))
	for id, item := range l.items {
		o.arrow(beginning(id), ending(id))
		parents[id] = item.ParentID
	}
	for e := range l.there {
		if e.relation == Blocks {
			o.arrow(ending(e.source), beginning(e.target))
		}
	}
	for _, e := range more {
		switch e.Relation {
		case Blocks:
			o.arrow(ending(e.Source), beginning(e.Target))
		case ParentOf:
			parents[e.Target] = e.Source
		}
	}
	for child, parent := range parents {
		if l.items[parent] != nil {
			o.arrow(beginning(parent), beginning(child))
			o.arrow(ending(child), ending(parent))
		}
	}
	return o
}

func (l *linker) link(e Edge) (fresh bool, err error) {
	source, target := l.items[e.Source], l.items[e.Target]
	if source == nil || target == nil {
		return false, Link(l.tx, e) // which returns the right error
	}
	if err := e.check(l.tx, *source, *target); err != nil {
		return false, err
	}
	key := edgeKey{e.Source, e.Target, e.Relation}
	if l.there[key] || e.Relation == ParentOf && target.ParentID == source.ID {
		return false, nil
	}
	switch e.Relation {
	case Blocks:
		if l.order == nil {
			break
		}
		if way := l.order.add(ending(source.ID), beginning(target.ID)); way != nil {
			return false, cycle(l.tx, e, *source, append([]int64{source.ID}, way...))
		}
	case ParentOf:
		err := l.adopt(e, source, target)
		return err == nil, err
	}
	l.there[key] = true
	l.rows = append(l.rows, []any{registry.NewUID(), e.Source, e.Target, e.Relation, flag(e.Bidirectional), e.Notes, l.tx.Stamp(), registry.NullIfZero(e.By)})
	l.events = append(l.events, itemEvent{target.ID, Event{Agent: e.By, Field: edgeField(e.Relation), New: source.Ref}})
	return true, nil
}

// adopt puts a target under another parent.
func (l *linker) adopt(e Edge, parent, child *Item) error {
	was := child.ParentID
	if err := l.reorder(e, parent, child); err != nil {
		return err
	}
	event := Event{Agent: e.By, Field: "parent", New: parent.Ref}
	if l.items[was] != nil {
		event.Old = l.items[was].Ref
	}
	child.ParentID = parent.ID
	l.events = append(l.events, itemEvent{child.ID, event})
	return l.tx.Do(`UPDATE items SET parent_id = ?, updated_at = ?, version = version + 1 WHERE id = ?`, parent.ID, l.tx.Stamp(), child.ID)
}

// reorder updates the order for a child that moves under another parent, unless that closes a cycle.
func (l *linker) reorder(e Edge, parent, child *Item) error {
	if l.order == nil {
		return nil
	}
	was := child.ParentID
	if l.items[was] != nil {
		l.order.remove(beginning(was), beginning(child.ID))
		l.order.remove(ending(child.ID), ending(was))
	}
	way := l.order.add(beginning(parent.ID), beginning(child.ID))
	if way == nil {
		if way = l.order.add(ending(child.ID), ending(parent.ID)); way != nil {
			l.order.remove(beginning(parent.ID), beginning(child.ID))
		}
	}
	if way != nil {
		if l.items[was] != nil {
			l.order.add(beginning(was), beginning(child.ID))
			l.order.add(ending(child.ID), ending(was))
		}
		return cycle(l.tx, e, *parent, append([]int64{parent.ID}, way...))
	}
	return nil
}

// store writes the new edges, and the holds that they change.
func (l *linker) store() error {
	err := l.tx.InsertRows(`INSERT INTO dependencies (uid, source_id, target_id, relation, bidirectional, notes, created_at, created_by) VALUES`, l.rows, "", nil)
	if err == nil {
		err = recordMany(l.tx, l.events)
	}
	if err == nil && len(l.events) > 0 {
		_, err = Recount(l.tx)
	}
	return err
}
