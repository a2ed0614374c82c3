package conflict

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// UsesBetween returns what git would not see in a merge of two commits: what one of them uses and the other removed,
// renamed or changed since their merge base. Refs of a Use are "a" and "b". merges is false when git stops at a conflict,
// or when the commits have no base in common.
func UsesBetween(ctx context.Context, repo *git.Repo, a, b string) (found []Use, merges bool, err error) {
	r := &run{repo: Repo{CommonDir: repo.CommonDir}, common: repo, last: newCache(), options: Options{Depth: DepthMerge}}
	c := newComparison(r, nil)
	defer c.store.close()
	base, err := repo.Run(ctx, "merge-base", a, b)
	if err != nil {
		return nil, false, nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return nil, false, err
	}
	tried, err := store.Merges(ctx, repo, a, [][2]string{{a, b}})
	if err != nil || !tried[0].Clean {
		return nil, false, err
	}
	diffs, err := mergetree.Diffs(ctx, repo, nil, [][2]string{{base, a}, {base, b}}, true)
	if err != nil {
		return nil, false, err
	}
	p := &pair{bases: strings.Fields(base)}
	p.a, p.b = committedState("a", base, a, diffs[0]), committedState("b", base, b, diffs[1])
	sides, err := c.sides(ctx, []*state{p.a, p.b})
	if err != nil {
		return nil, false, err
	}
	job := &usesJob{pair: p}
	if err := c.judge(ctx, job, sides); err != nil {
		return nil, false, err
	}
	for _, u := range job.found {
		found = append(found, u.use(p.sidesOf(u.Finding)))
	}
	return found, true, nil
}

// committedState is a commit as a state, as if it were the tip of a branch that left at base.
func committedState(name, base, commit string, diffs []mergetree.Diff) *state {
	s := &state{tip: true, worktree: Worktree{Ref: name}}
	s.Base, s.Commit, s.Entries = base, commit, map[string]*entry{}
	for _, d := range diffs {
		e := &entry{Path: d.Path, Base: d.From, Head: d.To, Now: d.To, From: d.OldPath}
		if d.OldPath != "" {
			s.Entries[d.OldPath] = &entry{Path: d.OldPath, Base: d.From, To: d.Path}
			e.Base.Mode, e.Base.OID = 0, ""
		}
		s.Entries[d.Path] = e
	}
	return s
}
