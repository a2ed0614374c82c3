package conflict

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// findTouches computes which files each changed state touches.
func (c *comparison) findTouches(ctx context.Context) error {
	var fresh []*state
	for _, s := range c.states {
		if s.Entries != nil || s.reused {
			continue
		}
		fresh = append(fresh, s)
		var err error
		if s.Base, err = c.past.base(s.Snap.Commits, c.target); err != nil { // against its own commit, only uncommitted changes count
			return err
		}
	}
	committed, err := c.committed(ctx, fresh)
	if err != nil {
		return err
	}
	if err := c.findLanded(ctx, fresh, committed); err != nil {
		return err
	}
	staged, err := c.staged(ctx, fresh)
	if err != nil {
		return err
	}
	for i, s := range fresh {
		s.combine(committed[i], staged[i])
		if !s.dirty() {
			s.Commit = s.Snap.Commits[0]
		}
		s.Renamed = !s.mayRename()
	}
	c.changesets = map[*state]*changeset{}
	for _, s := range c.states {
		c.changesets[s] = changesetOf(s.Entries)
	}
	return nil
}

// committed compares bases with heads.
func (c *comparison) committed(ctx context.Context, states []*state) ([][]mergetree.Diff, error) {
	all := make([][]mergetree.Diff, len(states))
	var ask [][2]string
	var whose []int
	for i, s := range states {
		if s.Base != "" && s.Base != s.Snap.Commits[0] {
			ask = append(ask, [2]string{s.Base, s.Snap.Commits[0]})
			whose = append(whose, i)
		}
	}
	diffs, err := mergetree.Diffs(ctx, c.common, nil, ask, false)
	for k, i := range whose {
		if err == nil {
			all[i] = diffs[k]
		}
	}
	return all, err
}

// staged compares heads with indexes. It asks git only about pairs that git's index does not record as equal.
func (c *comparison) staged(ctx context.Context, states []*state) ([][]mergetree.Diff, error) {
	heads := map[string]string{}
	for _, s := range states {
		if len(s.Snap.Commits) > 0 && s.Snap.Tree != "" {
			heads[s.Snap.Commits[0]] = ""
		}
	}
	if err := c.trees(ctx, heads); err != nil {
		return nil, err
	}
	all := make([][]mergetree.Diff, len(states))
	err := c.each(ctx, len(states), func(ctx context.Context, i int) (err error) {
		s := states[i]
		if s.worktree.Commit != "" {
			return nil // it has no index
		}
		if s.Snap.Tree != "" && s.Snap.Tree == heads[s.head()] {
			return nil
		}
		settings, err := c.loadSettings(ctx)
		if err == nil {
			all[i], err = mergetree.IndexDiff(ctx, s.repo, s.head(), settings.Hash)
		}
		return err
	})
	return all, err
}

// trees looks up the tree of each commit.
func (c *comparison) trees(ctx context.Context, commits map[string]string) error {
	if len(commits) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(commits))
	args := []string{"rev-parse"}
	for _, name := range names {
		args = append(args, name+"^{tree}")
	}
	out, err := c.common.Run(ctx, args...)
	if err != nil {
		return git.Fault(err, "read the trees of worktrees' commits")
	}
	for i, tree := range strings.Fields(out) {
		if i < len(names) {
			commits[names[i]] = tree
		}
	}
	return nil
}

// findRenames looks for files that moved. This needs commits of the states.
func (c *comparison) findRenames(ctx context.Context) error {
	var ask []*state
	for _, s := range c.states {
		if !s.Renamed && s.Base != "" {
			ask = append(ask, s)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	if err := c.makeCommits(ctx, ask); err != nil {
		return err
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return err
	}
	var pairs [][2]string
	for _, s := range ask {
		pairs = append(pairs, [2]string{s.Base, s.Commit})
	}
	diffs, err := store.Renames(ctx, c.common, pairs)
	if err != nil {
		return err
	}
	for i, s := range ask {
		s.applyRenames(diffs[i])
	}
	return nil
}
