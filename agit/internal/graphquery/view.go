package graphquery

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
	"github.com/agit-suite/agit/shared/registry"
)

// view is the registry as a property graph, within one transaction. It serves
// one query.
type view struct {
	tx     *registry.Tx
	edges  map[edgeKey]int64  // relationships are made of rows; their ids are given as they are met
	counts map[string]float64 // of labels
}

type edgeKey struct {
	kind       string
	start, end int64
}

func newView(tx *registry.Tx) *view {
	return &view{tx: tx, edges: map[edgeKey]int64{}, counts: map[string]float64{}}
}

// space is where a node's row is. Nodes of all tables share one range of ids:
// the row's id times the number of spaces, plus the space.
type space int64

const (
	items space = iota
	projects
	agents
	spaces
)

func (s space) node(row int64) int64 { return row*int64(spaces) + int64(s) }

func split(node int64) (space, int64) { return space(node % int64(spaces)), node / int64(spaces) }

// batch is how many rows are read at once: few enough for a statement's
// parameters, many enough that their number does not matter.
const batch = 500

// Scan gives the nodes of a label, a batch at a time.
func (v *view) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for _, l := range labels {
			if slices.ContainsFunc(filter.Labels, func(name string) bool { return name != l.name }) {
				continue
			}
			where, args := l.pushed(filter.Conditions)
			for last := int64(0); ; {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				nodes, err := l.read(v.tx, where+` AND `+l.key+` > ? ORDER BY `+l.key+` LIMIT 500`, append(slices.Clone(args), last)...)
				if err != nil {
					yield(nil, err)
					return
				}
				for _, n := range nodes {
					_, last = split(n.ID)
					if !yield(n, nil) {
						return
					}
				}
				if len(nodes) < batch {
					break
				}
			}
		}
	}
}

// Estimate counts by index, and takes a condition that an index answers as
// nearly unique.
func (v *view) Estimate(_ context.Context, filter graph.Filter) float64 {
	total := 0.0
	for _, l := range labels {
		if slices.ContainsFunc(filter.Labels, func(name string) bool { return name != l.name }) {
			continue
		}
		if slices.ContainsFunc(filter.Conditions, func(c graph.Condition) bool { return c.Op == graph.Equal && l.unique[c.Property] }) {
			total++
			continue
		}
		total += v.count(l)
	}
	for range filter.Conditions {
		total = total/3 + 0.5
	}
	return total
}

// count is how many nodes a label has, as far as it is worth counting.
func (v *view) count(l label) float64 {
	if n, known := v.counts[l.name]; known {
		return n
	}
	table, _, _ := strings.Cut(l.from, " ")
	n, err := registry.One[int64](v.tx.QueryRow(`SELECT COUNT(*) FROM (SELECT 1 FROM ` + table + ` LIMIT 10000) some`))
	if err != nil {
		n = 1000 // the scan itself will say what is wrong
	}
	v.counts[l.name] = float64(n)
	return v.counts[l.name]
}

// Nodes gives nodes by their ids.
func (v *view) Nodes(_ context.Context, ids []int64) ([]*value.Node, error) {
	rows := map[space][]any{}
	for _, id := range ids {
		s, row := split(id)
		rows[s] = append(rows[s], row)
	}
	var found []*value.Node
	for _, l := range labels {
		for part := range slices.Chunk(rows[l.space], batch) {
			nodes, err := l.read(v.tx, ` AND `+l.key+` IN (`+marks(len(part))+`)`, part...)
			if err != nil {
				return nil, err
			}
			found = append(found, nodes...)
		}
	}
	return found, nil
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// Expand gives the relationships at many nodes, one statement a type, direction
// and batch.
func (v *view) Expand(_ context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	from := map[space][]any{}
	for _, id := range hop.From {
		s, row := split(id)
		from[s] = append(from[s], row)
	}
	for _, r := range relationships {
		if len(hop.Types) > 0 && !slices.Contains(hop.Types, r.name) {
			continue
		}
		if hop.Direction != graph.Incoming {
			if err := v.follow(r, from[r.startSpace], r.start, yield, false); err != nil {
				return err
			}
		}
		if hop.Direction != graph.Outgoing {
			if err := v.follow(r, from[r.endSpace], r.end, yield, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow reads the relationships of one type at rows, which are their starts, or
// backwards their ends.
func (v *view) follow(r relationship, rows []any, column string, yield func(graph.Edge) error, backwards bool) error {
	type ends struct{ start, end int64 }
	for part := range slices.Chunk(rows, batch) {
		found, err := registry.Collect(v.tx, func(row registry.Scanner) (e ends, err error) {
			return e, row.Scan(&e.start, &e.end)
		}, `SELECT DISTINCT `+r.start+`, `+r.end+` FROM `+r.from+` AND `+column+` IN (`+marks(len(part))+`)`, part...)
		if err != nil {
			return err
		}
		for _, e := range found {
			edge := v.edge(r, e.start, e.end)
			from, to := edge.Start, edge.End
			if backwards {
				from, to = to, from
			}
			if err := yield(graph.Edge{From: from, Relationship: edge, Node: &value.Node{ID: to}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *view) edge(r relationship, start, end int64) *value.Relationship {
	key := edgeKey{r.name, r.startSpace.node(start), r.endSpace.node(end)}
	id, known := v.edges[key]
	if !known {
		id = int64(len(v.edges))
		v.edges[key] = id
	}
	return &value.Relationship{ID: id, Type: r.name, Start: key.start, End: key.end, Properties: map[string]any{}}
}
