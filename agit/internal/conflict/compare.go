package conflict

import (
	"context"
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/conflict/trial"
	"github.com/agit-suite/agit/shared/git"
)

// comparison holds states against each other.
type comparison struct {
	*run
	states []*state
	store  *lazyStore
	past   *history

	layers  map[*state]*layer
	between map[[2]string]*layer // from a common commit to a base
	pairs   []*pair
	hunks   map[string]hunkSet

	usedMerges map[string]trial.Merge
	usedHunks  map[string]trial.Hunks
	defaults   []DefaultMerge
	noMerge    string    // why merges cannot be tried
	skipped    []Skipped // worktrees that turned out to be unusable
}

// pair is two states that may be in each other's way.
type pair struct {
	a, b    *state
	bases   []string
	va, vb  view
	shared  []string // paths both touch
	mayFail bool     // a merge could conflict
	merge   *trial.Merge
}

func (c *comparison) close() {
	if c.store != nil {
		c.store.close()
	}
}

func (c *comparison) report(ctx context.Context) (*Report, error) {
	c.store = &lazyStore{run: c.run}
	c.usedMerges, c.usedHunks = map[string]trial.Merge{}, map[string]trial.Hunks{}
	for _, step := range []func(context.Context) error{c.readHistory, c.composeAll, c.findPairs, c.findRenames, c.goDeeper} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return c.build(), nil
}

// goDeeper compares lines and tries merges, at the same time, as far as they are
// asked for and not known.
func (c *comparison) goDeeper(ctx context.Context) (err error) {
	if !c.options.Depth.AtLeast(DepthLines) {
		return nil
	}
	var attempts []*attempt
	if c.options.Depth == DepthMerge {
		if attempts, err = c.attempts(ctx); err != nil {
			return err
		}
	}
	need := c.unknown(attempts)
	for _, j := range c.lineJobs() {
		need = append(need, j.state)
	}
	if err := c.materialise(ctx, need); err != nil {
		return err
	}
	jobs := c.lineJobs() // again: a file may have changed before it was taken up
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.compareLines(ctx, jobs) })
	g.Go(func() error { return c.tryMerges(ctx, attempts) })
	return g.Wait()
}

func (c *comparison) readHistory(ctx context.Context) error {
	var commits []string
	if c.target != "" {
		commits = append(commits, c.target)
	}
	for _, s := range c.states {
		commits = append(commits, s.Snap.Commits...)
	}
	var err error
	if c.past, err = newHistory(ctx, c.common, commits); err == nil {
		return nil
	}
	// A commit may be missing: the worktrees that are at one are left out.
	kept := c.states[:0:0]
	for _, s := range c.states {
		args := append([]string{"rev-parse", "--quiet", "--verify", "--end-of-options"}, "")
		broken := false
		for _, commit := range s.Snap.Commits {
			args[len(args)-1] = commit + "^{tree}"
			_, missing := c.common.Run(ctx, args...)
			broken = broken || missing != nil
		}
		if broken {
			c.skipped = append(c.skipped, Skipped{ID: s.worktree.Ref, Reason: "its commit cannot be read: the repository is damaged"})
			continue
		}
		kept = append(kept, s)
	}
	if len(kept) == len(c.states) || ctx.Err() != nil {
		return err
	}
	c.states = kept
	return c.readHistory(ctx)
}

// composeAll works out what each state that changed touches.
func (c *comparison) composeAll(ctx context.Context) error {
	var fresh []*state
	for _, s := range c.states {
		if s.Entries != nil || s.reused {
			continue
		}
		fresh = append(fresh, s)
		if err := c.findBase(s); err != nil {
			return err
		}
	}
	committed, err := c.committed(ctx, fresh)
	if err != nil {
		return err
	}
	staged, err := c.staged(ctx, fresh)
	if err != nil {
		return err
	}
	for i, s := range fresh {
		s.compose(committed[i], staged[i])
		if !s.dirty() {
			s.Commit = s.Snap.Commits[0]
		}
		s.Renamed = !s.mayRename()
	}
	c.layers = map[*state]*layer{}
	for _, s := range c.states {
		c.layers[s] = ownLayer(s.Entries)
	}
	return nil
}

