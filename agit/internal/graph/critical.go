package graph

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/shared/registry"
)

// part is an unfinished task or epic in the plan: it has a length, a container and predecessors.
type part struct {
	ref    string // "" for an epic
	length int64  // seconds; 0 for an epic
	parent int    // index, -1 for none
	after  []int  // indexes of its predecessors

	id, within, priority int64 // within is its container
	created              string
}

// criticalPath returns the ids of the longest chain of a project's unfinished tasks, in the order in which they are done. A task
// without an estimate counts as the median estimate of the project, or as 1 when there are no estimates.
func criticalPath(tx *registry.Tx, projectID int64) ([]string, error) {
	median, err := medianEstimate(tx, projectID)
	if err != nil {
		return nil, err
	}
	plan, err := registry.Collect(tx, func(row registry.Scanner) (p part, err error) {
		var kind string
		var parent registry.Null[int64]
		err = row.Scan(&p.id, &p.ref, &parent, &p.length, &kind, &p.priority, &p.created)
		p.within, p.parent = parent.V, -1
		if kind == "epic" {
			p.length, p.ref = 0, ""
		}
		return p, err
	}, `SELECT id, ref, parent_id, COALESCE(estimate_seconds, ?), kind, priority, created_at FROM items
		WHERE project_id = ? AND kind IN ('task', 'epic') AND state IN ('open', 'active') AND deleted_at IS NULL`, median, projectID)
	if err != nil {
		return nil, err
	}
	// The queue: by priority, then age. Sorted in Go: to sort this many rows, SQL would copy each of them.
	slices.SortFunc(plan, func(p, q part) int {
		return cmp.Or(cmp.Compare(q.priority, p.priority), cmp.Compare(p.created, q.created), cmp.Compare(p.id, q.id))
	})
	index := make(map[int64]int, len(plan))
	for i, p := range plan {
		index[p.id] = i
	}
	for i, p := range plan {
		if at, ok := index[p.within]; ok {
			plan[i].parent = at
		}
	}
	for edge, err := range tx.Rows(`SELECT d.source_id, d.target_id FROM items t CROSS JOIN dependencies d
		WHERE t.project_id = ? AND t.kind IN ('task', 'epic') AND t.state IN ('open', 'active') AND t.deleted_at IS NULL
		  AND d.target_id = t.id AND d.relation = 'blocks'`, projectID) {
		if err != nil {
			return nil, err
		}
		var source, target int64
		if err := edge.Scan(&source, &target); err != nil {
			return nil, err
		}
		from, known := index[source]
		to, here := index[target]
		if known && here {
			plan[to].after = append(plan[to].after, from)
		}
	}
	for i := range plan {
		slices.Sort(plan[i].after) // makes the path independent of the reading order
	}
	return longestChain(plan), nil
}

func medianEstimate(tx *registry.Tx, projectID int64) (int64, error) {
	all, err := registry.Collect(tx, registry.One[int64], `SELECT estimate_seconds FROM items
		WHERE project_id = ? AND kind = 'task' AND estimate_seconds IS NOT NULL AND deleted_at IS NULL ORDER BY estimate_seconds`, projectID)
	switch n := len(all); {
	case err != nil || n == 0:
		return 1, err
	case n%2 == 0:
		return max(1, (all[n/2-1]+all[n/2])/2), nil
	default:
		return max(1, all[n/2]), nil
	}
}

// longestChain returns the indexes of the longest chain. It takes time linear in parts and edges. Each part has a beginning and an end.
// A container begins before its parts begin and ends after they end, and a predecessor ends before its successor begins. Parts in a
// cycle are left out; no command makes such an edge, but a merge of two registries might.
func longestChain(plan []part) []string {
	n := len(plan)
	begin, end := func(i int) int { return i }, func(i int) int { return n + i }
	next := make([][]int, 2*n)
	waits := make([]int, 2*n)
	arrow := func(from, to int) {
		next[from] = append(next[from], to)
		waits[to]++
	}
	for i, p := range plan {
		arrow(begin(i), end(i))
		if p.parent >= 0 {
			arrow(begin(p.parent), begin(i))
			arrow(end(i), end(p.parent))
		}
		for _, b := range p.after {
			arrow(end(b), begin(i))
		}
	}
	reached, via := make([]int64, 2*n), make([]int, 2*n)
	var ready []int
	for v := range waits {
		via[v] = -1
		if waits[v] == 0 {
			ready = append(ready, v)
		}
	}
	best := -1
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		// A container is worked on once its parts are done.
		if v >= n {
			reached[v] += plan[v-n].length
		}
		if best < 0 || reached[v] > reached[best] {
			best = v
		}
		for _, to := range next[v] {
			if reached[v] > reached[to] || via[to] < 0 {
				reached[to], via[to] = reached[v], v
			}
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	chain := []string{}
	for v := best; v >= 0; v = via[v] {
		if v >= n && plan[v-n].ref != "" {
			chain = append(chain, plan[v-n].ref)
		}
	}
	slices.Reverse(chain)
	return chain
}
