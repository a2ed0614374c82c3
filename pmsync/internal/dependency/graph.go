package dependency

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Limits of a graph.
const (
	DefaultDepth = 5
	MaxDepth     = 20
	maxNodes     = 300
	maxOrphans   = 50
)

// Node is an item of a graph.
type Node struct {
	ID     string    `json:"id"`
	Type   work.Kind `json:"type"`
	Title  string    `json:"title"`
	Status string    `json:"status"`
}

// Arrow is a relationship of a graph.
type Arrow struct {
	Source   string        `json:"source"`
	Target   string        `json:"target"`
	Relation work.Relation `json:"relation"`
}

// Graph is the answer to a GraphQuery. Orphans are the unfinished items of the project without any relationship; they are listed only for a
// whole project.
type Graph struct {
	Nodes   []Node     `json:"nodes"`
	Edges   []Arrow    `json:"edges"`
	Cycles  [][]string `json:"cycles"`
	Orphans []string   `json:"orphans"`
	LeftOut int        `json:"left_out,omitempty"` // nodes beyond the limit
}

// GraphQuery selects the graph around an item, or without Root that of the project.
type GraphQuery struct {
	Root  End
	Depth int
}

// Graph returns items and their relationships: those within Depth steps of the root, or all items of a project that have a relationship, with
// those of other projects at its other end.
func (s *Store) Graph(ctx context.Context, c caller.Caller, q GraphQuery) (g Graph, err error) {
	q.Depth = cmp.Or(q.Depth, DefaultDepth)
	if q.Depth < 1 || q.Depth > MaxDepth {
		return g, fault.Validation("max_depth", "a depth of %d is out of bounds", q.Depth).WithHint("use 1 to %d", MaxDepth)
	}
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		g = Graph{Nodes: []Node{}, Edges: []Arrow{}, Cycles: [][]string{}, Orphans: []string{}}
		var start []int64
		depth := q.Depth
		if q.Root.ID != "" {
			root, err := q.Root.find(tx, who.Project.ID, "root")
			if err != nil {
				return err
			}
			start = []int64{root.ID}
		} else {
			depth = 1 // the items of other projects that these are related to
			if start, err = connected(tx, who.Project.ID); err != nil {
				return err
			}
			if g.Orphans, err = orphans(tx, who.Project.ID); err != nil {
				return err
			}
		}
		return g.fill(tx, start, depth)
	})
	return g, err
}

// connected returns the items of a project that have a relationship.
func connected(tx *registry.Tx, projectID int64) ([]int64, error) {
	return registry.Collect(tx, registry.One[int64], `SELECT id FROM items WHERE project_id = ? AND deleted_at IS NULL AND kind NOT IN ('scenario', 'artifact')
		AND (parent_id IS NOT NULL OR EXISTS (SELECT 1 FROM dependencies d WHERE d.source_id = items.id) OR EXISTS (SELECT 1 FROM dependencies d WHERE d.target_id = items.id)
			OR EXISTS (SELECT 1 FROM items child WHERE child.parent_id = items.id))
		ORDER BY CASE WHEN state IN ('open', 'active') THEN 0 ELSE 1 END, priority DESC, id`, projectID)
}

// orphans returns the unfinished items of a project that have no relationship.
func orphans(tx *registry.Tx, projectID int64) ([]string, error) {
	refs, err := registry.Collect(tx, registry.One[string], `SELECT ref FROM items WHERE project_id = ? AND deleted_at IS NULL AND kind IN ('ticket', 'plan', 'task', 'bug')
		AND state IN ('open', 'active') AND parent_id IS NULL AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.source_id = items.id)
		AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.target_id = items.id) AND NOT EXISTS (SELECT 1 FROM items child WHERE child.parent_id = items.id)
		ORDER BY priority DESC, id LIMIT ?`, projectID, maxOrphans)
	return append([]string{}, refs...), err
}

// fill adds the items within depth steps of the start items.
func (g *Graph) fill(tx *registry.Tx, start []int64, depth int) error {
	if len(start) > maxNodes {
		g.LeftOut = len(start) - maxNodes
		start, depth = start[:maxNodes], 0
	}
	in, beyond := map[int64]bool{}, map[int64]bool{}
	order := slices.Clone(start)
	for _, id := range start {
		in[id] = true
	}
	for level := start; depth > 0 && len(level) > 0; depth-- {
		arrows, err := work.Arrows(tx, level)
		if err != nil {
			return err
		}
		level = nil
		for _, a := range arrows {
			for _, id := range []int64{a.Source, a.Target} {
				switch {
				case in[id]:
				case len(order) == maxNodes:
					beyond[id] = true // several arrows may lead to the same item
				default:
					in[id] = true
					order, level = append(order, id), append(level, id)
				}
			}
		}
	}
	g.LeftOut += len(beyond)
	items, err := work.ByIDs(tx, order)
	if err != nil {
		return err
	}
	for _, id := range order {
		i := items[id]
		g.Nodes = append(g.Nodes, Node{ID: i.Ref, Type: i.Kind, Title: i.Title, Status: i.Status})
	}
	arrows, err := work.Arrows(tx, order)
	if err != nil {
		return err
	}
	after := map[int64][]int64{}
	for _, a := range arrows {
		if !in[a.Source] || !in[a.Target] {
			continue
		}
		g.Edges = append(g.Edges, Arrow{items[a.Source].Ref, items[a.Target].Ref, a.Relation})
		if a.Relation == work.Blocks || a.Relation == work.ParentOf {
			after[a.Source] = append(after[a.Source], a.Target)
		}
	}
	for _, cycle := range cycles(order, after) {
		var refs []string
		for _, id := range cycle {
			refs = append(refs, items[id].Ref)
		}
		g.Cycles = append(g.Cycles, refs)
	}
	return nil
}

// maxCycles bounds how many cycles are listed: mending one often mends others.
const maxCycles = 20

// cycles returns the paths from an item back to itself, one for each back edge of a depth-first walk. Only a merge of two registries can
// have made them.
func cycles(order []int64, after map[int64][]int64) (found [][]int64) {
	const (
		unseen = iota
		open
		closed
	)
	state := map[int64]int{}
	var way []int64
	var walk func(id int64)
	walk = func(id int64) {
		state[id] = open
		way = append(way, id)
		for _, to := range after[id] {
			switch state[to] {
			case unseen:
				walk(to)
			case open:
				if len(found) < maxCycles {
					found = append(found, append(slices.Clone(way[slices.Index(way, to):]), to))
				}
			}
		}
		way = way[:len(way)-1]
		state[id] = closed
	}
	for _, id := range order {
		if state[id] == unseen {
			walk(id)
		}
	}
	return found
}
