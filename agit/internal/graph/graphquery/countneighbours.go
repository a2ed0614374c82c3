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
	passages := v.passages(hop)
	for i, p := range passages {
		if slices.ContainsFunc(p.far.properties, func(p property) bool { return slices.Contains(properties, p.name) && !p.few() }) {
			return false, nil
		}
		passages[i].far = shapeOf(int(p.far.place), p.far.label, only)
	}
	from := byLabel(hop.From)
	for _, p := range passages {
		if err := v.countSide(p, from[p.near.place], hop.To, blocked, yield); err != nil {
			return false, err
		}
	}
	return true, nil
}

// countSide counts along a passage. Tasks that may show as blocked are counted one by one, because no column of theirs holds that.
func (v *view) countSide(s passage, rows []any, to *graph.Filter, blocked []any, yield func(graph.Count) error) error {
	far := s.far
	condition, with := "", []any(nil)
	if to != nil {
		condition, with, _ = far.pushed(to.Conditions)
	}
	apart, alike := `NULL`, []string{s.side.near}
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
		number = `COUNT(DISTINCT ` + s.side.far + `)`
	}
	var nearRow, n int64
	var alone registry.Null[int64]
	reader := far.reader(v, &nearRow, &alone)
	reader.into = append(reader.into, &n)
	for part := range slices.Chunk(rows, batch) {
		query := `SELECT ` + s.side.near + `, ` + apart + far.fields + `, ` + number + s.reached(far, far.joined, ` IN (`+marks(len(part))+`)`, condition) + ` GROUP BY ` + strings.Join(alike, `, `)
		found, err := registry.Collect(v.tx, func(row registry.Scanner) (c graph.Count, err error) {
			if err := row.Scan(reader.into...); err != nil {
				return c, err
			}
			c.From, c.N = s.near.id(nearRow), n
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
