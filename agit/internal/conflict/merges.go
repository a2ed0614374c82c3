package conflict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/trial"
	"github.com/agit-suite/agit/shared/git"
)

// attempt is one merge to try.
type attempt struct {
	ours, theirs *state // ours is nil for the default branch
	pair         *pair  // that the answer is for; nil for the default branch
	env          string
	found        *trial.Merge
}

func (a *attempt) states() []*state {
	if a.ours == nil {
		return []*state{a.theirs}
	}
	return []*state{a.ours, a.theirs}
}

// in is where git runs: its attributes count.
func (a *attempt) in() *state { return a.states()[0] }

func (c *comparison) commits(a *attempt) (pair [2]string, known bool) {
	pair[0], pair[1] = c.target, a.theirs.Commit
	if a.ours != nil {
		pair[0] = a.ours.Commit
	}
	return pair, pair[0] != "" && pair[1] != ""
}

func (a *attempt) key(commits [2]string) string {
	return commits[0] + " " + commits[1] + " " + a.env
}

// tryMerges answers attempts. The states concerned are in the store.
func (c *comparison) tryMerges(ctx context.Context, attempts []*attempt) error {
	if err := c.merge(ctx, attempts); err != nil {
		return err
	}
	for _, a := range attempts {
		if a.pair != nil {
			a.pair.merge = a.found
		} else {
			c.defaults = append(c.defaults, defaultMerge(a))
		}
	}
	slices.SortFunc(c.defaults, func(x, y DefaultMerge) int { return strings.Compare(x.ID, y.ID) })
	return nil
}

// attempts lists the merges to try: every pair that could conflict, and each
// state with the default branch when asked.
func (c *comparison) attempts(ctx context.Context) ([]*attempt, error) {
	var all []*attempt
	for _, p := range c.pairs {
		if p.mayFail {
			all = append(all, &attempt{ours: p.a, theirs: p.b, pair: p})
		}
	}
	if c.options.Default && c.target != "" {
		for _, s := range c.states {
			if c.options.Worktree != "" && c.options.Worktree != s.worktree.Ref || len(s.Snap.Commits) == 0 {
				continue
			}
			a := &attempt{theirs: s}
			if s.Base == c.target { // it has all that the default branch has
				a.found = &trial.Merge{Clean: true}
				c.defaults = append(c.defaults, defaultMerge(a))
				continue
			}
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	version, err := git.CurrentVersion(ctx)
	if err != nil {
		return nil, err
	}
	if !version.AtLeast(2, trial.MergeMinor) {
		c.noMerge = fmt.Sprintf("merge depth needs git 2.%d or later; this is git %s", trial.MergeMinor, version)
		return nil, nil
	}
	for _, a := range all {
		a.env = c.env(a.in(), version)
	}
	return all, nil
}

// unknown lists the states whose merges are not known yet: whatever is still
// without a commit, whatever it meets, and the pairs nobody merged before.
func (c *comparison) unknown(attempts []*attempt) []*state {
	var need []*state
	for _, a := range attempts {
		commits, known := c.commits(a)
		if known {
			_, known = c.last.Merges[a.key(commits)]
		}
		if !known {
			need = append(need, a.states()...)
		}
	}
	return need
}

// merge answers the attempts from the cache, and the rest by git: one run for
// all worktrees whose attributes are the same.
func (c *comparison) merge(ctx context.Context, attempts []*attempt) error {
	groups := map[string][]*attempt{}
	for _, a := range attempts {
		commits, _ := c.commits(a)
		if known, ok := c.last.Merges[a.key(commits)]; ok {
			c.usedMerges[a.key(commits)] = known
			a.found = &known
			continue
		}
		groups[a.env] = append(groups[a.env], a)
	}
	for _, group := range groups {
		store, err := c.store.get(ctx)
		if err != nil {
			return err
		}
		var pairs [][2]string
		for _, a := range group {
			commits, _ := c.commits(a)
			pairs = append(pairs, commits)
		}
		merges, err := store.Merges(ctx, group[0].in().repo, pairs)
		if err != nil {
			return err
		}
		for i, a := range group {
			a.found = &merges[i]
			if merges[i].Failed == "" {
				c.usedMerges[a.key(pairs[i])] = merges[i]
			}
		}
	}
	return nil
}

func defaultMerge(a *attempt) DefaultMerge {
	w := a.theirs.worktree
	d := DefaultMerge{ID: w.Ref, Branch: w.Branch, Agent: w.Agent, Conflicts: []MergeFile{}, Failed: a.found.Failed}
	at := map[string]int{}
	for _, conflict := range a.found.Conflicts {
		file := display(conflict.Paths[0])
		i, ok := at[file]
		if !ok {
			i = len(d.Conflicts)
			at[file] = i
			d.Conflicts = append(d.Conflicts, MergeFile{File: file})
		}
		if !slices.Contains(d.Conflicts[i].Kinds, conflict.Kind) {
			d.Conflicts[i].Kinds = append(d.Conflicts[i].Kinds, conflict.Kind)
		}
	}
	slices.SortFunc(d.Conflicts, func(x, y MergeFile) int { return strings.Compare(x.File, y.File) })
	return d
}
