// Package review keeps finished work that waits for a person: what an agent shows, and whether it is accepted or returned, with the
// words that its next brief holds. It alone writes `reviews`.
//
// While a review waits, its task stays in progress and its agent's: no silence makes it another's, and no agent is offered it
// (shared/work, "in_review"). Accepting lands the worktree through land; returning leaves everything as the agent left it. A review of
// a worktree that was merged or removed meanwhile waits no longer, whoever did that.
//
// review.go has the row and the questions, decide.go asks for a review and decides one, tries.go chooses among several tries of a task,
// outcome.go tells what became of work lately, diff.go shows what a worktree changes. A Store is safe for concurrent use.
package review

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is the state of a review.
type State string

// The states. A review that was neither accepted nor returned, and whose worktree has no folder any more, is withdrawn.
const (
	Waiting   State = "waiting"
	Accepted  State = "accepted"
	Returned  State = "returned"
	Withdrawn State = "withdrawn"
)

// Review is work that an agent shows, and the decision on it.
type Review struct {
	ID         int64           `json:"-"`
	Worktree   string          `json:"worktree_id"`
	WorktreeID int64           `json:"-"`
	Repo       string          `json:"repo"`
	Machine    string          `json:"machine,omitempty"` // the worktree's machine, when it is not this one
	ProjectID  int64           `json:"-"`
	Branch     string          `json:"branch"`
	Path       string          `json:"path"`
	Agent      string          `json:"agent,omitempty"`
	AgentID    int64           `json:"-"`
	TaskID     string          `json:"task_id,omitempty"`
	Task       string          `json:"task,omitempty"`
	ItemID     int64           `json:"-"`
	State      State           `json:"state"`
	Tip        string          `json:"commit"`           // what was shown
	Onto       string          `json:"onto,omitempty"`   // the default branch's commit that it was tried on
	Merged     string          `json:"merged,omitempty"` // the commit that landed it
	Summary    string          `json:"summary,omitempty"`
	Doubt      string          `json:"doubt,omitempty"` // why it did not land by itself, where a person must look at something else than the work
	Gate       string          `json:"gate,omitempty"`  // "passed", "failed" when it was to be accepted; "" where none ran
	GateLog    string          `json:"gate_log,omitempty"`
	Files      int             `json:"files_changed"`
	Insertions int             `json:"insertions"`
	Deletions  int             `json:"deletions"`
	Pull       string          `json:"pull_request,omitempty"`     // how its pull request stands that is open, as "pull request #12 waits for checks"
	Conflicts  []string        `json:"conflicts,omitempty"`        // files that would conflict with the default branch by now
	Settings   []string        `json:"settings_changed,omitempty"` // the project's settings files that it changes
	Amended    bool            `json:"amended,omitempty"`          // its branch no longer has the commit that was shown
	AskedAt    timestamp.Time  `json:"asked_at"`
	DecidedAt  *timestamp.Time `json:"decided_at,omitempty"`
	By         string          `json:"decided_by,omitempty"`
	Why        string          `json:"why,omitempty"`
	Cost       *costs.Sum      `json:"cost,omitempty"`      // of its task, with all attempts
	Discarded  []Discarded     `json:"discarded,omitempty"` // other tries of its task, once it is accepted
}

// Outdates reports whether a landing was returned before the waiting work was shown: then only the review needs attention. A nil review
// outdates none.
func (v *Review) Outdates(l land.Landing) bool {
	if v == nil || v.Worktree != l.Worktree || l.State != land.Returned || l.FinishedAt == nil {
		return false
	}
	return v.Tip != l.Tip || v.AskedAt.After(l.FinishedAt.Time)
}

// Store keeps the reviews of one registry.
type Store struct {
	DB       *registry.DB
	Trees    *worktree.Store
	Tasks    *task.Store
	Landings *land.Store
	// Conflicts finds what would conflict by now; nil leaves that out.
	Conflicts *conflict.Store
	// Costs finds what work cost; nil leaves that out.
	Costs *costs.Store
}

const selection = `SELECT v.id, w.ref, w.id, r.name, r.host, v.project_id, w.branch, w.path, COALESCE(a.name, ''), COALESCE(a.id, 0),
	COALESCE(i.ref, ''), COALESCE(i.title, ti.title, w.task_text), COALESCE(v.item_id, 0),
	CASE WHEN v.state = 'waiting' AND w.status = 'completed' THEN 'accepted' WHEN v.state = 'waiting' AND w.status = 'trashed' THEN 'withdrawn' ELSE v.state END,
	v.tip_oid, v.onto_oid, v.merged_oid, v.summary, v.gate, v.gate_log, v.files, v.insertions, v.deletions, v.asked_at, v.decided_at, v.decided_by, v.why
	FROM reviews v JOIN worktrees w ON w.id = v.worktree_id JOIN repos r ON r.id = w.repo_id
	LEFT JOIN agents a ON a.id = COALESCE(w.agent_id, v.agent_id) LEFT JOIN items i ON i.id = v.item_id
	LEFT JOIN tries t ON t.worktree_id = w.id LEFT JOIN items ti ON ti.id = t.item_id `

