package graphquery

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/shared/registry"
)

// fewApart is the largest number of blocked tasks that a count may leave out and count one by one.
const fewApart = 200

// few reports whether the property has few distinct values, so that counting pays off.
func (p property) few() bool {
	return p.list == "" && slices.Contains([]string{"status", "priority", "severity", "type", "assignedTo"}, p.name)
}

// CountNeighbours implements graph.NeighbourCounter: SQL counts the nodes with equal values in the columns of properties.
func (v *view) CountNeighbours(_ context.Context, hop graph.Hop, properties []string, yield func(graph.Count) error) (ok bool, err error) {
	only := graph.Wanted{}
	for _, p := range properties {
		only[p] = nil
	}
	var blocked []any
	if slices.Contains(properties, "status") {
		found, err := v.blocked()
		if err != nil || len(found) > fewApart {
			return false, err
		}
		for id := range found {
			blocked = append(blocked, id)
		}
	}
	type count struct {
		side
		near, far *shape
	}
	var counts []count
	for _, r := range relationships {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.name) {
			continue
		}
		start, end := v.shape(r.start), v.shape(r.end)
		if hop.Direction != graph.Incoming {
			counts = append(counts, count{r.out, start, end})
		}
		if hop.Direction != graph.Outgoing {
			counts = append(counts, count{r.in, end, start})
		}
	}
	counts = slices.DeleteFunc(counts, func(c count) bool {
		return hop.To != nil && slices.ContainsFunc(hop.To.Labels, func(name string) bool { return name != c.far.name })
	})
	for i, c := range counts {
		if slices.ContainsFunc(c.far.properties, func(p property) bool { return slices.Contains(properties, p.name) && !p.few() }) {
			return false, nil
		}
		counts[i].far = shapeOf(int(c.far.place), c.far.label, only)
	}
	from := byLabel(hop.From)
	for _, c := range counts {
		if err := v.countSide(c.side, c.near, c.far, from[c.near.place], hop.To, blocked, yield); err != nil {
			return false, err
		}
	}
	return true, nil
}

// countSide counts along one side. Tasks that may show as blocked are counted one by one, because no column of theirs holds that.
func (v *view) countSide(s side, near, far *shape, rows []any, to *graph.Filter, blocked []any, yield func(graph.Count) error) error {
	condition, with := "", []any(nil)
	if to != nil {
		condition, with, _ = far.pushed(to.Conditions)
	}
	apart, alike := `NULL`, []string{s.near}
	if far.statuses == nil || len(blocked) == 0 {
		blocked = nil
	} else {
		apart = `CASE WHEN ` + far.key + ` IN (` + marks(len(blocked)) + `) THEN ` + far.key + ` END`
		alike = append(alike, `2`)
	}
	for _, p := range far.columns {
		alike = append(alike, p.column)
	}
	number := `COUNT(*)`
	if s.distinct {
		number = `COUNT(DISTINCT ` + s.far + `)`
	}
	var nearRow, n int64
	var alone registry.Null[int64]
	reader := far.reader(v, &nearRow, &alone)
	reader.into = append(reader.into, &n)
	for part := range slices.Chunk(rows, batch) {
		query := `SELECT ` + s.near + `, ` + apart + far.fields + `, ` + number + s.reached(far, far.joined, len(part), condition) + ` GROUP BY ` + strings.Join(alike, `, `)
		found, err := registry.Collect(v.tx, func(row registry.Scanner) (c graph.Count, err error) {
			if err := row.Scan(reader.into...); err != nil {
				return c, err
			}
			c.From, c.N = near.id(nearRow), n
			if c.Node, err = reader.node(alone.V); err == nil {
				c.Node.ID, c.Node.Partial = 0, false // the caller needs no more of it
			}
			return c, err
		}, query, slices.Concat(blocked, part, with)...)
		if err != nil {
			return err
		}
		for _, c := range found {
			if err := yield(c); err != nil {
				return err
			}
		}
	}
	return nil
}
