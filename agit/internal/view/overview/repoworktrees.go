package overview

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// worktreesOf reads the worktrees of a repository with the registry's data on each.
func (s *Store) worktreesOf(tx *registry.Tx, r *RepoStatus) error {
	var rows repoRows
	var requests map[int64]forge.PullRequest
	err := tx.Together(
		func() (err error) { rows, err = s.readRepo(tx, r.Repo); return err },
		func() (err error) {
			r.states, err = presence.List(tx, s.StaleAfter, r.ID)
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
	branch, remote := s.Conflicts.HomeOf(r.Repo)
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
	found, err := s.Meter.Measure(ctx, g, r.UID, target, tips)
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
		dirty[t.Worktree.Ref] = t.Uncommitted
	}
	for i := range r.Worktrees {
		if n, scanned := dirty[r.Worktrees[i].Ref]; scanned {
			r.Worktrees[i].Dirty = &n
		}
	}
}

// addOthers adds the working trees of this machine that agit did not make, with the agents whose clients are in them. It adds none when
// git cannot list them; the scan reports the repository's problem.
func (r *RepoStatus) addOthers(ctx context.Context) {
	if r.Host != registry.Host() {
		return
	}
	g, err := git.Find(r.Path)
	if err != nil {
		return
	}
	rows := make([]worktree.Worktree, len(r.Worktrees))
	for i, w := range r.Worktrees {
		rows[i] = w.Worktree
	}
	joined, err := worktree.Join(ctx, g, r.Repo, rows)
	if err != nil {
		return
	}
	for i, w := range joined {
		if i < len(r.Worktrees) {
			r.Worktrees[i].Worktree = w
			continue
		}
		one := WorktreeStatus{Worktree: w, Name: w.Ref}
		for _, p := range r.states {
			if p.In(w.Path) {
				one.met(p)
			}
		}
		r.Worktrees = append(r.Worktrees, one)
	}
}

// met records an agent in a worktree. Of several agents, the one that needs a person most is shown.
func (w *WorktreeStatus) met(p presence.Presence) {
	if w.State == nil {
		w.State = &p.Shown
	}
	if p.State != presence.Gone && p.Agent != w.Agent {
		w.Here = append(w.Here, p.Agent)
	}
	w.Sessions += p.Sessions
}

// By returns the agent that works in a worktree, otherwise its maker in parentheses.
func (w WorktreeStatus) By() string {
	if w.Agent == "" && len(w.Here) > 0 {
		return text.Few(w.Here)
	}
	return w.Worktree.By()
}

// Notes returns short notes that a list shows beside a worktree's state, most serious first.
func (w WorktreeStatus) Notes() []string { return notes(w.Sessions, w.Sweep, w.Marks) }

func notes(sessions int, sweep string, marks seen.Marks) (all []string) {
	if sessions > 1 {
		all = append(all, strconv.Itoa(sessions)+" sessions in it")
	}
	if sweep != "" {
		all = append(all, sweep)
	}
	return append(all, marks.Words()...)
}

// tellSweeps records the worktrees that hold work and that their maker's own clean-up will soon remove.
func (s *Store) tellSweeps(r *RepoStatus) {
	now := time.Now()
	for i, w := range r.Worktrees {
		if holds := w.Dirty != nil && *w.Dirty > 0 || w.Distance != nil && w.Distance.Ahead > 0; holds {
			r.Worktrees[i].Sweep = s.sweepOf(r.CommonDir, w.Worktree, now)
		}
	}
}

// sweepOf describes what the clean-up of a worktree's maker will soon do to it, as a clause; "" for nothing.
func (s *Store) sweepOf(commonDir string, w worktree.Worktree, now time.Time) string {
	if w.Maker == "" {
		return ""
	}
	t := seen.Tree{Path: w.Path, Maker: w.Maker, Marks: w.Marks}
	sweep, ok := s.Sweeper.Of(t, filepath.Join(commonDir, "worktrees", checkout.EntryOf(w.Path)))
	if !ok || !sweep.Near(now) {
		return ""
	}
	return sweep.Sentence(now)
}

// sweepsOf returns sweepOf for the worktrees of some rows.
func (s *Store) sweepsOf(r rows) func(worktree.Worktree) string {
	return func(w worktree.Worktree) string {
		for _, here := range r.repos {
			if here.ID == w.RepoID {
				return s.sweepOf(here.CommonDir, w, r.at)
			}
		}
		return ""
	}
}

// dropIdleMain removes the main checkout when it is on the default branch without uncommitted changes and without an agent: no one
// works there.
func (r *RepoStatus) dropIdleMain() {
	r.Worktrees = slices.DeleteFunc(r.Worktrees, func(w WorktreeStatus) bool {
		return w.Marks.Main && w.Branch == r.DefaultBranch && (w.Dirty == nil || *w.Dirty == 0) && len(w.Here) == 0
	})
}
