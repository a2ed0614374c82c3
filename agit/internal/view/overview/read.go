package overview

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// taskRows is how many tasks of each kind are read: more than a screen shows, but a fixed cost for ten thousand tasks.
const taskRows = 100

// rows are the registry's data on some projects at one time.
type rows struct {
	at        time.Time
	repos     []repo.Repo
	elsewhere map[int64]bool // repositories of the projects on other machines
	worktrees []worktree.Worktree
	landings  []land.Landing  // the queue, the returned landings, and the last finished ones
	reviews   []review.Review // waiting reviews
	agents    []agent.Agent
	halted    []halted
	present   []presence.Presence                       // agents here, or with a task of no repository
	questions []question.Question                       // waiting questions, the longest wait first
	told      map[string]int                            // number of waiting messages by agent name
	tasks     []task.Outlook                            // by project
	gone      map[string]bool                           // refs of worktrees whose folders are missing
	branches  map[int64][]BranchStatus                  // remote branches in flight, by repository
	listed    map[int64]map[string]string               // refs of worktrees without a row, by repository and git's name
	trials    map[int64]*trial.Trial                    // the last one of each repository
	found     map[int64]map[conflict.FoundKey]time.Time // when conflicts were first seen, by repository
	mirror    *Sync                                     // sync state of the tracker
}

// read returns the rows of a project, or of all that have a repository on this host.
func (s *Store) read(ctx context.Context, projectID string) (r rows, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		r = rows{at: tx.Now(), found: map[int64]map[conflict.FoundKey]time.Time{}, trials: map[int64]*trial.Trial{}}
		ids, err := r.readRepos(tx, projectID)
		if err != nil {
			return err
		}
		for i := range r.repos {
			r.repos[i].DefaultBranch = s.Conflicts.BranchOf(r.repos[i])
		}
		for _, here := range r.repos {
			one, err := s.readRepo(tx, here)
			if err != nil {
				return err
			}
			landed, err := land.LandedIn(tx, here.ID, landedRows)
			if err != nil {
				return err
			}
			r.worktrees, r.reviews = append(r.worktrees, one.worktrees...), append(r.reviews, one.reviews...)
			r.landings = append(append(r.landings, one.landings...), landed...)
			if r.trials[here.ID], err = trial.Last(tx, here.ID); err != nil {
				return err
			}
			if r.found[here.ID], err = conflict.FoundAt(tx, here.ID); err != nil {
				return err
			}
		}
		for _, id := range ids {
			look, err := task.Look(tx, id, taskRows, s.ReleaseAfter)
			if err != nil {
				return err
			}
			r.tasks = append(r.tasks, look)
		}
		if r.agents, err = agent.List(tx); err != nil {
			return err
		}
		if r.mirror, err = mirror(tx, projectID); err != nil {
			return err
		}
		if r.halted, err = registry.Collect(tx, scanHalted, `SELECT agents.name, h.bugs, h.since FROM halted_agents h
			JOIN agents ON agents.id = h.agent_id WHERE agents.removed_at IS NULL ORDER BY agents.name_key`); err != nil {
			return err
		}
		if r.present, err = presence.List(tx, s.StaleAfter, 0); err != nil {
			return err
		}
		if r.told, err = message.Counts(tx); err != nil {
			return err
		}
		r.questions, err = question.Waiting(tx)
		r.questions = slices.DeleteFunc(r.questions, func(q question.Question) bool { return !slices.Contains(ids, q.ProjectID) })
		return err
	})
	if err == nil {
		r.addOthers(ctx)
		r.gone = map[string]bool{}
		for _, w := range r.worktrees {
			r.gone[w.Ref] = gone(w)
		}
		r.branches = map[int64][]BranchStatus{}
		for _, here := range r.repos {
			r.branches[here.ID], _ = s.branchesOf(ctx, here)
		}
	}
	return r, err
}

// addOthers adds the working trees that agit did not make. Git's names for them are unique only within a repository, so their paths are
// their refs here.
func (r *rows) addOthers(ctx context.Context) {
	rows := r.worktrees
	r.worktrees, r.listed = nil, map[int64]map[string]string{}
	for _, here := range r.repos {
		own := slices.DeleteFunc(slices.Clone(rows), func(w worktree.Worktree) bool { return w.RepoID != here.ID })
		if g, err := here.Open(); err == nil {
			if joined, err := worktree.Join(ctx, g, here, own); err == nil {
				own = joined
			}
		}
		r.listed[here.ID] = map[string]string{}
		for i := range own {
			if w := &own[i]; !w.Row() {
				r.listed[here.ID][w.Ref] = w.Path
				w.Ref = w.Path
			}
		}
		r.worktrees = append(r.worktrees, own...)
	}
}

// ref returns the ref of the worktree with a name in a repository's report.
func (r *rows) ref(repoID int64, called string) string {
	return cmp.Or(r.listed[repoID][called], called)
}

// gone reports whether a worktree's folder was removed or moved by hand. A worktree that is being created or removed need not have a
// folder.
func gone(w worktree.Worktree) bool {
	return w.Row() && w.Status != worktree.Creating && w.Status != worktree.Removing && checkout.Gone(w.Path)
}

// halted is an agent that may not claim tasks until a person resumes it.
type halted struct {
	name  string
	bugs  int
	since timestamp.Time
}

func scanHalted(row registry.Scanner) (h halted, err error) {
	err = row.Scan(&h.name, &h.bugs, &h.since)
	return h, err
}

// readRepos finds the repositories of this host with their projects, or those of the requested project.
func (r *rows) readRepos(tx *registry.Tx, projectID string) (ids []int64, err error) {
	only, err := projectRow(tx, projectID)
	if err != nil {
		return nil, err
	}
	if only != 0 {
		ids = []int64{only}
	}
	all, err := repo.All(tx)
	for _, here := range all {
		if here.Machine != "" || only != 0 && here.ProjectID != only {
			continue
		}
		r.repos = append(r.repos, here)
		if !slices.Contains(ids, here.ProjectID) {
			ids = append(ids, here.ProjectID)
		}
	}
	r.elsewhere = map[int64]bool{}
	for _, one := range all {
		r.elsewhere[one.ID] = one.Machine != "" && slices.Contains(ids, one.ProjectID)
	}
	return ids, err
}

// landedRows is how many finished landings are shown.
const landedRows = 10

// repoRows are the registry's data on the worktrees of one repository. Screens and the status of a repository are made from these rows
// alone.
type repoRows struct {
	worktrees []worktree.Worktree
	landings  []land.Landing  // the queue and the returned landings
	reviews   []review.Review // waiting reviews
}

func (s *Store) readRepo(tx *registry.Tx, here repo.Repo) (r repoRows, err error) {
	err = tx.Together(
		func() (err error) { r.worktrees, err = worktree.List(tx, worktree.Filter{RepoID: here.ID}); return err },
		func() (err error) { r.reviews, err = review.WaitingIn(tx, here.ID); return err },
		func() (err error) {
			if s.Landings != nil {
				r.landings, err = s.Landings.QueueIn(tx, here)
			}
			return err
		},
	)
	return r, err
}
