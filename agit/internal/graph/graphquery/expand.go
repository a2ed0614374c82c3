package graphquery

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/registry"
)

// Expand returns the relationships at many nodes, with one statement for each type, direction and batch.
func (v *view) Expand(_ context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	from := byLabel(hop.From)
	for kind, r := range relationships {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.name) {
			continue
		}
		start, end := v.shape(r.start), v.shape(r.end)
		if hop.Direction != graph.Incoming {
			if err := v.follow(kind, r.out, start, end, from[start.place], hop, true, yield); err != nil {
				return err
			}
		}
		if hop.Direction != graph.Outgoing {
			if err := v.follow(kind, r.in, end, start, from[end.place], hop, false, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *view) shape(name string) *shape {
	return v.at(slices.IndexFunc(labels, func(l *label) bool { return l.name == name }))
}

// statement returns SQL that finds the relationships of a side at n rows. It includes the columns of the far node when load is set.
func (s side) statement(far *shape, load bool, n int, condition string) string {
	fields, joins := "", ""
	if load {
		fields, joins = far.fields, far.joined
	}
	query := `SELECT `
	if s.distinct {
		query += `DISTINCT `
	}
	return query + s.near + `, ` + s.far + fields + s.reached(far, joins, n, condition)
}

// reached returns the rest of a statement over the far nodes of a side at n rows.
func (s side) reached(far *shape, joins string, n int, condition string) string {
	query := ` FROM ` + s.from
	if s.from != far.base {
		query += ` CROSS JOIN ` + far.base
	}
	query += joins + ` WHERE ` + s.near + ` IN (` + marks(n) + `) AND ` + far.where + condition
	if s.where != "" {
		query += ` AND ` + s.where
	}
	if s.from != far.base {
		query += ` AND ` + far.key + ` = ` + s.far
	}
	return query
}

// follow reads the relationships of one side at rows. forward means that the relationships start at these rows.
func (v *view) follow(kind int, s side, near, far *shape, rows []any, hop graph.Hop, forward bool, yield func(graph.Edge) error) error {
	condition, args := "", []any(nil)
	if hop.To != nil {
		for _, label := range hop.To.Labels {
			if label != far.name {
				return nil
			}
		}
		condition, args, _ = far.pushed(hop.To.Conditions)
	}
	var nearRow, farRow int64
	reader := far.reader(v, &nearRow, &farRow)
	if !hop.Load {
		reader.into = reader.into[:2]
	}
	for len(rows) > 0 {
		part := rows[:min(len(rows), batch)]
		rows = rows[len(part):]
		found, err := registry.Collect(v.tx, func(row registry.Scanner) (e graph.Edge, err error) {
			if err := row.Scan(reader.into...); err != nil {
				return e, err
			}
			e.From, e.Node = near.id(nearRow), &value.Node{ID: far.id(farRow), Labels: v.labelsOf(far.place)}
			if hop.Load {
				if e.Node, err = reader.node(farRow); err != nil {
					return e, err
				}
			}
			start, end := nearRow, farRow
			e.Relationship = &value.Relationship{Type: relationships[kind].name, Start: e.From, End: e.Node.ID, Properties: noProperties}
			if !forward {
				start, end = end, start
				e.Relationship.Start, e.Relationship.End = e.Node.ID, e.From
			}
			e.Relationship.ID = v.id(edgeKey{kind, start, end})
			return e, nil
		}, s.statement(far, hop.Load, len(part), condition), append(slices.Clone(part), args...)...)
		if err != nil {
			return err
		}
		if hop.Load {
			if err := far.listsOf(v, found); err != nil {
				return err
			}
		}
		for _, e := range found {
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// noProperties is shared by all relationships, because values are never changed.
var noProperties = map[string]any{}

// listsOf completes the list properties of the nodes at the far ends of edges.
func (s *shape) listsOf(v *view, edges []graph.Edge) error {
	if len(s.lists) == 0 {
		return nil
	}
	nodes := make([]*value.Node, len(edges))
	for i, e := range edges {
		nodes[i] = e.Node
	}
	return s.addLists(v, nodes)
}
