package graphquery

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/registry"
)

// view is the registry as a property graph, within one transaction. It serves
// one query.
type view struct {
	*known
	only   graph.Wanted   // the properties to read; nil for all
	shapes [places]*shape // by the index of their label, built on first use
}

// known is what a query has learnt so far. Its partial view and its whole view share it.
type known struct {
	tx        *registry.Tx
	edges     map[edgeKey]int64 // ids of relationships that cannot be computed from those of their ends
	memo      *queryCache       // the cache of the store
	isBlocked map[int64]bool    // tasks; nil until needed
	projects  []int64           // nil until needed
}

func viewOf(tx *registry.Tx, m *queryCache) *view {
	return &view{known: &known{tx: tx, memo: m, edges: map[edgeKey]int64{}}}
}

// at returns what to read of the label at a place.
func (v *view) at(place int) *shape {
	if v.shapes[place] == nil {
		v.shapes[place] = shapeOf(place, labels[place], v.only)
	}
	return v.shapes[place]
}

// SelectProperties implements graph.PropertySelector.
func (v *view) SelectProperties(wanted graph.Wanted) graph.Graph {
	return &view{known: v.known, only: wanted}
}

// blocked returns the tasks that show as blocked unless they are finished: a bug blocks them, or a person holds them.
func (k *known) blocked() (map[int64]bool, error) {
	if k.isBlocked != nil {
		return k.isBlocked, nil
	}
	rows, err := registry.Collect(k.tx, registry.One[int64], `SELECT DISTINCT d.target_id FROM bugs CROSS JOIN items bug CROSS JOIN dependencies d CROSS JOIN items
		WHERE bug.id = bugs.item_id AND bug.state IN ('open', 'active') AND bug.deleted_at IS NULL AND d.source_id = bug.id AND d.relation = 'blocks'
		  AND items.id = d.target_id AND items.state IN ('open', 'active') AND items.holds > 0
		UNION SELECT item_id FROM item_holds`)
	if err != nil {
		return nil, err
	}
	k.isBlocked = make(map[int64]bool, len(rows))
	for _, id := range rows {
		k.isBlocked[id] = true
	}
	return k.isBlocked, nil
}

// places is the largest number of labels. A node's id is its row's id times places, plus the place of its label.
const places = 8

func (s *shape) id(row int64) int64 { return row*places + s.place }

func split(node int64) (place, row int64) { return node % places, node / places }

// batch is how many rows are requested at once: few enough for a statement's parameters, and enough to make the number of statements
// unimportant.
const batch = 512

// Nodes returns nodes by their ids.
func (v *view) Nodes(_ context.Context, ids []int64) ([]*value.Node, error) {
	found := make([]*value.Node, 0, len(ids))
	for place, rows := range byLabel(ids) {
		if len(rows) == 0 || place >= len(labels) {
			continue
		}
		s := v.at(place)
		for part := range slices.Chunk(rows, batch) {
			nodes, err := s.read(v, `SELECT `+s.key+s.fields+` FROM `+s.base+s.joined+` WHERE `+s.where+` AND `+s.key+` IN (`+marks(len(part))+`)`, part...)
			if err != nil {
				return nil, err
			}
			found = append(found, nodes...)
		}
	}
	return found, nil
}

// byLabel groups ids by the place of their label and returns their rows.
func byLabel(ids []int64) (rows [places][]any) {
	for _, id := range ids {
		place, row := split(id)
		rows[place] = append(rows[place], row)
	}
	return rows
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// edgeKey is a relationship: its place in relationships, and the rows it joins.
type edgeKey struct {
	kind       int
	start, end int64
}

// id returns the number of a relationship, the same each time.
func (k *known) id(e edgeKey) int64 {
	const most = 1 << 29
	if e.start < most && e.end < most {
		return int64(e.kind)<<58 | e.start<<29 | e.end
	}
	id, met := k.edges[e]
	if !met {
		id = -1 - int64(len(k.edges))
		k.edges[e] = id
	}
	return id
}
