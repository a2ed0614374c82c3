package ticket

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// link is a stored relation of a ticket to another one.
type link struct {
	row      int64 // row of a stored link
	relation string
	remote   string
	key      string
	target   int64 // 0 while it is not here
	title    string
	resolved bool // finished, as far as the tracker reports
}

// outside returns the unfinished blockers among links that are not here.
func outside(links []link) (all []work.Outside) {
	for _, l := range links {
		if l.relation == "blocked_by" && l.target == 0 && !l.resolved {
			all = append(all, work.Outside{ID: l.remote, Ref: l.key, Title: l.title})
		}
	}
	return all
}

// connect stores the relations between tickets. A link to a ticket that is not here yet waits in ticket_links until that ticket comes.
func (w *writer) connect(all []New) error {
	var edges []work.Edge
	for i := range all {
		n := &all[i]
		k := w.same(n)
		if !k.changed {
			continue
		}
		found, err := w.place(n, k)
		if err != nil {
			return err
		}
		more, err := w.links(n, k, found)
		if err != nil {
			return err
		}
		edges = append(edges, more...)
	}
	if err := w.flush(); err != nil {
		return err
	}
	waited, err := w.arrived()
	if err != nil {
		return err
	}
	return w.join(append(edges, waited...))
}

// place puts a ticket below its parent or epic, and under its milestone. A parent, epic or milestone that is not here becomes a waiting
// link.
func (w *writer) place(n *New, k *known) (waiting []link, err error) {
	if n.stay.place || k.fresh && n.Parent.empty() && n.Epic.empty() && n.Milestone.empty() {
		return nil, nil
	}
	epic, err := w.container(n, n.Epic, TypeEpic)
	if err != nil {
		return nil, err
	}
	milestone, err := w.container(n, n.Milestone, TypeMilestone)
	if err != nil {
		return nil, err
	}
	parent := w.find(n.Provider, n.Parent)
	row := func(k *known) registry.Null[int64] { return registry.NullIfZero(cmp.Or(k, &known{}).item) }
	err = w.tx.Do(`UPDATE tickets SET epic_id = ?, milestone_id = ? WHERE item_id = ?`, row(epic), row(milestone), k.item)
	if err != nil {
		return nil, err
	}
	for _, r := range []Ref{n.Parent, n.Epic} {
		if !r.empty() && w.find(n.Provider, r) == nil && (r.ID != "" || r.Key != "") {
			waiting = append(waiting, link{relation: "child_of", remote: r.ID, key: r.Key})
		}
	}
	above := cmp.Or(parent, epic)
	item, err := work.ByID(w.tx, k.item)
	switch {
	case err != nil:
		return nil, err
	case above == nil && (item.ParentID == 0 || len(waiting) > 0):
		return waiting, nil
	case above == nil:
		// a parent of another kind, which a person may have chosen, stays
		held, err := work.ByID(w.tx, item.ParentID)
		if err != nil || held.Kind != work.KindTicket && held.Kind != work.KindEpic {
			return waiting, err
		}
		return waiting, work.SetParent(w.tx, item, 0, w.AgentID)
	case item.ParentID == above.item:
		return waiting, nil
	}
	err = work.Link(w.tx, work.Edge{Source: above.item, Target: k.item, Relation: work.ParentOf, By: w.AgentID})
	return waiting, w.tolerate(n, err)
}

