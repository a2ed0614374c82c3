package graph

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/shared/registry"
)

// part is an unfinished task or epic in the plan: something with a length, a
// container, and what has to be finished before it.
type part struct {
	ref    string
	length int64 // seconds; 0 for an epic
	parent int   // index, -1 for none
	after  []int // indexes of what has to be finished first
}

// criticalPath returns the ids of the longest chain of a project's unfinished
// tasks, in order of doing. An unestimated task is as long as the median of the
// project's estimates, 1 when there are none.
func criticalPath(tx *registry.Tx, projectID int64) ([]string, error) {
	plan, err := unfinished(tx, projectID)
	if err != nil {
		return nil, err
	}
	return longestChain(plan), nil
}

func unfinished(tx *registry.Tx, projectID int64) ([]part, error) {
	median, err := medianEstimate(tx, projectID)
	if err != nil {
		return nil, err
	}
	found, err := registry.Collect(tx, func(row registry.Scanner) (p placed, err error) {
		var kind string
		var parent registry.Null[int64]
		err = row.Scan(&p.id, &p.ref, &parent, &p.length, &kind, &p.priority, &p.created)
		p.within = parent.V
		if kind == "epic" {
			p.length, p.ref = 0, ""
		}
		return p, err
	}, `SELECT id, ref, parent_id, COALESCE(estimate_seconds, ?), kind, priority, created_at FROM items
		WHERE project_id = ? AND kind IN ('task', 'epic') AND state IN ('open', 'active') AND deleted_at IS NULL`, median, projectID)
	if err != nil {
		return nil, err
	}
	// Sorted here: the rows are many, and SQL would write each of them down to sort.
	slices.SortFunc(found, placed.queue)
	plan, index := make([]part, len(found)), make(map[int64]int, len(found))
	for i, p := range found {
		plan[i], index[p.id] = part{ref: p.ref, length: p.length, parent: -1}, i
	}
	for i, p := range found {
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
		slices.Sort(plan[i].after) // the same path whatever the order of reading
	}
	return plan, nil
}

// placed is a part with what says where it stands in the queue.
type placed struct {
	id, within, length, priority int64
	ref, created                 string
}

// queue orders by priority, then age.
func (p placed) queue(q placed) int {
	return cmp.Or(cmp.Compare(q.priority, p.priority), cmp.Compare(p.created, q.created), cmp.Compare(p.id, q.id))
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

// longestChain is linear in parts and edges. Each part has a beginning and an
// end; what contains a part begins before it and ends after it, and what it
// waits for ends before it begins. Parts in a cycle, which no edge can make but
// a merge of two registries might, are left out.
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
		// Work on a container comes when its parts are done.
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
