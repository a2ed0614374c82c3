package graphquery

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/cypher/graph"
	"github.com/agit-suite/agit/shared/registry"
)

// Probe implements graph.Prober: SQL stops at the first relationship of each node.
func (v *view) Probe(_ context.Context, hop graph.Hop) (found []int64, ok bool, err error) {
	from := byLabel(hop.From)
	type question struct {
		side
		near, far *shape
		condition string
		args      []any
	}
	var questions []question
	for _, r := range relationships {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.name) {
			continue
		}
		for _, q := range []struct {
			question
			asked bool
		}{
			{question{side: r.out, near: v.shape(r.start), far: v.shape(r.end)}, hop.Direction != graph.Incoming},
			{question{side: r.in, near: v.shape(r.end), far: v.shape(r.start)}, hop.Direction != graph.Outgoing},
		} {
			if !q.asked || len(from[q.near.place]) == 0 || slices.ContainsFunc(hop.To.Labels, func(name string) bool { return name != q.far.name }) {
				continue
			}
			exact := false
			if q.condition, q.args, exact = q.far.pushed(hop.To.Conditions); !exact {
				return nil, false, nil
			}
			questions = append(questions, q.question)
		}
	}
	for _, q := range questions {
		for part := range slices.Chunk(from[q.near.place], batch) {
			rows, err := registry.Collect(v.tx, registry.One[int64], `SELECT asked.id FROM `+q.near.base+` asked WHERE asked.id IN (`+marks(len(part))+
				`) AND EXISTS (`+q.exists(q.far, q.condition)+`)`, append(slices.Clone(part), q.args...)...)
			if err != nil {
				return nil, false, err
			}
			for _, row := range rows {
				found = append(found, q.near.id(row))
			}
		}
	}
	return found, true, nil
}

// exists finds whether a side has a relationship at the row asked.id.
func (s side) exists(far *shape, condition string) string {
	query := `SELECT 1 FROM ` + s.from
	if s.from != far.base {
		query += ` CROSS JOIN ` + far.base
	}
	query += ` WHERE ` + s.near + ` = asked.id AND ` + far.where + condition
	if s.where != "" {
		query += ` AND ` + s.where
	}
	if s.from != far.base {
		query += ` AND ` + far.key + ` = ` + s.far
	}
	return query
}
