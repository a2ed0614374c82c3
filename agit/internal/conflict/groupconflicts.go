package conflict

import (
	"cmp"
	"slices"
)

// file is what was found in one file.
type file struct {
	pairs       []Pair
	withDefault []Conflict      // each names only the one worktree, by its ref
	sides       map[string]Side // by ref
}

// conflicts groups pairs that meet alike: every two worktrees of a conflict meet at its depth, on its lines. Conflicts with the default
// branch come first, then the deepest; worktrees are in the order of states.
func (f *file) conflicts(name string, states []*state) []Conflict {
	order := map[string]int{}
	for i, s := range states {
		order[s.worktree.Ref] = i
	}
	all := f.withDefault
	for _, alike := range f.alike() {
		all = append(all, cliques(alike, order)...)
	}
	for i := range all {
		c := &all[i]
		c.File = name
		for k, side := range c.Worktrees {
			c.Worktrees[k] = f.sides[side.ID]
		}
	}
	return all
}

// alike groups the pairs by depth, kinds and lines.
func (f *file) alike() [][]Pair {
	byKey := map[string]int{}
	var groups [][]Pair
	for _, p := range f.pairs {
		key := string(p.Depth) + "\x00" + detail(p.Kinds, p.Lines)
		i, ok := byKey[key]
		if !ok {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	slices.SortStableFunc(groups, func(a, b []Pair) int { return cmp.Compare(b[0].Depth.rank(), a[0].Depth.rank()) })
	return groups
}

// cliques covers pairs that are alike with conflicts whose worktrees all meet each other. Each conflict starts with a pair that is not
// covered yet and takes in as many other worktrees as fit.
func cliques(pairs []Pair, order map[string]int) []Conflict {
	type edge [2]string
	meet := map[edge]Pair{}
	seen := map[string]bool{}
	var refs []string
	for _, p := range pairs {
		meet[edge{p.A, p.B}], meet[edge{p.B, p.A}] = p, p
		for _, ref := range []string{p.A, p.B} {
			if !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	inOrder := func(a, b string) int { return cmp.Compare(order[a], order[b]) }
	slices.SortFunc(refs, inOrder)
	covered := map[edge]bool{}
	var all []Conflict
	for _, p := range pairs {
		if covered[edge{p.A, p.B}] {
			continue
		}
		members := []string{p.A, p.B}
		for _, ref := range refs {
			if ref == p.A || ref == p.B || !slices.ContainsFunc(members, func(m string) bool { return !covered[edge{m, ref}] }) {
				continue
			}
			if !slices.ContainsFunc(members, func(m string) bool { _, ok := meet[edge{m, ref}]; return !ok }) {
				members = append(members, ref)
			}
		}
		slices.SortFunc(members, inOrder)
		c := Conflict{Depth: p.Depth, Lines: p.Lines, Kinds: p.Kinds, Pairs: []Pair{}}
		for i, a := range members {
			c.Worktrees = append(c.Worktrees, Side{ID: a})
			for _, b := range members[i+1:] {
				covered[edge{a, b}], covered[edge{b, a}] = true, true
				c.Pairs = append(c.Pairs, meet[edge{a, b}])
			}
		}
		all = append(all, c)
	}
	return all
}
