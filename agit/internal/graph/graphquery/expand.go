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
	for _, p := range v.passages(hop) {
		if err := v.follow(p, from[p.near.place], hop, yield); err != nil {
			return err
		}
	}
	return nil
}

// passage is one way that a hop goes: along one relationship, in one direction.
type passage struct {
	side
	kind      int  // index in relationships
	forward   bool // the relationships start at the near node
	near, far *shape
}

// passages returns the ways that a hop goes, without those to nodes that lack a label of hop.To.
func (v *view) passages(hop graph.Hop) (all []passage) {
	for kind, r := range relationships {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.name) {
			continue
		}
		start, end := v.shape(r.start), v.shape(r.end)
		if hop.Direction != graph.Incoming {
			all = append(all, passage{r.out, kind, true, start, end})
		}
		if hop.Direction != graph.Outgoing {
			all = append(all, passage{r.in, kind, false, end, start})
		}
	}
	return slices.DeleteFunc(all, func(p passage) bool { return hop.To != nil && p.far.lacks(hop.To.Labels) })
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
	return query + s.near + `, ` + s.far + fields + s.reached(far, joins, ` IN (`+marks(n)+`)`, condition)
}

// reached returns the rest of a statement over the far nodes of a side. near is the condition on the near column, without its name.
func (s side) reached(far *shape, joins, near, condition string) string {
	query := ` FROM ` + s.from
	if s.from != far.base {
		query += ` CROSS JOIN ` + far.base
	}
	query += joins + ` WHERE ` + s.near + near + ` AND ` + far.where + condition
	if s.where != "" {
		query += ` AND ` + s.where
	}
	if s.from != far.base {
		query += ` AND ` + far.key + ` = ` + s.far
	}
	return query
}

// follow reads the relationships of a passage at rows.
func (v *view) follow(p passage, rows []any, hop graph.Hop, yield func(graph.Edge) error) error {
	condition, args := "", []any(nil)
	if hop.To != nil {
		condition, args, _ = p.far.pushed(hop.To.Conditions)
	}
	var nearRow, farRow int64
	reader := p.far.reader(v, &nearRow, &farRow)
	if !hop.Load {
		reader.into = reader.into[:2]
	}
	for part := range slices.Chunk(rows, batch) {
		found, err := registry.Collect(v.tx, func(row registry.Scanner) (e graph.Edge, err error) {
			if err := row.Scan(reader.into...); err != nil {
				return e, err
			}
			e.From, e.Node = p.near.id(nearRow), &value.Node{ID: p.far.id(farRow), Labels: p.far.alone}
			if hop.Load {
				if e.Node, err = reader.node(farRow); err != nil {
					return e, err
				}
			}
			start, end := nearRow, farRow
			e.Relationship = &value.Relationship{Type: relationships[p.kind].name, Start: e.From, End: e.Node.ID, Properties: noProperties}
			if !p.forward {
				start, end = end, start
				e.Relationship.Start, e.Relationship.End = e.Node.ID, e.From
			}
			e.Relationship.ID = v.id(edgeKey{p.kind, start, end})
			return e, nil
		}, p.statement(p.far, hop.Load, len(part), condition), append(slices.Clone(part), args...)...)
		if err != nil {
			return err
		}
		if hop.Load && len(p.far.lists) > 0 {
			nodes := make([]*value.Node, len(found))
			for i, e := range found {
				nodes[i] = e.Node
			}
			if err := p.far.addLists(v, nodes); err != nil {
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
