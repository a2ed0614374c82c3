package exec_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

// store is a store with every optional method. It records what it is asked.
type store struct {
	*memory.Graph
	calls []string
}

func (s *store) note(format string, args ...any) {
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
}

func filtered(f graph.Filter) string {
	text := describe(f)
	for _, l := range f.Leads {
		text += fmt.Sprintf(" lead %t (%s)", !l.None, hopped(l.Hop))
	}
	return text
}

func hopped(h graph.Hop) string {
	text := fmt.Sprintf("%d %v load %t", h.Direction, h.Types, h.Load)
	if h.To != nil {
		text += " to " + filtered(*h.To)
	}
	return text
}

func (s *store) Estimate(ctx context.Context, f graph.Filter) float64 {
	s.note("estimate %s", filtered(f))
	return s.Graph.Estimate(ctx, f)
}

func (s *store) SelectProperties(wanted graph.Wanted) graph.Graph {
	text := "select"
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		text += fmt.Sprintf(" %s%v", name, slices.Sorted(slices.Values(wanted[name])))
	}
	s.note("%s", text)
	return s
}

func (s *store) ChecksLead(labels []string, lead graph.Lead) bool {
	s.note("checks lead %s", filtered(graph.Filter{Labels: labels, Leads: []graph.Lead{lead}}))
	return len(labels) > 0
}

func (s *store) Scan(ctx context.Context, f graph.Filter) iter.Seq2[*value.Node, error] {
	s.note("scan %s", filtered(f))
	return func(yield func(*value.Node, error) bool) {
		for n, err := range s.Graph.Scan(ctx, graph.Filter{Labels: f.Labels, Conditions: f.Conditions}) {
			led := !slices.ContainsFunc(f.Leads, func(l graph.Lead) bool {
				l.Hop.From = []int64{n.ID}
				return (len(s.led(ctx, l.Hop)) > 0) == l.None
			})
			if led && !yield(n, err) {
				return
			}
		}
	}
}

// led returns the nodes of a hop that lead to a node it asks for.
func (s *store) led(ctx context.Context, hop graph.Hop) (found []int64) {
	_ = s.Graph.Expand(ctx, hop, func(e graph.Edge) error {
		to, err := s.Graph.Nodes(ctx, []int64{e.Node.ID})
		if err == nil && (hop.To == nil || hop.To.Matches(to[0])) && !slices.Contains(found, e.From) {
			found = append(found, e.From)
		}
		return err
	})
	return found
}

func (s *store) HaveNeighbour(ctx context.Context, hop graph.Hop) ([]int64, bool, error) {
	s.note("have neighbour of %d: %s", len(hop.From), hopped(hop))
	return s.led(ctx, hop), len(hop.Types) > 0, nil
}

func (s *store) CountNeighbours(ctx context.Context, hop graph.Hop, properties []string, yield func(graph.Count) error) (bool, error) {
	s.note("count neighbours of %d: %s %v", len(hop.From), hopped(hop), slices.Sorted(slices.Values(properties)))
	return s.Graph.CountNeighbours(ctx, hop, properties, yield)
}

func (s *store) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	s.note("expand %d: %s", len(hop.From), hopped(hop))
	return s.Graph.Expand(ctx, hop, yield)
}

func (s *store) Nodes(ctx context.Context, ids []int64) ([]*value.Node, error) {
	s.note("nodes %d", len(ids))
	return s.Graph.Nodes(ctx, ids)
}

// plan returns the calls; estimates in a row have no order of their own.
func (s *store) plan() []string {
	for i := range s.calls {
		end := i
		for end < len(s.calls) && strings.HasPrefix(s.calls[end], "estimate") {
			end++
		}
		slices.Sort(s.calls[i:end])
	}
	return s.calls
}