// findBase takes the merge base with the default branch. Where there is none,
// only what is not committed counts.
func (c *comparison) findBase(s *state) error {
	if len(s.Snap.Commits) == 0 {
		return nil
	}
	s.Base = s.Snap.Commits[0]
	if c.target == "" {
		return nil
	}
	bases, err := c.past.bases(s.Snap.Commits, []string{c.target})
	if err == nil && len(bases) > 0 {
		s.Base = bases[0]
	}
	return err
}

// committed compares bases with heads.
func (c *comparison) committed(ctx context.Context, states []*state) ([][]trial.Diff, error) {
	all := make([][]trial.Diff, len(states))
	var ask [][2]string
	var whose []int
	for i, s := range states {
		if s.Base != "" && s.Base != s.Snap.Commits[0] {
			ask = append(ask, [2]string{s.Base, s.Snap.Commits[0]})
			whose = append(whose, i)
		}
	}
	diffs, err := trial.Diffs(ctx, c.common, nil, ask, false)
	for k, i := range whose {
		if err == nil {
			all[i] = diffs[k]
		}
	}
	return all, err
}

// staged compares heads with indexes, asking git only about those that git
// itself does not know to be equal.
func (c *comparison) staged(ctx context.Context, states []*state) ([][]trial.Diff, error) {
	heads := map[string]string{}
	for _, s := range states {
		if len(s.Snap.Commits) > 0 && s.Snap.Tree != "" {
			heads[s.Snap.Commits[0]] = ""
		}
	}
	if err := c.trees(ctx, heads); err != nil {
		return nil, err
	}
	all := make([][]trial.Diff, len(states))
	err := c.each(ctx, len(states), func(ctx context.Context, i int) (err error) {
		s, head := states[i], ""
		if len(s.Snap.Commits) > 0 {
			head = s.Snap.Commits[0]
		}
		if s.Snap.Tree != "" && s.Snap.Tree == heads[head] {
			return nil
		}
		settings, err := c.loadSettings(ctx)
		if err == nil {
			all[i], err = trial.IndexDiff(ctx, s.repo, head, settings.Hash)
		}
		return err
	})
	return all, err
}

// trees fills in the tree of each commit.
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

// findRenames looks for files that moved, which takes commits of the states.
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
	if err := c.materialise(ctx, ask); err != nil {
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
	diffs, err := trial.Diffs(ctx, c.common, store, pairs, true)
	if err != nil {
		return err
	}
	for i, s := range ask {
		s.applyRenames(diffs[i])
	}
	return nil
}

// materialise makes commits of states in this run's store, where they are not
// there yet.
func (c *comparison) materialise(ctx context.Context, states []*state) error {
	var todo []*state
	var commits []trial.Commit
	for _, s := range states {
		if s.imported {
			continue
		}
		if s.imported = true; !s.dirty() {
			s.Commit = s.Snap.Commits[0]
			continue
		}
		todo = append(todo, s)
	}
	if len(todo) == 0 {
		return nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return err
	}
	for _, s := range todo {
		if err := s.clean(ctx, store); err != nil {
			return err
		}
		commits = append(commits, s.toCommit())
	}
	oids, moved, err := store.Import(ctx, commits)
	if err != nil {
		return err
	}
	for i, s := range todo {
		s.Commit = oids[i]
		if len(moved) > 0 {
			s.moved(moved)
		}
	}
	return nil
}

// env names what merges depend on besides commits: configuration, attributes
// outside the work trees, and git itself. Merges of one env go to one run of git.
func (c *comparison) env(s *state, version git.Version) string {
	seed := scan.Seed(c.settingsFiles)
	env := version.String() + " " + hex.EncodeToString(seed[:8]) + " " + s.Snap.Attributes
	if _, err := os.Lstat(worktreeConfig(s.repo)); err == nil {
		env += " " + hex.EncodeToString(s.tree.Seed[:8])
	}
	return env
}

// text says whether a blob has lines.
func text(b scan.Blob) bool { return b.Mode == 0o100644 || b.Mode == 0o100755 }
