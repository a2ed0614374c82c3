package trial

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// merge puts all states together, in the order in which they would land, and notes those that do not merge.
func (t *trying) merge(ctx context.Context) error {
	places, err := t.queued(ctx)
	if err != nil {
		return err
	}
	list, err := t.inFlight(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b conflict.State) int { return order(a, b, places) })
	at := t.judgement.Commit
	for _, s := range list {
		p := Party{Name: s.Ref, Branch: s.Branch, Agent: s.Agent, Maker: s.Maker, Main: s.Main, Uncommitted: s.Uncommitted, Waiting: places[s.ID] > 0}
		merged, files, err := t.onto(ctx, at, s.Commit)
		if err != nil {
			return err
		}
		if merged == "" {
			t.out.LeftOut = append(t.out.LeftOut, LeftOut{Party: p, Files: files, With: t.changing(files)})
			continue
		}
		if at, err = t.commit(ctx, merged, at, s.Commit); err != nil {
			return err
		}
		t.parties, t.out.Parties, t.out.Tree = append(t.parties, s), append(t.out.Parties, p), merged
	}
	return nil
}

// inFlight returns the states that have something the default branch lacks.
func (t *trying) inFlight(ctx context.Context) (list []conflict.State, err error) {
	for _, s := range t.states.List {
		if len(s.Files) == 0 || s.Head == "" {
			continue
		}
		there, err := checkout.IsAncestor(ctx, t.g, s.Head, t.judgement.Commit)
		if err != nil {
			return nil, err
		}
		if !there || s.Uncommitted > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

// order compares by the order of landing: the queue first, then agit's worktrees as they were made, then others by name, the main checkout
// last.
func order(a, b conflict.State, places map[int64]int) int {
	rank := func(s conflict.State) int {
		switch {
		case s.ID != 0 && places[s.ID] > 0:
			return 0
		case s.ID != 0:
			return 1
		case s.Main:
			return 3
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(places[a.ID], places[b.ID]), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ref, b.Ref))
}

// changing returns the labels of the parties so far that changed one of the files.
func (t *trying) changing(files []string) (names []string) {
	for _, p := range t.parties {
		if slices.ContainsFunc(p.Files, func(f string) bool { return slices.Contains(files, f) }) {
			names = append(names, Party{Name: p.Ref, Agent: p.Agent, Maker: p.Maker, Main: p.Main}.Label())
		}
	}
	return names
}

// onto merges a commit into another and returns the merged tree, or "" and the files in conflict: none where the two have no commit in common.
func (t *trying) onto(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	o, done, err := t.g.Attributed(ctx, t.states.Git, ours)
	if err != nil {
		return "", nil, err
	}
	defer done()
	o.Config = []string{"core.fsync=none"} // the result is thrown away in a moment
	out, err := t.g.Output(ctx, o, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	records := git.Records(out)
	switch {
	case err == nil && len(records) > 0:
		return records[0], nil, nil
	case git.ExitCode(err) == 1 && len(records) > 1:
		return "", land.ConflictPaths(records[1:], ours, theirs), nil
	case checkout.Unrelated(ctx, t.g, t.states.Git, ours, theirs):
		return "", []string{}, nil
	}
	return "", nil, git.Fault(err, "merge the states of worktrees")
}

// commit makes a commit of a merged tree, for later states to be merged onto. Its name depends only on the states.
func (t *trying) commit(ctx context.Context, tree string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	o := t.states.Git
	o.Env = append(slices.Clone(o.Env), checkout.Committer()...)
	o.Env = append(o.Env, "GIT_AUTHOR_DATE=@0 +0000", "GIT_COMMITTER_DATE=@0 +0000")
	o.Config = []string{"core.fsync=none"}
	o.Stdin = strings.NewReader("Trial\n")
	out, err := t.g.Output(ctx, o, args...)
	if err != nil {
		return "", git.Fault(err, "write the merged states of worktrees")
	}
	return strings.TrimSpace(string(out)), nil
}

// build merges some parties, given by their numbers in order, and returns the commit and its tree; "" when they do not merge without the
// others.
func (t *trying) build(ctx context.Context, set []int) (commit, tree string, err error) {
	commit = t.judgement.Commit
	for _, i := range set {
		merged, _, err := t.onto(ctx, commit, t.parties[i].Commit)
		if err != nil || merged == "" {
			return "", "", err
		}
		if commit, err = t.commit(ctx, merged, commit, t.parties[i].Commit); err != nil {
			return "", "", err
		}
		tree = merged
	}
	return commit, tree, nil
}
