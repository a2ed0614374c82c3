package conflict

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
)

// pair is two states that may conflict. The first may stand for the default branch.
type pair struct {
	a, b    *state
	bases   []string
	va, vb  view
	shared  []string // paths both touch
	mayFail bool     // a merge could conflict
	merge   *mergetree.Merge
}

// findPairs finds the states that share a path, or that git's merge could find in conflict without a shared path. It pairs every two
// states, and each with the default branch.
func (c *comparison) findPairs(ctx context.Context) error {
	for i, a := range c.states {
		for _, b := range c.states[i+1:] {
			if !c.wanted(a) && !c.wanted(b) || apart(a.worktree, b.worktree) {
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
	if err := c.pairWithDefault(); err != nil {
		return err
	}
	if err := c.readBetween(ctx); err != nil {
		return err
	}
	for _, p := range c.pairs {
		if len(p.bases) > 0 && len(c.changesets[p.a].files) > 0 && len(c.changesets[p.b].files) > 0 {
			c.both = append(c.both, p)
		}
	}
	memo := map[[2]*changeset]bool{}
	kept := c.pairs[:0]
	for _, p := range c.pairs {
		p.va, p.vb = c.view(p, p.a), c.view(p, p.b)
		p.findShared()
		p.mayFail = len(p.bases) > 0 && (len(p.bases) > 1 || p.va.meets(p.vb, memo))
		if len(p.shared) > 0 && !p.a.tip || p.mayFail {
			kept = append(kept, p)
		}
	}
	c.pairs = kept
	return nil
}

// apart reports whether only another clone has to compare two parties: each clone compares its own worktrees, and compares them with the
// branches that it fetched.
func apart(a, b Worktree) bool {
	return a.Clone != "" && (b.Clone != "" || b.Commit != "") || b.Clone != "" && a.Commit != ""
}

func (c *comparison) wanted(s *state) bool {
	return c.options.Worktree == "" || s.worktree.Ref == c.options.Worktree
}

// pairWithDefault pairs the default branch with every state that has something it lacks. Only the merge matters for these pairs, so lesser
// depths leave them out.
func (c *comparison) pairWithDefault() error {
	if c.target == "" || c.options.Depth != DepthMerge {
		return nil
	}
	tips := map[string]*state{} // by the commit where they left the default branch
	for _, s := range c.states {
		if !c.wanted(s) || s.worktree.Clone != "" || s.Base == c.target || len(c.changesets[s].files) == 0 {
			continue
		}
		bases, err := c.past.bases(s.Snap.Commits, []string{c.target})
		if err != nil {
			return err
		}
		if len(bases) == 0 {
			continue // no common history: git does not merge these
		}
		tip := tips[bases[0]]
		if tip == nil {
			tip = &state{tip: true, imported: true, worktree: Worktree{Ref: c.repo.DefaultBranch}}
			tip.Base, tip.Commit = bases[0], c.target
			tips[bases[0]] = tip
		}
		c.pairs = append(c.pairs, &pair{a: tip, b: s, bases: bases})
	}
	return nil
}

// readBetween compares the common commits of pairs with the bases of their
// states, where those differ, and with the default branch.
func (c *comparison) readBetween(ctx context.Context) error {
	var ask [][2]string
	for _, p := range c.pairs {
		for _, s := range []*state{p.a, p.b} {
			if key, ok := p.betweenKey(s); ok {
				ask = append(ask, key)
			}
		}
		if p.a.tip {
			ask = append(ask, [2]string{p.a.Base, c.target})
		}
	}
	if err := c.readChangesets(ctx, ask); err != nil {
		return err
	}
	for _, p := range c.pairs {
		if p.a.tip && p.a.Entries == nil {
			l := c.between[[2]string{p.a.Base, c.target}]
			p.a.Entries, c.changesets[p.a] = l.entries(), l
		}
	}
	return nil
}

// readChangesets fills c.between with the changes between commits.
func (c *comparison) readChangesets(ctx context.Context, keys [][2]string) error {
	var ask [][2]string
	for _, key := range keys {
		if c.between[key] == nil {
			c.between[key] = newChangeset()
			ask = append(ask, key)
		}
	}
	diffs, err := mergetree.Diffs(ctx, c.common, nil, ask, false)
	for i, key := range ask {
		if err == nil {
			c.between[key] = changesetOfDiffs(diffs[i])
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
	v := view{own: c.changesets[s]}
	if key, ok := p.betweenKey(s); ok {
		v.between = c.between[key]
	}
	return v
}

// findShared lists the paths that both states touch themselves, and that both changed since their common commit.
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
