package conflict

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
)

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
	diffs, err := mergetree.Diffs(ctx, c.common, store, pairs, true)
	if err != nil {
		return err
	}
	for i, s := range ask {
		s.applyRenames(diffs[i])
	}
	return nil
}
