package conflict

import (
	"context"
	"encoding/hex"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
)

// comparison compares states with each other.
type comparison struct {
	*run
	states []*state
	store  *lazyObjects
	past   *ancestry
	whole  bool // commits must have all content, since someone reads them

	changesets map[*state]*changeset
	between    map[[2]string]*changeset // from a common commit to a base
	pairs      []*pair
	both       []*pair // pairs in which both sides changed something
	usesJobs   []*usesJob
	bases      map[string]*knownTree // by commit
	commits    map[string]string     // the commit that made a change, by the question

	usedMerges map[string]mergetree.Merge
	usedHunks  map[string]mergetree.Hunks
	usedUses   map[string][]foundUse
	attributes knownAttributes
	noMerge    string    // why merges cannot be tried
	skipped    []Skipped // worktrees that turned out to be unusable
}

// newComparison prepares the comparison of states. The caller closes its store.
func newComparison(r *run, states []*state) *comparison {
	return &comparison{
		run: r, states: states, store: &lazyObjects{run: r}, between: map[[2]string]*changeset{},
		bases: map[string]*knownTree{}, commits: map[string]string{},
		usedMerges: map[string]mergetree.Merge{}, usedHunks: map[string]mergetree.Hunks{}, usedUses: map[string][]foundUse{},
	}
}

func (c *comparison) report(ctx context.Context) (*Report, error) {
	for _, step := range []func(context.Context) error{c.readStates, c.findPairs, c.findRenames, c.goDeeper, c.findUses} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return c.buildReport(), nil
}

// goDeeper compares lines and tries merges, at the same time. It leaves out what was not asked for and what is known.
func (c *comparison) goDeeper(ctx context.Context) (err error) {
	if !c.options.Depth.AtLeast(DepthLines) {
		return nil
	}
	var attempts []*mergeAttempt
	if c.options.Depth == DepthMerge {
		if attempts, err = c.attempts(ctx); err != nil {
			return err
		}
	}
	unknown := c.unknown(attempts)
	var need []*state
	for _, a := range unknown {
		need = append(need, a.pair.a, a.pair.b)
	}
	for _, j := range c.lineJobs() {
		need = append(need, j.state)
	}
	if err := c.makeCommits(ctx, need); err != nil {
		return err
	}
	if err := c.makeAttributes(ctx, unknown); err != nil {
		return err
	}
	jobs := c.lineJobs() // again: a file may have changed before it was imported
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.compareLines(ctx, jobs) })
	g.Go(func() error { return c.merge(ctx, attempts) })
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
	past, err := newAncestry(ctx, c.common, commits)
	c.past = past
	return err
}

// readStates reads what the states touch. Worktrees that git cannot read are left out, unless it can read none.
func (c *comparison) readStates(ctx context.Context) error {
	err := c.readHistory(ctx)
	if err == nil {
		err = c.findTouches(ctx)
	}
	if err == nil || ctx.Err() != nil || git.IsMissing(err) {
		return err
	}
	var kept []*state
	var skipped []Skipped
	for _, s := range c.states {
		if damage := c.damage(ctx, s); damage != nil {
			skipped = append(skipped, skip(s.worktree, damage))
		} else {
			kept = append(kept, s)
		}
	}
	if len(kept) == len(c.states) || len(kept) == 0 || ctx.Err() != nil {
		return err
	}
	c.states, c.skipped = kept, append(c.skipped, skipped...)
	return c.readStates(ctx)
}

// damage returns why git cannot read the commit or the index of a state.
func (c *comparison) damage(ctx context.Context, s *state) error {
	if err := c.common.Whole(ctx, s.Snap.Commits); err != nil {
		return git.Fault(err, "its commit cannot be read: the repository is damaged")
	}
	_, err := c.staged(ctx, []*state{s})
	return err
}

// env names what merges depend on besides commits: configuration, attributes
// and git itself. Merges of one env go to one run of git. attributes names the .gitattributes files in force.
func (c *comparison) env(s *state, attributes string, version git.Version) string {
	seed := scan.Seed(c.settingsFiles)
	env := version.String() + " " + hex.EncodeToString(seed[:8]) + " " + attributes
	if _, err := os.Lstat(worktreeConfig(s.repo)); err == nil && s.tree != nil {
		env += " " + hex.EncodeToString(s.tree.Seed[:8])
	}
	return env
}

// text reports whether a blob has lines.
func text(b scan.Blob) bool { return b.Mode == 0o100644 || b.Mode == 0o100755 }
