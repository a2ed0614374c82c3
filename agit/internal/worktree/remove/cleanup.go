package remove

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Cleanup selects the worktrees to look through.
type Cleanup struct {
	Repo   string // name or id; "" for every repository on this machine
	By     string // the agent that asks; may be empty
	DryRun bool   // only list
}

// Candidate is a worktree that cleanup would remove, and what became of it.
type Candidate struct {
	Worktree  worktree.Worktree   `json:"worktree"`
	Why       string              `json:"why"`
	Left      bool                `json:"left,omitempty"` // others made it: it is removed only when it is named
	Removed   bool                `json:"removed"`
	Obstacles []obstacle.Obstacle `json:"obstacles,omitempty"` // why it was, or would be, kept
	Error     string              `json:"error,omitempty"`
}

// Cleanup removes the worktrees that are done: merged, their task completed, stale, or without a folder. It proves each removable first,
// and lists those that are not with what stands in the way. It lists worktrees of others with what would be lost, and leaves them: Remove
// takes one by its name.
func (s *Store) Cleanup(ctx context.Context, o Cleanup) (list []Candidate, err error) {
	repos, err := s.Trees.Repos(ctx, o.Repo)
	if err != nil {
		return nil, err
	}
	list = []Candidate{}
	for _, r := range repos {
		if o.Repo == "" && r.Missing() {
			continue // doctor reports it
		}
		g, err := s.Trees.Recovered(ctx, r)
		if err != nil {
			return list, err
		}
		if _, err := s.MarkStale(ctx, r); err != nil {
			return list, err
		}
		found, err := s.candidates(ctx, g, r)
		if err != nil {
			return list, err
		}
		for _, c := range found {
			s.clean(ctx, g, r, o, &c)
			list = append(list, c.Candidate)
		}
		others, err := s.others(ctx, g, r, o)
		if err != nil {
			return list, err
		}
		list = append(list, others...)
	}
	return list, nil
}

// candidate is a Candidate with the status its removal leaves.
type candidate struct {
	Candidate
	after worktree.Status
}

func (s *Store) candidates(ctx context.Context, g *git.Repo, r repo.Repo) (list []candidate, err error) {
	var live []worktree.Worktree
	var tasks map[int64]string // states of the worktrees' tasks
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		if live, err = worktree.List(tx, worktree.Filter{RepoID: r.ID}); err != nil {
			return err
		}
		tasks, err = registry.Map[int64, string](tx, `SELECT w.id, i.state FROM worktrees w JOIN items i ON i.id = w.item_id WHERE w.repo_id = ?`, r.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, w := range live {
		if w.Operation() != "" || w.Foreign() {
			continue
		}
		c := candidate{Candidate{Worktree: w}, worktree.Trashed}
		_, merged, err := s.WasMerged(ctx, g, r, w)
		switch {
		case err != nil:
			return nil, err
		case checkout.Gone(w.Path):
			c.Why = "its folder is not there"
		case merged:
			c.Why, c.after = "its branch is merged", worktree.Completed
		case tasks[w.ID] == "done":
			c.Why = "its task is completed"
		case w.Status == worktree.Stale:
			c.Why = "nothing changed in it for " + s.Trees.Settings(r).StaleAfter.String() + " and no agent is at work"
		default:
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

// others returns the worktrees that others made, without the main checkout, each with what would be lost.
func (s *Store) others(ctx context.Context, g *git.Repo, r repo.Repo, o Cleanup) (list []Candidate, err error) {
	rows, err := s.Trees.List(ctx, r.UID, false)
	if err != nil {
		return nil, err
	}
	all, err := worktree.Join(ctx, g, r, rows)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if !w.Foreign() || w.Marks.Main || w.Marks.Prunable || w.Operation() != "" {
			continue
		}
		c := Candidate{Worktree: w, Why: "made by " + string(w.Maker), Left: true}
		p, err := obstacle.ProveRemovable(ctx, s.Trees, obstacle.Subject{Git: g, Repo: r, Worktree: w}, o.By)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			c.Error = fault.From(err).Error()
		default:
			c.Obstacles = p.Obstacles
		}
		list = append(list, c)
	}
	return list, nil
}

// WasMerged reports whether a worktree's commits, if it has any, are in the
// default branch; tip is the last of them.
func (s *Store) WasMerged(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) (tip string, merged bool, err error) {
	tip, err = g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil || tip == "" || tip == w.Base {
		return tip, false, err
	}
	set := s.Trees.Settings(r)
	targets, err := checkout.DefaultTips(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return tip, false, err
	}
	merged, err = checkout.Landed(ctx, g, tip, targets)
	return tip, merged, err
}

// clean removes one candidate, or notes why not. A failure with one worktree does not stop the others.
func (s *Store) clean(ctx context.Context, g *git.Repo, r repo.Repo, o Cleanup, c *candidate) {
	out, err := s.cleanOne(ctx, g, r, o, c)
	if out.Removed {
		c.Removed, c.Worktree = true, out.Worktree
	}
	if err != nil {
		c.Error = fault.From(err).Error()
	}
}

func (s *Store) cleanOne(ctx context.Context, g *git.Repo, r repo.Repo, o Cleanup, c *candidate) (Removal, error) {
	of := obstacle.Subject{Git: g, Repo: r, Worktree: c.Worktree}
	p, err := obstacle.ProveRemovable(ctx, s.Trees, of, o.By)
	if err != nil {
		return Removal{}, err
	}
	if p.Vanished {
		if o.DryRun {
			return Removal{}, nil
		}
		return s.Forget(ctx, p.Subject)
	}
	c.Obstacles = p.Obstacles
	if len(p.Obstacles) > 0 || o.DryRun {
		return Removal{}, nil
	}
	return s.RemoveProved(ctx, p, Ending{After: c.after, By: o.By})
}
