package overview

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// BranchStatus is a branch of a remote that is in flight and that no worktree has, as it was fetched last.
type BranchStatus struct {
	Name        string             `json:"branch"` // with the remote's: origin/copilot/fix
	Maker       seen.Maker         `json:"maker,omitempty"`
	Distance    distance.Distance  `json:"distance"` // from the default branch
	PullRequest *forge.PullRequest `json:"pull_request,omitempty"`
}

// Origin is the remote that has the branch, and the branch's name there.
func (b BranchStatus) Origin() (remote, local string) {
	remote, local, _ = strings.Cut(b.Name, "/")
	return remote, local
}

// addBranches adds the branches of remotes that are in flight, and when the last fetch was. Nothing is fetched.
func (s *Store) addBranches(ctx context.Context, r *RepoStatus) {
	if r.Host != registry.Host() {
		return
	}
	g, err := git.Find(r.Path)
	if err != nil {
		return
	}
	branches, err := seen.Branches(ctx, g, s.conflicts.Parties)
	if err != nil {
		return
	}
	if at := g.FetchedAt(); !at.IsZero() {
		r.FetchedAt = &timestamp.Time{Time: at}
	}
	_, target, err := checkout.DefaultBranch(ctx, g, r.DefaultBranch)
	if err != nil || target == "" || len(branches) == 0 {
		return
	}
	tips := make([]string, len(branches))
	for i, b := range branches {
		tips[i] = b.Commit
	}
	far, err := s.meter.Measure(ctx, g, r.UID+"-remotes", target, tips)
	if err != nil {
		return
	}
	for _, b := range branches {
		if d, known := far[b.Commit]; known && d.Ahead > 0 && time.Since(d.Committed.Time) < seen.InFlight {
			one := BranchStatus{Name: b.Name, Distance: d}
			if _, local := one.Origin(); seen.OfBranch(local) != seen.Git {
				one.Maker = seen.OfBranch(local)
			}
			r.Branches = append(r.Branches, one)
		}
	}
}
