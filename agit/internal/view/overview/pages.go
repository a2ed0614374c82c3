package overview

import (
	"bytes"
	"context"
	"slices"
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

// Pages answers the queries that only the page makes: a board of tasks, their dependencies, sessions, memories, tickets, records, and
// single items in full. It reads on request, keeps nothing, and is safe for concurrent use.
type Pages struct {
	DB             *registry.DB
	Tasks          *task.Store
	Graph          *graph.Store
	Worktrees      *worktree.Store
	Home           string  // the folder with the logs
	DecayThreshold float64 // above it a memory is archived
}

// scope returns the SQL condition on a column with a project's row id: the project with an id, or "" for all.
func scope(tx *registry.Tx, projectID, column string) (where string, args []any, err error) {
	id, err := projectRow(tx, projectID)
	if id == 0 {
		return `1 = 1`, nil, err
	}
	return column + ` = ?`, []any{id}, err
}

// projectRow returns the row id of a project; 0, which means all projects, for "".
func projectRow(tx *registry.Tx, projectID string) (int64, error) {
	if projectID == "" {
		return 0, nil
	}
	p, err := project.Get(tx, projectID)
	return p.ID, err
}

// Filter selects rows of a long list. Its zero value selects all of them, in the list's own order.
type Filter struct {
	Words  string // all of these must occur in the row's names; case does not matter
	State  string // for tasks: one of TaskWords; for memories: as in Memory, "fading" or "archived"; "" for any
	Epic   string // for tasks and tickets: an id, NoEpic, or "" for any
	Type   string // for memories; "" for any
	Sprint string // for tickets and tasks made from them: its number, NoSprint, or "" for any
	// Assignee applies to tickets and tasks: a person or an agent; "" for any.
	Assignee string
	Span     string // for sessions: a key of spans; otherwise the last day
	Done     bool   // for the graph: include finished tasks if there is room
	Order    string // for memories: "decay", "used" (last used first) or "importance"; otherwise broken ones first
	Most     int    // rows of each list; 0 means mostRows
}

// The number of rows of a list: the default, and the largest that can be requested.
const (
	mostRows = 200
	MostRows = 5000
	NoEpic   = "-" // the Epic of a Filter for tasks without an epic
	NoSprint = "0" // the Sprint of a Filter for tickets without a sprint
)

// limit returns the number of requested rows of a list.
func (f Filter) limit() int { return f.limitOr(mostRows) }

// limitOr is limit for a list with another default.
func (f Filter) limitOr(usual int) int {
	if f.Most <= 0 {
		return usual
	}
	return min(f.Most, MostRows)
}

// finder returns a function that reports whether a row contains all the words.
func (f Filter) finder() func(texts ...string) bool {
	words := strings.Fields(strings.ToLower(f.Words))
	return func(texts ...string) bool {
		if len(words) == 0 {
			return true
		}
		text := strings.ToLower(strings.Join(texts, " "))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}
}

// WorktreeDetail holds a worktree's changes and the logs of its runs.
type WorktreeDetail struct {
	Difference Difference `json:"difference"`
	Problem    string     `json:"problem,omitempty"` // why the difference is missing
	Logs       []LogTail  `json:"logs"`              // the latest of each kind
}

// LogTail is the end of a run's output.
type LogTail struct {
	Kind  string         `json:"kind"` // work, gate
	Begun timestamp.Time `json:"begun"`
	Open  bool           `json:"open,omitempty"` // it is being written
	Lines []string       `json:"lines"`
}

// logLines is how much of a log is shown; `agit logs` has the rest.
const logLines = 200

// Worktree compares a worktree's files with the commit where it left the default branch, and reads the end of its logs. ref names the
// worktree; an unknown one is a NotFoundError.
func (p *Pages) Worktree(ctx context.Context, ref string) (d WorktreeDetail, err error) {
	r, w, err := p.Worktrees.Meant(ctx, "", ref)
	if fault.Is(err, fault.KindNotFound) {
		if found, failed := p.branch(ctx, ref, &d); found || failed != nil {
			return d, failed
		}
	}
	if err != nil {
		return d, err
	}
	if away := r.Here(); away != nil {
		d.Difference.Files = []DiffFile{}
		d.Problem = fault.From(away).Message
	} else if checkout.Gone(w.Path) {
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

// Logs returns the end of the newest log of each kind in a worktree.
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
			continue // there is no such log
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

// branch compares a remote branch without a worktree with the commit where it left the default branch. found is false when there is no
// such branch.
func (p *Pages) branch(ctx context.Context, name string, d *WorktreeDetail) (found bool, err error) {
	repos, err := p.Worktrees.Repos(ctx, "")
	if err != nil {
		return false, err
	}
	for _, r := range repos {
		g, err := r.Open()
		if err != nil {
			continue // its own rows report the reason
		}
		_, tip, err := checkout.FindBranch(ctx, g, "refs/remotes/"+name)
		if err != nil || tip == "" {
			continue
		}
		d.Logs = []LogTail{}
		if d.Difference, err = difference(ctx, g, p.Worktrees.Settings(r), tip, false); err != nil {
			if ctx.Err() != nil {
				return true, ctx.Err()
			}
			d.Problem = fault.From(err).Message
		}
		return true, nil
	}
	return false, nil
}

// difference returns the changes of a worktree that would land: the shown commit for work under review, otherwise everything.
func (p *Pages) difference(ctx context.Context, w worktree.Worktree, r repo.Repo) (d Difference, err error) {
	d.Files = []DiffFile{}
	shown, err := registry.Read(ctx, p.DB, func(tx *registry.Tx) (string, error) {
		v, _, err := review.Last(tx, w.ID)
		if v.State == review.Waiting {
			return v.Tip, err
		}
		return "", err
	})
	if err != nil {
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
	return difference(ctx, g, p.Worktrees.Settings(r), shown, true)
}

// TaskDetail is a task with its history and the reasons why it is or is not ready.
type TaskDetail struct {
	task.Detail
	Why work.Explanation `json:"why"`
}

// Task returns one task.
func (p *Pages) Task(ctx context.Context, id string) (d TaskDetail, err error) {
	if d.Detail, err = p.Tasks.Get(ctx, id); err != nil {
		return d, err
	}
	d.ClaimToken = 0 // whoever holds the token may change the task
	d.Why, err = p.Tasks.Explain(ctx, id, "")
	return d, err
}

// Project is a project that a page can show.
type Project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Projects returns all projects by name.
func (p *Pages) Projects(ctx context.Context) ([]Project, error) {
	found, err := registry.Read(ctx, p.DB, project.List)
	all := make([]Project, len(found))
	for i, one := range found {
		all[i] = Project{one.UID, one.Name}
	}
	return all, err
}