func scan(row registry.Scanner) (v Review, err error) {
	err = row.Scan(&v.ID, &v.Worktree, &v.WorktreeID, &v.Repo, &v.Machine, &v.ProjectID, &v.Branch, &v.Path,
		&v.Agent, &v.AgentID, &v.TaskID, &v.Task, &v.ItemID, &v.State,
		&v.Tip, &v.Onto, &v.Merged, &v.Summary, &v.Gate, &v.GateLog, &v.Files, &v.Insertions, &v.Deletions, &v.AskedAt, &v.DecidedAt, &v.By, &v.Why)
	v.Doubt, v.Summary = cutDoubt(v.Summary)
	if v.Machine == registry.Host() {
		v.Machine = ""
	}
	return v, err
}

// Last returns the newest review of a worktree; ok is false when there was none.
func Last(tx *registry.Tx, worktreeID int64) (v Review, ok bool, err error) {
	return one(tx, `WHERE v.worktree_id = ?`, worktreeID)
}

// LastFor returns the newest review of an item's work in a worktree, else of its work anywhere; ok is false when there was none. A try that
// does not lead has a review without an item.
func LastFor(tx *registry.Tx, worktreeID, itemID int64) (v Review, ok bool, err error) {
	return one(tx, `WHERE v.id = (SELECT id FROM reviews WHERE item_id = ? OR worktree_id = ? AND item_id IS NULL
		ORDER BY CASE WHEN worktree_id = ? THEN 0 ELSE 1 END, id DESC LIMIT 1)`, itemID, worktreeID, worktreeID)
}

func one(tx *registry.Tx, where string, args ...any) (v Review, ok bool, err error) {
	v, err = scan(tx.QueryRow(selection+where+` ORDER BY v.id DESC LIMIT 1`, args...))
	ok, err = registry.Found(err)
	return v, ok, err
}

// WaitingIn returns the reviews that wait in a repository, the oldest first.
func WaitingIn(tx *registry.Tx, repoID int64) ([]Review, error) {
	list, err := registry.Collect(tx, scan, selection+`WHERE v.state = 'waiting' AND w.repo_id = ? AND w.`+repo.LiveWorktree+` ORDER BY v.id`, repoID)
	if err != nil || len(list) == 0 {
		return list, err
	}
	pulls, err := forge.Of(tx, repoID)
	for i := range list {
		if p, has := pulls[list[i].WorktreeID]; has && p.State == forge.Open {
			list[i].Pull = p.Stands()
		}
	}
	return list, err
}

// Get returns the newest review of a worktree, by whatever names it, with the settings that the waiting work changes; a NotFound fault when
// there is none.
func (s *Store) Get(ctx context.Context, repoName, ref string) (v Review, err error) {
	var w worktree.Worktree
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		v, w, err = s.get(tx, repoName, ref)
		return err
	})
	if err != nil || v.State != Waiting {
		return v, err
	}
	r, err := s.repoOf(ctx, w)
	if err != nil {
		return v, err
	}
	all := []Review{v}
	err = s.addGit(ctx, r, all)
	return all[0], err
}

// addGit adds to each waiting review of a repository whether its commit was amended since, and the settings of the project that it changes:
// those that judge later landings, and those that run on people's machines. A later landing refuses settings that git cannot compare.
func (s *Store) addGit(ctx context.Context, r repo.Repo, waiting []Review) error {
	if !slices.ContainsFunc(waiting, func(v Review) bool { return v.Repo == r.Name }) {
		return nil
	}
	g, err := r.Open()
	if err != nil {
		return nil // doctor reports it
	}
	set := s.Trees.Settings(r)
	_, target, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil || target == "" {
		return ctx.Err()
	}
	for i := range waiting {
		v := &waiting[i]
		if v.Repo != r.Name || v.Tip == "" {
			continue
		}
		if now, err := g.Resolve(ctx, "refs/heads/"+v.Branch); err == nil && now != "" && now != v.Tip {
			has, err := checkout.IsAncestor(ctx, g, v.Tip, now)
			v.Amended = err == nil && !has
		}
		base, err := g.Run(ctx, "merge-base", target, v.Tip)
		if err == nil {
			v.Settings, err = worktree.ChangedSettings(ctx, g, base, v.Tip)
		}
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
