package conflict

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/trial"
)

// pair is two states that may be in each other's way.
type pair struct {
	a, b    *state
	bases   []string
	va, vb  view
	shared  []string // paths both touch
	mayFail bool     // a merge could conflict
	merge   *trial.Merge
}

// findPairs finds the states that share a path, or that git's merge could find
// in conflict without.
func (c *comparison) findPairs(ctx context.Context) error {
	for i, a := range c.states {
		for _, b := range c.states[i+1:] {
			if c.options.Worktree != "" && a.worktree.Ref != c.options.Worktree && b.worktree.Ref != c.options.Worktree {
				continue
			}
			bases, err := c.past.bases(a.Snap.Commits, b.Snap.Commits)
			if err != nil {
				return err
			}
			c.pairs = append(c.pairs, &pair{a: a, b: b, bases: bases})
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := c.readBetween(ctx); err != nil {
		return err
	}
	memo := map[[2]*layer]bool{}
	kept := c.pairs[:0]
	for _, p := range c.pairs {
		p.va, p.vb = c.view(p, p.a), c.view(p, p.b)
		p.findShared()
		p.mayFail = len(p.bases) > 0 && (len(p.bases) > 1 || p.va.meets(p.vb, memo))
		if len(p.shared) > 0 || p.mayFail {
			kept = append(kept, p)
		}
	}
	c.pairs = kept
	return nil
}

// readBetween compares the common commits of pairs with the bases of their
// states, where those differ.
func (c *comparison) readBetween(ctx context.Context) error {
	c.between = map[[2]string]*layer{}
	var ask [][2]string
	for _, p := range c.pairs {
		for _, s := range []*state{p.a, p.b} {
			if key, ok := p.betweenKey(s); ok && c.between[key] == nil {
				c.between[key] = newLayer()
				ask = append(ask, key)
			}
		}
	}
	diffs, err := trial.Diffs(ctx, c.common, nil, ask, false)
	for i, key := range ask {
		if err == nil {
			c.between[key] = diffLayer(diffs[i])
		}
	}
	return err
}

func (p *pair) betweenKey(s *state) (key [2]string, ok bool) {
	if len(p.bases) == 0 || p.bases[0] == s.Base {
		return key, false
	}
	return [2]string{p.bases[0], s.Base}, true
}

func (c *comparison) view(p *pair, s *state) view {
	v := view{own: c.layers[s]}
	if key, ok := p.betweenKey(s); ok {
		v.between = c.between[key]
	}
	return v
}

// findShared lists the paths that both states touch themselves, and that both
// changed since the commit they have in common.
func (p *pair) findShared() {
	small, large := p.va.own.files, p.vb.own.files
	if len(small) > len(large) {
		small, large = large, small
	}
	for path := range small {
		if _, ok := large[path]; !ok {
			continue
		}
		_, inA := p.va.at(path)
		_, inB := p.vb.at(path)
		if inA && inB {
			p.shared = append(p.shared, path)
		}
	}
	slices.Sort(p.shared)
}