// container finds an epic or milestone. It makes a missing milestone, since trackers may name it without listing it as an item, and a
// missing local epic that has a name.
func (w *writer) container(n *New, r Ref, kind string) (*known, error) {
	if r.empty() {
		return nil, nil
	}
	if k := w.find(n.Provider, r); k != nil {
		return k, nil
	}
	if r.Name = cmp.Or(r.Name, r.Key); r.Name == "" || kind == TypeEpic && n.Provider != Local {
		return nil, nil
	}
	id, err := oneIfAny[int64](w.tx.QueryRow(`SELECT t.item_id FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.project_id = ? AND t.provider = ? AND t.item_type = ? AND i.title = ? AND i.deleted_at IS NULL LIMIT 1`,
		w.ProjectID, n.Provider, kind, line(r.Name, maxTitle)))
	if err != nil || id > 0 {
		return &known{item: id, kind: work.KindEpic}, err
	}
	made, err := PutMany(w.tx, []New{{Provider: n.Provider, RemoteID: r.ID, Type: kind, Title: r.Name}},
		Put{ProjectID: w.ProjectID, AgentID: w.AgentID, Actor: w.Actor})
	if err != nil {
		return nil, err
	}
	k := &known{item: made.Items[0], provider: n.Provider, remote: r.ID, key: made.IDs[0], kind: work.KindEpic}
	if r.ID != "" {
		w.byRemote[remoteKey(n.Provider, r.ID)] = k
	}
	return k, nil
}

// links stores the links of a ticket and returns the edges of those whose other end is here. It removes the edges of links that are gone.
func (w *writer) links(n *New, k *known, waiting []link) (edges []work.Edge, err error) {
	var now []link
	for _, l := range n.Links {
		if n.stay.links {
			break
		}
		if target := w.find(n.Provider, l.Target); target != nil && !target.left {
			now = append(now, link{relation: l.Relation, remote: l.Target.ID, key: target.key, target: target.item})
		} else if l.Target.ID != "" || l.Target.Key != "" {
			now = append(now, link{relation: l.Relation, remote: l.Target.ID, key: l.Target.Key, title: line(l.Target.Name, maxTitle), resolved: l.Resolved})
		}
	}
	now = append(now, waiting...)
	for i := range now {
		now[i].remote = cmp.Or(now[i].remote, text.Key(now[i].key))
	}
	if !k.fresh {
		if err := w.dropLinks(n, k.item, now); err != nil {
			return nil, err
		}
	}
	if waits := outside(now); !n.stay.links && (!k.fresh || len(waits) > 0) {
		if err := work.WaitOutside(w.tx, k.item, waits, work.Event{Agent: w.AgentID, Actor: w.Actor}); err != nil {
			return nil, err
		}
	}
	rows := make([][]any, 0, len(now))
	for _, l := range now {
		rows = append(rows, []any{k.item, l.relation, l.remote, l.key, registry.NullIfZero(l.target)})
		if e, ok := edgeOf(k.item, l); ok {
			edges = append(edges, e)
		}
	}
	if k.fresh {
		w.newLinks = append(w.newLinks, rows...)
		return edges, nil
	}
	return edges, w.tx.InsertRows(insertLinks, rows, "ON CONFLICT DO NOTHING", nil)
}

const insertLinks = `INSERT INTO ticket_links (item_id, relation, remote_id, key, target_id) VALUES`

// dropLinks removes the stored links of a ticket, except the kinds that an import leaves alone, and the edges of links that are gone.
func (w *writer) dropLinks(n *New, itemID int64, now []link) error {
	were, err := registry.Collect(w.tx, func(row registry.Scanner) (l link, err error) {
		var target registry.Null[int64]
		err = row.Scan(&l.row, &l.relation, &l.remote, &l.key, &target)
		l.target = target.V
		return l, err
	}, `SELECT id, relation, remote_id, key, target_id FROM ticket_links WHERE item_id = ?`, itemID)
	if err != nil {
		return err
	}
	for _, l := range were {
		if l.relation == "child_of" && n.stay.place || l.relation != "child_of" && n.stay.links {
			continue
		}
		still := slices.ContainsFunc(now, func(n link) bool { return n.relation == l.relation && n.target == l.target })
		if e, ok := edgeOf(itemID, l); ok && !still {
			if _, err := work.Unlink(w.tx, e); err != nil {
				return err
			}
		}
		if _, err = w.tx.Exec(`DELETE FROM ticket_links WHERE id = ?`, l.row); err != nil {
			return err
		}
	}
	return nil
}

