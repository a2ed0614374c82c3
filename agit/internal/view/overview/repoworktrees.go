package overview

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// worktreesOf reads the worktrees of a repository with the registry's data on each.
func (s *Store) worktreesOf(tx *registry.Tx, r *RepoStatus) error {
	var rows repoRows
	var requests map[int64]forge.PullRequest
	err := tx.Together(
		func() (err error) { rows, err = s.readRepo(tx, r.Repo); return err },
		func() (err error) {
			r.states, err = presence.List(tx, s.staleAfter, presence.Filter{RepoID: r.ID})
			return err
		},
		func() (err error) { requests, err = forge.Of(tx, r.ID); return err },
	)
	if err != nil {
		return err
	}
	r.Worktrees = make([]WorktreeStatus, len(rows.worktrees))
	at := map[int64]*WorktreeStatus{}
	for i, w := range rows.worktrees {
		r.Worktrees[i] = WorktreeStatus{Worktree: w, Name: filepath.Base(w.Path)}
		at[w.ID] = &r.Worktrees[i]
	}
	for _, p := range r.states {
		if w := at[p.WorktreeID]; w != nil {
			w.met(p)
		}
	}
	r.Landings = append([]land.Landing{}, rows.landings...)
	for _, l := range r.Landings {
		if w := at[l.WorktreeID]; w != nil && w.Landing == nil {
			w.Landing = &l
		}
	}
	for _, v := range rows.reviews {
		if w := at[v.WorktreeID]; w != nil {
			w.Review = &v
		}
	}
	for id, p := range requests {
		if w := at[id]; w != nil {
			w.PullRequest = &p
		}
	}
	return nil
}

// measure adds the distances of this machine's worktrees from the default branch. They stay unknown when git fails.
func (s *Store) measure(ctx context.Context, r *RepoStatus) {
	if r.Host != registry.Host() || len(r.Worktrees) == 0 {
		return
	}
	for i, w := range r.Worktrees {
		r.Worktrees[i].Missing = gone(w.Worktree)
	}
	g, err := git.Find(r.Path)
	if err != nil {
		return
	}
	branch, remote := s.conflicts.HomeOf(r.Repo)
	_, target, err := checkout.DefaultBranch(ctx, g, branch, remote)
	if err != nil || target == "" {
		return
	}
	heads := make([]string, len(r.Worktrees))
	var tips []string
	for i, w := range r.Worktrees {
		tree, err := w.Tree(g)
		if err != nil {
			continue
		}
		if head, err := tree.Head(ctx); err == nil && head.OID != "" {
			heads[i] = head.OID
			tips = append(tips, head.OID)
		}
	}
	if len(tips) == 0 {
		return
	}
	found, err := s.meter.Measure(ctx, g, r.UID, target, tips)
	if err != nil {
		return
	}
	for i := range r.Worktrees {
		if d, known := found[heads[i]]; known {
			r.Worktrees[i].Distance = &d
		}
	}
}

// countDirty counts the uncommitted changes that a scan saw.
func (r *RepoStatus) countDirty() {
	dirty := map[string]int{}
	for _, t := range r.Conflicts.Touched {
		_, dirty[t.Worktree.Ref] = filesOf(t)
	}
	for i := range r.Worktrees {
		if n, scanned := dirty[r.Worktrees[i].Ref]; scanned {
			r.Worktrees[i].Dirty = &n
		}
	}
}
