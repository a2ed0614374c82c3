package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Step is one relationship on a path. From and To are in the order of the path; Forward is true when the relationship points that way.
type Step struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Relation string `json:"relation"` // from From to To when Forward, otherwise from To to From
	Forward  bool   `json:"forward"`
}

// Way is a shortest path between two items.
type Way struct {
	Items []string `json:"items"`
	Steps []Step   `json:"steps"`
}

// hop is an edge from an item of the previous level.
type hop struct {
	from, to int64
	relation string
	forward  bool
}

// Path returns a shortest path between two items of any kind, in both directions along blocks, containment, origin, artifacts and
// scenarios. It returns NotFound when there is none.
func (s *Store) Path(ctx context.Context, a, b string) (Way, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (way Way, err error) {
		from, err := work.Find(tx, "", a)
		if err != nil {
			return way, err
		}
		to, err := work.Find(tx, "", b)
		if err != nil {
			return way, err
		}
		reached := map[int64]hop{from.ID: {}}
		for level := []int64{from.ID}; len(level) > 0 && reached[to.ID] == (hop{}) && from.ID != to.ID; {
			if level, err = spread(tx, level, reached); err != nil {
				return way, err
			}
		}
		if from.ID != to.ID && reached[to.ID] == (hop{}) {
			return way, fault.NotFound("path", from.Ref+" → "+to.Ref).WithHint("nothing connects the two")
		}
		return trace(tx, reached, from, to)
	})
}

func spread(tx *registry.Tx, level []int64, reached map[int64]hop) (next []int64, err error) {
	const most = 200 // parameters of one statement, used eight times
	for chunk := range slices.Chunk(level, most) {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(chunk)), ", ")
		var query []string
		var args []any
		edge := func(sql string) { // the last column is 1 for a relationship that points the way of the path
			query = append(query, strings.ReplaceAll(sql, "$ids", marks))
			for _, id := range chunk {
				args = append(args, id)
			}
		}
		edge(`SELECT source_id, target_id, relation, 1 FROM dependencies WHERE source_id IN ($ids)`)
		edge(`SELECT target_id, source_id, relation, 0 FROM dependencies WHERE target_id IN ($ids)`)
		edge(`SELECT parent_id, id, 'parent_of', 1 FROM items WHERE parent_id IN ($ids) AND deleted_at IS NULL`)
		edge(`SELECT id, parent_id, 'parent_of', 0 FROM items WHERE id IN ($ids) AND parent_id IS NOT NULL`)
		edge(`SELECT origin_id, id, 'origin_of', 1 FROM items WHERE origin_id IN ($ids) AND deleted_at IS NULL`)
		edge(`SELECT id, origin_id, 'origin_of', 0 FROM items WHERE id IN ($ids) AND origin_id IS NOT NULL`)
		edge(`SELECT produced_by, item_id, 'produces', 1 FROM artifacts WHERE produced_by IN ($ids)`)
		edge(`SELECT item_id, produced_by, 'produces', 0 FROM artifacts WHERE item_id IN ($ids) AND produced_by IS NOT NULL`)
		edge(`SELECT task_id, scenario_id, 'validates', 1 FROM scenario_tasks WHERE task_id IN ($ids)`)
		edge(`SELECT scenario_id, task_id, 'validates', 0 FROM scenario_tasks WHERE scenario_id IN ($ids)`)
		edge(`SELECT item_id, found_in_task, 'found_in', 1 FROM bugs WHERE item_id IN ($ids) AND found_in_task IS NOT NULL`)
		edge(`SELECT found_in_task, item_id, 'found_in', 0 FROM bugs WHERE found_in_task IN ($ids)`)
		hops, err := registry.Collect(tx, func(row registry.Scanner) (h hop, err error) {
			return h, row.Scan(&h.from, &h.to, &h.relation, &h.forward)
		}, strings.Join(query, " UNION ALL "), args...)
		if err != nil {
			return nil, err
		}
		for _, h := range hops {
			if _, seen := reached[h.to]; !seen {
				reached[h.to] = h
				next = append(next, h.to)
			}
		}
	}
	return next, nil
}

func trace(tx *registry.Tx, reached map[int64]hop, from, to work.Item) (way Way, err error) {
	way = Way{Items: []string{to.Ref}, Steps: []Step{}}
	for at := to.ID; at != from.ID; {
		h := reached[at]
		before, err := work.ByID(tx, h.from)
		if err != nil {
			return way, err
		}
		way.Steps = append(way.Steps, Step{From: before.Ref, To: way.Items[len(way.Items)-1], Relation: h.relation, Forward: h.forward})
		way.Items = append(way.Items, before.Ref)
		at = h.from
	}
	slices.Reverse(way.Items)
	slices.Reverse(way.Steps)
	return way, nil
}

// Link is a relationship between two items, by their ids.
type Link struct {
	A             string `json:"source"`
	Relation      string `json:"relation"`
	B             string `json:"target"`
	Bidirectional bool   `json:"bidirectional,omitempty"`
	Notes         string `json:"notes,omitempty"`
	Agent         string `json:"-"`
}

// AddLink relates two items and returns the relationship with their canonical ids.
func (s *Store) AddLink(ctx context.Context, l Link) (Link, error) {
	return s.link(ctx, l, work.Link)
}

// RemoveLink removes a relationship. It returns a NotFound fault when the relationship does not exist.
func (s *Store) RemoveLink(ctx context.Context, l Link) (Link, error) {
	return s.link(ctx, l, func(tx *registry.Tx, e work.Edge) error {
		found, err := work.Unlink(tx, e)
		if err == nil && !found {
			return fault.NotFound("relationship", l.A+" "+l.Relation+" "+l.B).WithHint("`agit tasks show ID` shows what a task waits for")
		}
		return err
	})
}

func (s *Store) link(ctx context.Context, l Link, change func(*registry.Tx, work.Edge) error) (Link, error) {
	return write(ctx, s, l.Agent, func(tx *registry.Tx, by int64) (Link, error) {
		a, err := work.Find(tx, "", l.A)
		if err != nil {
			return l, err
		}
		b, err := work.Find(tx, "", l.B)
		if err != nil {
			return l, err
		}
		for _, end := range []work.Item{a, b} {
			if err := tx.In(end.ProjectID); err != nil {
				return l, err
			}
		}
		l.A, l.B = a.Ref, b.Ref
		tx.Changed(registry.TopicTasks, b.ProjectID, b.Ref)
		return l, change(tx, work.Edge{Source: a.ID, Target: b.ID, Relation: work.Relation(l.Relation),
			Bidirectional: l.Bidirectional, Notes: l.Notes, By: by})
	})
}
