package conflict

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// mergeAttempt is one merge to try.
type mergeAttempt struct {
	pair       *pair // that the answer is for; its first state is "ours"
	env        string
	attributes string // commit with the .gitattributes files in force
	found      *mergetree.Merge
}

func (a *mergeAttempt) states() []*state { return []*state{a.pair.a, a.pair.b} }

// in is where git runs: its settings count.
func (a *mergeAttempt) in() *state {
	if a.pair.a.tip || a.pair.a.worktree.Commit != "" {
		return a.pair.b
	}
	return a.pair.a
}

func (a *mergeAttempt) commits() (pair [2]string, known bool) {
	pair = [2]string{a.pair.a.Commit, a.pair.b.Commit}
	return pair, pair[0] != "" && pair[1] != ""
}

func (a *mergeAttempt) key(commits [2]string) string { return mergeKey(commits, a.env) }

func mergeKey(commits [2]string, env string) string {
	return commits[0] + " " + commits[1] + " " + env
}

// knownMerge returns the result from this run or the last one.
func (c *comparison) knownMerge(key string) (mergetree.Merge, bool) {
	if m, ok := c.usedMerges[key]; ok {
		return m, true
	}
	m, ok := c.last.Merges[key]
	return m, ok
}

// tryMerges performs attempts. The states concerned are in the store.
func (c *comparison) tryMerges(ctx context.Context, attempts []*mergeAttempt) error {
	if err := c.merge(ctx, attempts); err != nil {
		return err
	}
	for _, a := range attempts {
		a.pair.merge = a.found
	}
	return nil
}

// attempts lists the merges to try: every pair that could conflict.
func (c *comparison) attempts(ctx context.Context) ([]*mergeAttempt, error) {
	var all []*mergeAttempt
	for _, p := range c.pairs {
		if p.mayFail {
			all = append(all, &mergeAttempt{pair: p})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	version, able, err := mergeVersion(ctx)
	if err != nil {
		return nil, err
	}
	if !able {
		c.noMerge = fmt.Sprintf("merge depth needs git 2.%d or later; this is git %s", git.MergeTreeMinor, version)
		return nil, nil
	}
	for _, a := range all {
		digest, err := c.attributesOf(ctx, a)
		if err != nil {
			return nil, err
		}
		a.env = c.env(a.in(), digest, version)
	}
	return all, nil
}

// unknown lists the merges whose result is not known yet: all merges of a state that has no commit yet, and the pairs that were never
// merged.
func (c *comparison) unknown(attempts []*mergeAttempt) []*mergeAttempt {
	var need []*mergeAttempt
	for _, a := range attempts {
		commits, known := a.commits()
		if known {
			_, known = c.knownMerge(a.key(commits))
		}
		if !known {
			need = append(need, a)
		}
	}
	return need
}

// statesOf lists the states of attempts.
func statesOf(attempts []*mergeAttempt) (all []*state) {
	for _, a := range attempts {
		all = append(all, a.states()...)
	}
	return all
}

// merge takes results from the cache, and the others from git: one run for all worktrees whose attributes are the same.
func (c *comparison) merge(ctx context.Context, attempts []*mergeAttempt) error {
	groups := map[string][]*mergeAttempt{}
	for _, a := range attempts {
		commits, _ := a.commits()
		if known, ok := c.knownMerge(a.key(commits)); ok {
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
			commits, _ := a.commits()
			pairs = append(pairs, commits)
		}
		merges, err := store.Merges(ctx, group[0].in().repo, group[0].attributes, pairs)
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

// mergeVersion returns git's version, and whether it can merge without a work tree.
func mergeVersion(ctx context.Context) (v git.Version, able bool, err error) {
	v, err = git.CurrentVersion(ctx)
	return v, v.AtLeast(2, git.MergeTreeMinor), err
}