// edgeOf returns the edge of a link; ok is false for a link without one.
func edgeOf(itemID int64, l link) (e work.Edge, ok bool) {
	if l.target == 0 || l.target == itemID {
		return e, false
	}
	switch l.relation {
	case "blocks":
		return work.Edge{Source: itemID, Target: l.target, Relation: work.Blocks}, true
	case "blocked_by":
		return work.Edge{Source: l.target, Target: itemID, Relation: work.Blocks}, true
	case "child_of":
		return work.Edge{Source: l.target, Target: itemID, Relation: work.ParentOf}, true
	case "related_to", "duplicates", "duplicated_by":
		kind := strings.ReplaceAll(strings.TrimPrefix(l.relation, "related_to"), "_", " ")
		return work.Edge{Source: min(itemID, l.target), Target: max(itemID, l.target), Relation: work.RelatedTo, Bidirectional: true, Notes: kind}, true
	}
	return e, false
}

// arrived completes the links that waited for tickets made by this call.
func (w *writer) arrived() (edges []work.Edge, err error) {
	var ids []string
	byID := map[string]*known{}
	for _, k := range w.byRemote {
		if !k.fresh && !k.back {
			continue
		}
		for _, id := range []string{k.remote, text.Key(k.key)} {
			if byID[id] == nil {
				byID[id] = k
				ids = append(ids, id)
			}
		}
	}
	type waiting struct {
		row, item int64
		link
	}
	// CROSS JOIN starts from the few links that wait, not from all tickets.
	for part := range slices.Chunk(ids, batch) {
		marks, in := registry.In(part)
		found, err := registry.Collect(w.tx, func(row registry.Scanner) (x waiting, err error) {
			return x, row.Scan(&x.row, &x.item, &x.relation, &x.remote)
		}, `SELECT l.id, l.item_id, l.relation, l.remote_id FROM ticket_links l CROSS JOIN tickets t
			WHERE t.item_id = l.item_id AND l.target_id IS NULL AND t.project_id = ? AND l.remote_id IN (`+marks+`) ORDER BY l.id`, append([]any{w.ProjectID}, in...)...)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			k := byID[x.remote]
			if x.target = k.item; x.item == k.item {
				continue
			}
			if _, err := w.tx.Exec(`UPDATE ticket_links SET target_id = ?, key = ? WHERE id = ?`, k.item, k.key, x.row); err != nil {
				return nil, err
			}
			if x.relation == "blocked_by" {
				if _, err := work.EndOutside(w.tx, x.item, x.remote, work.Event{Agent: w.AgentID, Actor: w.Actor, Why: "it is here now"}); err != nil {
					return nil, err
				}
			}
			if x.relation == "child_of" && k.kind == work.KindEpic {
				if _, err := w.tx.Exec(`UPDATE tickets SET epic_id = ? WHERE item_id = ?`, k.item, x.item); err != nil {
					return nil, err
				}
			}
			if e, ok := edgeOf(x.item, x.link); ok {
				edges = append(edges, e)
			}
		}
	}
	return edges, nil
}

// manyEdges is the number of edges from which loading all of them at once pays.
const manyEdges = 2000

// join adds edges. An edge that the registry refuses, such as a cycle that a tracker allows, is noted and left out.
func (w *writer) join(edges []work.Edge) error {
	for i := range edges {
		edges[i].By = w.AgentID
	}
	refused := func(_ int, err error) error { return w.tolerate(nil, err) }
	if len(edges) >= manyEdges {
		_, err := work.LinkMany(w.tx, edges, refused)
		return err
	}
	for i, e := range edges {
		if err := work.Link(w.tx, e); err != nil {
			if err := refused(i, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// tolerate notes a refusal of the registry, and returns any other error.
func (w *writer) tolerate(n *New, err error) error {
	f := fault.From(err)
	if f == nil || f.Kind != fault.KindConflict && f.Kind != fault.KindValidation {
		return err
	}
	about := ""
	if n != nil {
		about = fmt.Sprintf("%s: ", n.Key)
	}
	w.report.note("%s%s", about, f.Message)
	return nil
}
