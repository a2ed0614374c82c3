// Package forge opens pull requests for worktrees where a team merges on its forge, and
// follows what becomes of them. It pushes with git and talks to the forge through the
// forge's own program (gh, glab, az), which has the user's login; it holds no token and
// calls no network itself. It alone writes `pull_requests` and
// `pull_handed`.
//
// forge.go has what is kept, remote.go tells which forge a remote is, github.go, gitlab.go
// and azure.go speak to the programs, open.go opens, refresh.go asks how one stands, feedback.go
// what checks and people said of it, and bring.go fetches those of others. A Store is
// safe for concurrent use.
package forge

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is where a pull request is in its life.
type State string

// The states.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // without a merge
)

// Results of checks, reviews and the forge's own merge; "" is nothing yet.
const (
	ChecksPassed  = "passed"
	ChecksFailed  = "failed"
	ChecksRunning = "running"

	ReviewApproved = "approved"
	ReviewChanges  = "changes requested"
	ReviewRequired = "review required"

	MergeReady     = "ready"
	MergeConflicts = "conflicts"
	MergeBehind    = "behind"
	MergeBlocked   = "blocked"
	MergeUnknown   = "unknown" // the forge is still finding out
)

// PullRequest is one row of pull_requests: a pull request, or a merge request, of a worktree's branch, as the forge had it at SeenAt.
type PullRequest struct {
	ID         int64           `json:"-"`
	WorktreeID int64           `json:"-"`
	Worktree   string          `json:"worktree_id"`
	Name       string          `json:"worktree"`
	Repo       string          `json:"repo"`
	Branch     string          `json:"branch"`
	Agent      string          `json:"agent,omitempty"`
	Forge      Kind            `json:"forge"`
	Number     int64           `json:"number"`
	URL        string          `json:"url"`
	Target     string          `json:"base"`
	State      State           `json:"state"`
	Draft      bool            `json:"draft"`
	Checks     string          `json:"checks,omitempty"`
	Review     string          `json:"review,omitempty"`
	Mergeable  string          `json:"mergeable,omitempty"`
	Head       string          `json:"head,omitempty"`         // the commit that the forge has
	Commit     string          `json:"merge_commit,omitempty"` // that merged it
	OpenedAt   timestamp.Time  `json:"opened_at"`
	SeenAt     timestamp.Time  `json:"seen_at"`
	EndedAt    *timestamp.Time `json:"ended_at,omitempty"`

	// Changed is when anything of it last changed, as the forge just returned it; "" where the forge was not asked or has no such time.
	Changed string `json:"-"`

	// Problem is why the forge could not be asked, in a list.
	Problem string `json:"problem,omitempty"`
	// TaskOpen is why its task was not completed although it was merged, or that the worktree has commits that were not merged.
	TaskOpen string `json:"task_open,omitempty"`
}

// Store opens and follows the pull requests of one registry's worktrees.
type Store struct {
	Trees *worktree.Store
	Kind  Kind // of every remote whose host does not tell; "" is none
	// Notice receives what will be pushed where, before the push.
	Notice func(sentence string)
	// Env is the environment of the forge's programs.
	Env []string

	// Accepted ends the review of a worktree that the forge merged, in the transaction that notes the merge; nil does nothing.
	Accepted func(tx *registry.Tx, w worktree.Worktree, commit string) error

	instead func(Kind, remote) program // of the forge's own program, in tests
}

const columns = `p.id, p.worktree_id, w.ref, w.path, r.name, w.branch, COALESCE(a.name, ''), p.forge, p.number, p.url, p.target, p.state, p.draft,
	p.checks, p.review, p.mergeable, p.head_oid, p.merge_oid, p.opened_at, p.seen_at, p.ended_at`

const selection = `SELECT ` + columns + ` FROM pull_requests p JOIN worktrees w ON w.id = p.worktree_id JOIN repos r ON r.id = w.repo_id
	LEFT JOIN agents a ON a.id = w.agent_id `

