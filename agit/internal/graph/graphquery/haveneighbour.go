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
