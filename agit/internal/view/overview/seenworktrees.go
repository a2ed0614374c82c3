package overview

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// addSeen adds the working trees of this machine that agit did not make. Where git cannot list them there are none to show: the scan
// reports what is wrong with the repository.
func (r *RepoStatus) addSeen(ctx context.Context) {
	if r.Host != registry.Host() {
		return
	}
	g, err := git.Find(r.Path)
	if err != nil {
		return
	}
	var known []string
	for _, w := range r.Worktrees {
		known = append(known, w.Path)
	}
	trees, err := seen.List(ctx, g, known)
	if err != nil {
		return
	}
	for _, t := range trees {
		r.Worktrees = append(r.Worktrees, WorktreeStatus{Name: filepath.Base(t.Path), Maker: t.Maker, Main: t.Main,
			Worktree: worktree.Worktree{Ref: t.Name, RepoID: r.ID, ProjectID: r.ProjectID, Repo: r.Name, Path: t.Path, Branch: t.Branch, Status: worktree.Active}})
	}
}

// dropIdleMain takes the main checkout out when it is on the default branch with nothing uncommitted: no one works there.
func (r *RepoStatus) dropIdleMain() {
	for i, w := range r.Worktrees {
		if w.Main && w.Branch == r.DefaultBranch && (w.Dirty == nil || *w.Dirty == 0) {
			r.Worktrees = append(r.Worktrees[:i:i], r.Worktrees[i+1:]...)
			return
		}
	}
}

// By is the agent that works in a worktree, else who made it in parentheses.
func (w WorktreeStatus) By() string {
	if w.Agent != "" {
		return w.Agent
	}
	if label := (seen.Tree{Maker: w.Maker, Main: w.Main}).Label(); label != "" {
		return "(" + label + ")"
	}
	return ""
}