func scan(row registry.Scanner) (p PullRequest, err error) {
	var path string
	err = row.Scan(&p.ID, &p.WorktreeID, &p.Worktree, &path, &p.Repo, &p.Branch, &p.Agent, &p.Forge, &p.Number, &p.URL, &p.Target, &p.State, &p.Draft,
		&p.Checks, &p.Review, &p.Mergeable, &p.Head, &p.Commit, &p.OpenedAt, &p.SeenAt, &p.EndedAt)
	p.Name = filepath.Base(path)
	return p, err
}

// Of returns the last pull request of each worktree of a repository, 0 for all, by the
// worktree's row id.
func Of(tx *registry.Tx, repoID int64) (map[int64]PullRequest, error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE (? = 0 OR w.repo_id = ?) AND w.`+repo.LiveWorktree+` ORDER BY p.id`, repoID, repoID)
	last := map[int64]PullRequest{}
	for _, p := range all {
		last[p.WorktreeID] = p
	}
	return last, err
}

// last returns the last pull request of a worktree; ErrNoRows when there is none.
func last(tx *registry.Tx, worktreeID int64) (PullRequest, error) {
	return scan(tx.QueryRow(selection+`WHERE p.worktree_id = ? ORDER BY p.id DESC LIMIT 1`, worktreeID))
}

// keep writes the forge's answer about a worktree's pull request, and returns the row.
func (s *Store) keep(ctx context.Context, w worktree.Worktree, said PullRequest, more func(*registry.Tx) error) (p PullRequest, err error) {
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		ended := ""
		if said.State != Open {
			ended = tx.Stamp()
		}
		id, err := tx.Insert(`INSERT INTO pull_requests (uid, worktree_id, forge, number, url, target, state, draft, checks, review, mergeable, head_oid, merge_oid, opened_at, seen_at, ended_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (worktree_id, number) DO UPDATE SET url = excluded.url, target = excluded.target, state = excluded.state, draft = excluded.draft,
			  checks = excluded.checks, review = excluded.review, mergeable = excluded.mergeable, head_oid = excluded.head_oid, merge_oid = excluded.merge_oid,
			  seen_at = excluded.seen_at, ended_at = CASE WHEN excluded.ended_at IS NULL THEN NULL ELSE COALESCE(pull_requests.ended_at, excluded.ended_at) END
			RETURNING id`,
			registry.NewUID(), w.ID, said.Forge, said.Number, said.URL, said.Target, said.State, said.Draft, said.Checks, said.Review, said.Mergeable,
			said.Head, said.Commit, tx.Stamp(), tx.Stamp(), registry.NullIfZero(ended))
		if err != nil {
			return err
		}
		if more != nil {
			if err := more(tx); err != nil {
				return err
			}
		}
		tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
		p, err = scan(tx.QueryRow(selection+`WHERE p.id = ?`, id))
		return err
	})
	p.Changed = said.Changed
	return p, err
}

// Stands describes the state of a pull request in a few words: "pull request #12 waits for checks".
func (p PullRequest) Stands() string {
	waits := "waits to be merged"
	switch {
	case p.State == Merged:
		waits = "was merged"
	case p.State == Closed:
		waits = "was closed without a merge"
	case p.Checks == ChecksFailed:
		waits = "has checks that failed"
	case p.Mergeable == MergeConflicts:
		waits = "conflicts with " + p.Target
	case p.Review == ReviewChanges:
		waits = "has a review that wants changes"
	case p.Checks == ChecksRunning, p.Checks == "" && (p.Mergeable == "" || p.Mergeable == MergeUnknown): // just pushed: the forge has not begun
		waits = "waits for checks"
	case p.Draft:
		waits = "is a draft"
	case p.Review == ReviewRequired:
		waits = "waits for a review"
	}
	return fmt.Sprintf("pull request #%d %s", p.Number, waits)
}
