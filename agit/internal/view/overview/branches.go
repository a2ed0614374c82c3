package overview

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// BranchStatus is a remote branch with work in flight and without a worktree, as of the last fetch.
type BranchStatus struct {
	Name        string             `json:"branch"` // including the remote's name: origin/copilot/fix
	Head        string             `json:"head"`   // its commit
	Maker       seen.Maker         `json:"maker,omitempty"`
	Distance    distance.Distance  `json:"distance"` // from the default branch
	PullRequest *forge.PullRequest `json:"pull_request,omitempty"`
}

// Origin returns the remote of the branch and the branch's name there.
func (b BranchStatus) Origin() (remote, local string) {
	remote, local, _ = strings.Cut(b.Name, "/")
	return remote, local
}

// branchesOf returns the remote branches of a repository that are in flight, and the time of the last fetch. It does not fetch. For an
// unreadable repository it returns none; its scan reports the reason.
func (s *Store) branchesOf(ctx context.Context, r repo.Repo) (list []BranchStatus, fetched time.Time) {
	if r.Host != registry.Host() {
		return nil, fetched
	}
	g, err := git.Find(r.Path)
	if err != nil {
		return nil, fetched
	}
	branches, err := seen.Branches(ctx, g, s.Conflicts.Parties)
	if err != nil {
		return nil, fetched
	}
	fetched = g.FetchedAt()
	branch, remote := s.Conflicts.HomeOf(r)
	_, target, err := checkout.DefaultBranch(ctx, g, branch, remote)
	if err != nil || target == "" || len(branches) == 0 {
		return nil, fetched
	}
	tips := make([]string, len(branches))
	for i, b := range branches {
		tips[i] = b.Commit
	}
	far, err := s.Meter.Measure(ctx, g, r.UID+"-remotes", target, tips)
	if err != nil {
		return nil, fetched
	}
	for _, b := range branches {
		if d, known := far[b.Commit]; known && d.Ahead > 0 && time.Since(d.Committed.Time) < seen.InFlight {
			one := BranchStatus{Name: b.Name, Head: b.Commit, Distance: d}
			if _, local := one.Origin(); seen.OfBranch(local) != seen.Git {
				one.Maker = seen.OfBranch(local)
			}
			list = append(list, one)
		}
	}
	return list, fetched
}

// pushed is the word for a branch of a remote that no worktree has.
const pushed = "pushed"

// branchesShown returns the remote branches in flight as rows like those of worktrees: with their commits and their merge conflicts.
func (in input) branchesShown(all []Conflict) (shown []Worktree) {
	for _, r := range in.repos {
		for _, b := range in.branches[r.ID] {
			changed, d := 0, b.Distance
			w := Worktree{Ref: b.Name, Name: b.Name, Repo: r.Name, Branch: b.Name, By: worktree.Worktree{Maker: b.Maker}.By(), Maker: b.Maker, Seen: true, Remote: true,
				Since: &d.Committed, Head: b.Head, Ahead: &d.Ahead, Behind: &d.Behind, Changed: &changed, Conflicts: []string{}, Notes: []string{"branch of a remote"}}
			if w.State = pushed; in.scans[r.ID].report != nil {
				for _, t := range in.scans[r.ID].report.Touched {
					if t.Worktree.Ref == b.Name {
						touched := filesOf(t)
						w.Touched = &touched
					}
				}
			}
			for _, c := range all {
				if c.Repo == r.Name && c.Depth == conflict.DepthMerge {
					w.meets(c)
				}
			}
			if len(w.Conflicts) > 0 {
				w.State = stateOf(worktree.Active, w)
			}
			shown = append(shown, w)
		}
	}
	return shown
}

// meets records the other side of a merge conflict.
func (w *Worktree) meets(c Conflict) {
	if !slices.ContainsFunc(c.Sides, func(side Side) bool { return side.Worktree == w.Ref }) {
		return
	}
	for _, other := range c.Sides {
		if with := c.called(other); other.Worktree != w.Ref && !slices.Contains(w.Conflicts, with) {
			w.Conflicts = append(w.Conflicts, with)
		}
	}
}
