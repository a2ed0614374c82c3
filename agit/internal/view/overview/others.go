package overview

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

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
			if p.WorktreeID == 0 && p.Folder == w.Path {
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
	sweep, ok := s.sweeper.Of(t, filepath.Join(commonDir, "worktrees", checkout.EntryOf(w.Path)))
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