// planned are queries whose plans differ from the order in which they are written.
var planned = []string{
	"MATCH (a:A)-[:R]->(b:B) WHERE b.num = 1 RETURN a.id, b.name",
	"MATCH (a:A) WHERE (a)-[:R]->(:B) RETURN count(a)",
	"MATCH (a:A) WHERE NOT (a)-[:R]->(:B {num: 1}) RETURN a.id",
	"MATCH (a:A) WHERE EXISTS { (a)-[:R]->(b:B) WHERE b.num > 1 AND b.name = 'a' } AND NOT EXISTS { (a)<-[:S]-(:C) } RETURN a.id",
	"MATCH (a:A)-[:R]->(b) RETURN b.name, count(*) AS n ORDER BY n, b.name",
	"MATCH (a:A)-[:R]->(b:B) RETURN a.id, count(b) AS n",
	"MATCH (a:A)-[:R]->(b:B) RETURN b.num, count(DISTINCT a) AS n",
	"MATCH (a) RETURN a.id ORDER BY a.num DESC, a.id SKIP 2 LIMIT 3",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, b.id ORDER BY a.id LIMIT 4",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, b.id ORDER BY a.id",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, b.id LIMIT 4",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, b.id ORDER BY a.id LIMIT 2 + toInteger(rand() * 0)",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, b.id ORDER BY a.id SKIP toInteger(rand() * 0) LIMIT 2",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN DISTINCT a ORDER BY a.id LIMIT 2",
	"MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.id, count(b) AS n ORDER BY a.id LIMIT 2",
	"MATCH (a:A), (b:B) WHERE a.num = b.num AND a.id < 5 RETURN count(*)",
	"MATCH (a:A {num: 1})-[*1..3]->(b:C) RETURN DISTINCT b.id",
	"MATCH p = (a:A {num: 1})-[:R*0..2]-(b) RETURN length(p), count(*)",
	"MATCH (a:A {num: 1}) WITH a MATCH (a)-[r]->(b) RETURN type(r), keys(b)",
	"MATCH (a:A)-[r:R]->(b) WITH r, a MATCH (c)-[r]->(d) RETURN c.id, d.num",
	"MATCH (a:A) WITH collect(a) AS all UNWIND all AS a MATCH (a)-->(b {num: a.num}) RETURN b.id",
	"MATCH (a:A) RETURN [(a)-[:R]->(b:B) | b.num], size([(a)-->() | 1])",
	"MATCH (a:A) RETURN a {.num, more: 1}, labels(a), properties(a).name",
	"MATCH (a:A:B) WHERE a.name STARTS WITH 'a' AND a.num IN [1, 2, $p] AND a.x IS NULL RETURN count(a)",
	"MATCH (a) WHERE a:A AND a.num <> 1 AND a.num >= 0 AND 3 > a.num RETURN count(*)",
	"MATCH (a:A)-[:R]->(b)-[:S]->(c:C {num: 2}) WHERE a.num = $p RETURN a.id, c.id",
	"MATCH (a:A) CALL { RETURN 1 } RETURN a",
	"MATCH (a:A) WHERE id(a) = 3 RETURN a.num UNION MATCH (b:B) RETURN b.num AS `a.num`",
	"MATCH (a {num: 1}), (a)-->(b), (b)-->(c) WHERE c.num = a.num RETURN count(*)",
	"MATCH (a:A) WHERE exists((a)-[:R]->()) XOR a.num = 1 RETURN count(*)",
	"MATCH (a:A)-[:R]->(b:B) WHERE a.num + 1 = b.num OR b.name = 'a' RETURN count(*)",
}

// The plan of a query is what it asks the store, and what it may not go below: the fewest paths and the least memory that it runs with.
func TestPlans(t *testing.T) {
	t.Parallel()
	g := graphtest.Random(4, 30, 70)
	queries := slices.Clone(planned)
	for r := rand.New(rand.NewPCG(3, 7)); len(queries) < len(planned)+80; {
		queries = append(queries, graphtest.Query(r))
	}
	var all strings.Builder
	for _, query := range queries {
		s := &store{Graph: g}
		rows, err := answer(s, query, cypher.Limits{})
		fmt.Fprintf(&all, "== %s\n%s\n%d rows, %v\n", query, strings.Join(s.plan(), "\n"), len(rows), err)
		if err != nil {
			continue
		}
		paths := least(func(n int) bool {
			_, err := answer(&store{Graph: g}, query, cypher.Limits{Paths: int64(n), Time: time.Minute})
			return err == nil
		})
		memory := least(func(n int) bool {
			_, err := answer(&store{Graph: g}, query, cypher.Limits{Memory: int64(n), Time: time.Minute})
			return err == nil
		})
		fmt.Fprintf(&all, "%d paths, %d bytes\n", paths, memory)
	}
	clitest.Golden(t, filepath.Join("testdata", "plans.txt"), all.String())
}

// least returns the least number, up to a million, with which something succeeds.
func least(succeeds func(int) bool) int {
	low, high := 1, 1_000_000
	for low < high {
		if middle := (low + high) / 2; succeeds(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
