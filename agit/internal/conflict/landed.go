package conflict

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// findLanded looks for worktrees whose commits are in the default branch already, but in another form: squashed, rebased or picked. All
// that such a worktree adds to the default branch is its uncommitted changes, so its base becomes its own commit. committed holds what each
// state's commits change, and is emptied for these worktrees.
func (c *comparison) findLanded(ctx context.Context, states []*state, committed [][]mergetree.Diff) error {
	ask := make([]int, 0, len(states))
	for i, s := range states {
		if len(committed[i]) > 0 && len(s.Snap.Commits) == 1 && c.target != "" && s.Base != c.target {
			ask = append(ask, i)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	version, able, err := mergeVersion(ctx)
	if err != nil || !able {
		return err
	}
	if ask, err = c.touchedSince(ctx, states, committed, ask); err != nil || len(ask) == 0 {
		return err
	}
	tree := map[string]string{c.target: ""}
	if err := c.trees(ctx, tree); err != nil {
		return err
	}
	attributes, err := c.targetAttributes(ctx)
	if err != nil {
		return err
	}
	groups := map[string][]int{} // by what merges depend on besides commits
	for _, i := range ask {
		env := c.env(states[i], attributes, version)
		groups[env] = append(groups[env], i)
	}
	for env, group := range groups {
		pairs := make([][2]string, len(group))
		for k, i := range group {
			pairs[k] = [2]string{c.target, states[i].Snap.Commits[0]}
		}
		merges, err := c.merges(ctx, env, pairs, func(int) (*git.Repo, string) { return states[group[0]].repo, c.target })
		if err != nil {
			return err
		}
		for k, i := range group {
			landed := merges[k].Clean && merges[k].Tree == tree[c.target]
			if !landed && len(merges[k].Conflicts) > 0 { // the default branch changed these files again
				if landed, err = c.pickedUp(ctx, states[i]); err != nil {
					return err
				}
			}
			if landed {
				states[i].Base, committed[i] = states[i].Snap.Commits[0], nil
			}
		}
	}
	return nil
}

// touchedSince keeps the states with a file that the default branch touched since their base. The commits of the others cannot have landed.
func (c *comparison) touchedSince(ctx context.Context, states []*state, committed [][]mergetree.Diff, among []int) ([]int, error) {
	var bases [][2]string
	for _, i := range among {
		bases = including(bases, [2]string{states[i].Base, c.target})
	}
	if err := c.readChangesets(ctx, bases); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(among, func(i int) bool {
		main := c.between[[2]string{states[i].Base, c.target}].files
		return !slices.ContainsFunc(committed[i], func(d mergetree.Diff) bool { _, ok := main[d.Path]; return ok })
	}), nil
}

// pickedUp reports whether the default branch has the patch of every commit of the state, or a single patch equal to all of them together.
func (c *comparison) pickedUp(ctx context.Context, s *state) (bool, error) {
	store, err := c.store.get(ctx)
	if err != nil {
		return false, err
	}
	head := s.Snap.Commits[0]
	merges, err := c.common.Run(ctx, "rev-list", "--merges", "--max-count=1", c.target+".."+head)
	if err != nil {
		return false, git.Fault(err, "list the commits of %s", s.worktree.Ref)
	}
	if merges == "" { // a merge has no patch
		if all, err := store.Picked(ctx, c.common, c.target, head); all || err != nil {
			return all, err
		}
	}
	one, err := store.Squash(ctx, c.common, s.Base, head)
	if err != nil {
		return false, err
	}
	return store.Picked(ctx, c.common, c.target, one)
}
