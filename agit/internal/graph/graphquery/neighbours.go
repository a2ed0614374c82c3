package graphquery

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/shared/registry"
)

// question is the test whether a node has a relationship of one kind.
type question struct {
	passage
	condition string
	args      []any
}

// questions returns the tests that a hop from nodes of some labels amounts to; exact is true when SQL can answer all of them.
func (v *view) questions(hop graph.Hop, from func(label *shape) bool) (questions []question, exact bool) {
	for _, p := range v.passages(hop) {
		if !from(p.near) {
			continue
		}
		condition, args, exact := p.far.pushed(hop.To.Conditions)
		if !exact {
			return nil, false
		}
		questions = append(questions, question{p, condition, args})
	}
	return questions, true
}

// HaveNeighbour implements graph.NeighbourChecker: SQL stops at the first relationship of each node.
func (v *view) HaveNeighbour(_ context.Context, hop graph.Hop) (found []int64, ok bool, err error) {
	from := byLabel(hop.From)
	questions, exact := v.questions(hop, func(near *shape) bool { return len(from[near.place]) > 0 })
	if !exact {
		return nil, false, nil
	}
	for _, q := range questions {
		for part := range slices.Chunk(from[q.near.place], batch) {
			rows, err := registry.Collect(v.tx, registry.One[int64], `SELECT asked.id FROM `+q.near.base+` asked WHERE asked.id IN (`+marks(len(part))+
				`) AND `+q.exists(), append(slices.Clone(part), q.args...)...)
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

// ChecksLead implements graph.LeadChecker.
func (v *view) ChecksLead(scanned []string, lead graph.Lead) bool {
	_, exact := v.questions(lead.Hop, func(near *shape) bool {
		return !near.lacks(scanned)
	})
	return exact
}

// led writes leads of the nodes of a shape as SQL conditions, each after an AND.
func (v *view) led(s *shape, leads []graph.Lead) (where string, args []any) {
	for _, lead := range leads {
		questions, _ := v.questions(lead.Hop, func(near *shape) bool { return near.place == s.place })
		not, any := ``, []string{`1 = 0`}
		if lead.None {
			not = `NOT `
		}
		for _, q := range questions {
			any, args = append(any, q.exists()), append(args, q.args...)
		}
		// The far nodes may be in the scanned table too, so the scanned row gets a name of its own.
		where += ` AND ` + not + `EXISTS (SELECT 1 FROM ` + s.base + ` asked WHERE asked.id = ` + s.key + ` AND (` + strings.Join(any, ` OR `) + `))`
	}
	return where, args
}

// exists returns the SQL condition that the row asked.id has such a relationship.
func (q question) exists() string {
	return `EXISTS (SELECT 1` + q.reached(q.far, "", ` = asked.id`, q.condition) + `)`
}

// fewApart is the largest number of blocked tasks that a count may leave out and count one by one.
const fewApart = 200

// fewValues are the properties with few distinct values, so that counting pays off.
var fewValues = []string{"status", "priority", "severity", "type", "assignedTo"}

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
		if slices.ContainsFunc(p.far.properties, func(p property) bool {
			return slices.Contains(properties, p.name) && (p.list != "" || !slices.Contains(fewValues, p.name))
		}) {
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
