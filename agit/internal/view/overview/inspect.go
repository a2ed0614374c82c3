package overview

import (
	"bytes"
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// WorktreeDetail is what a worktree holds, and what ran in it.
type WorktreeDetail struct {
	Difference Difference `json:"difference"`
	Problem    string     `json:"problem,omitempty"` // why the difference could not be told
	Logs       []LogTail  `json:"logs"`              // the latest of each kind
}

// LogTail is the end of what a run printed.
type LogTail struct {
	Kind  string         `json:"kind"` // work, gate
	Begun timestamp.Time `json:"begun"`
	Open  bool           `json:"open,omitempty"` // it is being written
	Lines []string       `json:"lines"`
}

// logLines is how much of a log is shown; `agit logs` has the rest.
const logLines = 200

// Worktree compares a worktree's files with where it left the default branch, and reads
// the end of its logs. ref names it; a NotFoundError says that there is none.
func (p *Pages) Worktree(ctx context.Context, ref string) (d WorktreeDetail, err error) {
	w, err := p.Worktrees.Get(ctx, "", ref)
	if fault.Is(err, fault.KindNotFound) {
		if found, failed := p.branch(ctx, ref, &d); found || failed != nil {
			return d, failed
		}
	}
	if err != nil {
		return d, err
	}
	r, err := p.Worktrees.Repo(ctx, w.Repo)
	if err != nil {
		return d, err
	}
	if checkout.Gone(w.Path) {
		d.Difference.Files = []DiffFile{}
		d.Problem = folderGone + ": " + w.Path + "; " + obstacle.FolderHint
	} else if d.Difference, err = p.difference(ctx, w, r); err != nil {
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
		d.Problem = fault.From(err).Message
	}
	d.Logs, err = p.logsOf(w)
	return d, err
}

// Logs is the end of the newest logs in a worktree, of each kind that there is.
func (p *Pages) Logs(ctx context.Context, ref string) ([]LogTail, error) {
	w, err := p.Worktrees.Get(ctx, "", ref)
	if err != nil {
		return nil, err
	}
	return p.logsOf(w)
}

func (p *Pages) logsOf(w worktree.Worktree) ([]LogTail, error) {
	logs := []LogTail{}
	for _, kind := range runlog.Kinds() {
		file, err := runlog.Latest(p.Home, w.Ref, kind)
		if err != nil {
			continue // none was written
		}
		open := file.Open() // before reading
		var out bytes.Buffer
		if err := file.Tail(&out, logLines); err != nil {
			return logs, err
		}
		logs = append(logs, LogTail{Kind: string(kind), Begun: timestamp.Of(file.Begun), Open: open, Lines: strings.Split(strings.TrimRight(out.String(), "\n"), "\n")})
	}
	return logs, nil
}

// branch compares a branch of a remote, which no worktree has, with where it left the default branch; found is false where there is none.
func (p *Pages) branch(ctx context.Context, name string, d *WorktreeDetail) (found bool, err error) {
	repos, err := p.Worktrees.Repos(ctx, "")
	if err != nil {
		return false, err
	}
	for _, r := range repos {
		g, err := r.Open()
		if err != nil {
			continue // its own rows say why
		}
		_, tip, err := checkout.FindBranch(ctx, g, "refs/remotes/"+name)
		if err != nil || tip == "" {
			continue
		}
		d.Logs = []LogTail{}
		if d.Difference, err = committedDifference(ctx, g, r.DefaultBranch, p.Worktrees.Settings(r).Remote, tip); err != nil {
			if ctx.Err() != nil {
				return true, ctx.Err()
			}
			d.Problem = fault.From(err).Message
		}
		return true, nil
	}
	return false, nil
}

// difference is what lands of a worktree: what was shown where its work waits for a review, else all that it has.
func (p *Pages) difference(ctx context.Context, w worktree.Worktree, r repo.Repo) (d Difference, err error) {
	d.Files = []DiffFile{}
	shown := ""
	if err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		v, _, err := review.Last(tx, w.ID)
		if v.State == review.Waiting {
			shown = v.Tip
		}
		return err
	}); err != nil {
		return d, err
	}
	main, err := r.Open()
	if err != nil {
		return d, err
	}
	g, err := w.Tree(main)
	if err != nil {
		return d, err
	}
	return difference(ctx, g, r.DefaultBranch, p.Worktrees.Settings(r).Remote, shown)
}

// TaskDetail is a task with its history, and why it is ready or not.
type TaskDetail struct {
	task.Detail
	Why work.Explanation `json:"why"`
}

// Task returns one task.
func (p *Pages) Task(ctx context.Context, id string) (d TaskDetail, err error) {
	if d.Detail, err = p.Tasks.Get(ctx, id); err != nil {
		return d, err
	}
	d.ClaimToken = 0 // whoever has it may change the task
	d.Why, err = p.Tasks.Explain(ctx, id, "")
	return d, err
}

// Bug returns one bug.
func (p *Pages) Bug(ctx context.Context, id string) (graph.Bug, error) { return p.Graph.Bug(ctx, id) }

// Project is one that a page can show.
type Project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Projects are all of them, by name.
func (p *Pages) Projects(ctx context.Context) (all []Project, err error) {
	all = []Project{}
	err = p.DB.Read(ctx, func(tx *registry.Tx) error {
		found, err := project.List(tx)
		for _, one := range found {
			all = append(all, Project{one.UID, one.Name})
		}
		return err
	})
	return all, err
}
