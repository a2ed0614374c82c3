package linkgraph

import (
	"context"
	"math"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
)

// Step is one visited memory.
type Step struct {
	ID    string `json:"id"`
	Depth int    `json:"depth"`
	From  string `json:"from,omitempty"`
}

// Walk is the result of a walk. Nodes is the adjacency of the visited memories.
type Walk struct {
	Root     string              `json:"root,omitempty"`
	Order    string              `json:"order"` // bfs, dfs
	Nodes    map[string][]string `json:"nodes"`
	Steps    []Step              `json:"steps"`
	Visited  int                 `json:"visited"`
	MaxDepth int                 `json:"max_depth"` // reached
	Cycles   [][]string          `json:"cycles"`
	Broken   []Broken            `json:"broken"`
}

// Order is breadth first or depth first.
type Order string

// The orders.
const (
	BFS Order = "bfs"
	DFS Order = "dfs"
)

// Walk goes from one memory, or from every one when root is "", along its links,
// depth steps at most (negative: no limit).
func (g *Graph) Walk(ctx context.Context, root string, order Order, depth int) (*Walk, error) {
	w := &Walk{Root: root, Order: string(order), Nodes: map[string][]string{}, Steps: []Step{}, Cycles: [][]string{}, Broken: []Broken{}}
	starts := []int{}
	if root == "" {
		if err := g.Load(ctx); err != nil {
			return nil, err
		}
		for i := range g.entries {
			starts = append(starts, i)
		}
		depth = -1
	} else {
		at := g.find(root)
		if at < 0 {
			return nil, fault.NotFound("memory", root)
		}
		starts = append(starts, at)
	}
	seen := make([]bool, len(g.entries))
	for _, start := range starts {
		if seen[start] {
			continue
		}
		if err := g.from(ctx, w, start, order, depth, seen); err != nil {
			return nil, err
		}
	}
	w.Broken = g.suggest(w.Broken)
	w.Visited = len(w.Steps)
	w.Cycles = g.cycles(seen)
	return w, nil
}

// from walks from one memory. The agenda is a queue for breadth first and a
// stack for depth first.
func (g *Graph) from(ctx context.Context, w *Walk, start int, order Order, depth int, seen []bool) error {
	type item struct {
		node, depth, from int
	}
	agenda := []item{{start, 0, -1}}
	for len(agenda) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var it item
		if order == DFS {
			it, agenda = agenda[len(agenda)-1], agenda[:len(agenda)-1]
		} else {
			it, agenda = agenda[0], agenda[1:]
		}
		if seen[it.node] {
			continue
		}
		seen[it.node] = true
		step := Step{ID: g.entries[it.node].ID, Depth: it.depth}
		if it.from >= 0 {
			step.From = g.entries[it.from].ID
		}
		w.Steps = append(w.Steps, step)
		w.MaxDepth = max(w.MaxDepth, it.depth)
		links := g.links(it.node)
		ids := make([]string, len(links))
		for i, to := range links {
			ids[i] = g.entries[to].ID
		}
		w.Nodes[step.ID] = ids
		w.Broken = append(w.Broken, g.broken[it.node]...)
		if depth >= 0 && it.depth >= depth {
			continue
		}
		next := links
		if order == DFS { // so that the first link is followed first
			next = slices.Clone(links)
			slices.Reverse(next)
		}
		for _, to := range next {
			if !seen[to] {
				agenda = append(agenda, item{to, it.depth + 1, it.node})
			}
		}
	}
	return nil
}

// maxCycles bounds the reported cycles; a dense graph has more than anyone reads.
const maxCycles = 100

// cycles returns one cycle through each strongly connected part of the visited
// memories (Tarjan 1972), the shortest through its first one.
func (g *Graph) cycles(visited []bool) [][]string {
	out := [][]string{}
	for _, part := range g.components(visited) {
		if len(out) == maxCycles {
			break
		}
		if len(part) == 1 && !slices.Contains(g.out[part[0]], part[0]) {
			continue
		}
		slices.Sort(part)
		out = append(out, g.shortestCycle(part))
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// shortestCycle searches breadth first from the first memory of a component back to itself.
func (g *Graph) shortestCycle(part []int) []string {
	inside := map[int]bool{}
	for _, n := range part {
		inside[n] = true
	}
	start := part[0]
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, to := range g.out[n] {
			if to == start {
				path := []string{g.entries[n].ID}
				for n != start {
					n = from[n]
					path = append(path, g.entries[n].ID)
				}
				slices.Reverse(path)
				return path
			}
			if _, known := from[to]; inside[to] && !known {
				from[to] = n
				queue = append(queue, to)
			}
		}
	}
	return []string{g.entries[start].ID}
}

// components returns the strongly connected components.
func (g *Graph) components(visited []bool) (parts [][]int) {
	index, low := make([]int, len(g.entries)), make([]int, len(g.entries))
	var stack []int
	next := 1
	var visit func(n int)
	visit = func(n int) {
		index[n], low[n] = next, next
		next++
		from := len(stack)
		stack = append(stack, n)
		for _, to := range g.out[n] {
			if !visited[to] {
				continue
			}
			if index[to] == 0 {
				visit(to)
				low[n] = min(low[n], low[to])
			} else {
				low[n] = min(low[n], index[to])
			}
		}
		if low[n] == index[n] {
			part := slices.Clone(stack[from:])
			stack = stack[:from]
			for _, done := range part {
				index[done] = math.MaxInt // it belongs to no other component
			}
			parts = append(parts, part)
		}
	}
	for n := range g.entries {
		if visited[n] && index[n] == 0 {
			visit(n)
		}
	}
	return parts
}
