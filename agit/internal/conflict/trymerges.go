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
}

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
			_, known = c.knownMerge(mergeKey(commits, a.env))
		}
		if !known {
			need = append(need, a)
		}
	}
	return need
}

// merge finds the results of attempts. The states concerned are in the store.
func (c *comparison) merge(ctx context.Context, attempts []*mergeAttempt) error {
	groups := map[string][]*mergeAttempt{}
	for _, a := range attempts {
		groups[a.env] = append(groups[a.env], a)
	}
	for env, group := range groups {
		pairs := make([][2]string, len(group))
		for i, a := range group {
			pairs[i], _ = a.commits()
		}
		merges, err := c.merges(ctx, env, pairs, func(i int) (*git.Repo, string) { return group[i].in().repo, group[i].attributes })
		if err != nil {
			return err
		}
		for i, a := range group {
			a.pair.merge = &merges[i]
		}
	}
	return nil
}

// merges returns the results of merging pairs of commits in one env: what is known, and the others from one run of git. of returns where
// git runs for a pair, and the commit with the .gitattributes files in force.
func (c *comparison) merges(ctx context.Context, env string, pairs [][2]string, of func(int) (*git.Repo, string)) ([]mergetree.Merge, error) {
	all := make([]mergetree.Merge, len(pairs))
	var ask [][2]string
	var whose []int
	for i, pair := range pairs {
		known, ok := c.knownMerge(mergeKey(pair, env))
		if !ok {
			ask, whose = append(ask, pair), append(whose, i)
			continue
		}
		all[i], c.usedMerges[mergeKey(pair, env)] = known, known
	}
	if len(ask) == 0 {
		return all, nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return nil, err
	}
	in, attributes := of(whose[0])
	found, err := store.Merges(ctx, in, attributes, ask)
	if err != nil {
		return nil, err
	}
	for n, i := range whose {
		all[i] = found[n]
		if found[n].Failed == "" {
			c.usedMerges[mergeKey(ask[n], env)] = found[n]
		}
	}
	return all, nil
}

// mergeVersion returns git's version, and whether it can merge without a work tree.
func mergeVersion(ctx context.Context) (v git.Version, able bool, err error) {
	v, err = git.CurrentVersion(ctx)
	return v, v.AtLeast(2, git.MergeTreeMinor), err
}
