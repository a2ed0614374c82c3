package land

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is the progress of a landing.
type State string

// The states. Of the landings with a gate, one is running in a repository, and the others are queued behind it.
const (
	Queued    State = "queued"
	Running   State = "running"
	Landed    State = "landed"
	Returned  State = "returned"  // refused; the branch was not moved
	Cancelled State = "cancelled" // by the agent or person that asked
)

// Over reports whether a landing in this state has ended.
func (s State) Over() bool { return s != Queued && s != Running }

// Results of a gate.
const (
	GateRunning = "running"
	GatePassed  = "passed"
	GateFailed  = "failed"
)

// Landing is one row of landings: a request to land, and its result.
type Landing struct {
	ID           int64           `json:"landing"` // they ask in this order
	WorktreeID   int64           `json:"-"`
	ProjectID    int64           `json:"-"`
	Repo         string          `json:"repo"`
	Worktree     string          `json:"worktree_id"`
	Branch       string          `json:"branch"`
	Task         string          `json:"task,omitempty"`
	Agent        string          `json:"agent,omitempty"` // that asked
	State        State           `json:"state"`
	Position     int             `json:"position,omitempty"` // in the queue; 1 is the one that is running
	Strategy     Strategy        `json:"strategy"`
	Target       string          `json:"into"`
	TargetCommit string          `json:"into_commit,omitempty"` // the target's commit that it was last built on
	Tip          string          `json:"tip"`                   // the commit that was asked to land
	Commit       string          `json:"commit,omitempty"`      // what the branch was moved to
	TestedTree   string          `json:"tested_tree,omitempty"`
	Gate         []string        `json:"gate,omitempty"`
	GateSkipped  string          `json:"gate_skipped,omitempty"` // what was left out because a person wanted it
	GateResult   string          `json:"gate_result,omitempty"`  // running, passed or failed
	GateAt       *timestamp.Time `json:"gate_at,omitempty"`      // when it began, the last time
	Log          string          `json:"log,omitempty"`          // file with what the gate printed
	Rounds       int             `json:"rounds,omitempty"`       // how often it was built: once more each time the branch moved first
	Reason       string          `json:"reason,omitempty"`       // why it was returned or cancelled
	PID          int64           `json:"pid,omitempty"`
	AskedAt      timestamp.Time  `json:"asked_at"`
	StartedAt    *timestamp.Time `json:"started_at,omitempty"`
	FinishedAt   *timestamp.Time `json:"finished_at,omitempty"`

	repoID   int64
	host     string
	process  string
	message  string
	keepTask bool
	identity string // who writes the commit
	gateKey  string
	batch    int64 // the landing whose process lands this one
	outcome  string
}

const landingSelection = `SELECT l.id, l.worktree_id, l.project_id, l.repo_id, r.name, w.ref, w.branch, COALESCE(i.title, w.task_text), COALESCE(a.name, ''),
	l.state, l.strategy, l.target, l.target_oid, l.tip_oid, l.commit_oid, l.tested_tree, l.gate, l.gate_skipped, l.gate_result, l.gate_at, l.log, l.rounds, l.reason,
	l.host, l.pid, l.process, l.message, l.keep_task, l.identity, l.gate_key, l.batch, l.outcome, l.asked_at, l.started_at, l.finished_at
	FROM landings l JOIN repos r ON r.id = l.repo_id JOIN worktrees w ON w.id = l.worktree_id
	LEFT JOIN agents a ON a.id = l.agent_id LEFT JOIN items i ON i.id = w.item_id `

func scanLanding(row registry.Scanner) (l Landing, err error) {
	var gate string
	err = row.Scan(&l.ID, &l.WorktreeID, &l.ProjectID, &l.repoID, &l.Repo, &l.Worktree, &l.Branch, &l.Task, &l.Agent,
		&l.State, &l.Strategy, &l.Target, &l.TargetCommit, &l.Tip, &l.Commit, &l.TestedTree, &gate, &l.GateSkipped, &l.GateResult, &l.GateAt, &l.Log, &l.Rounds, &l.Reason,
		&l.host, &l.PID, &l.process, &l.message, &l.keepTask, &l.identity, &l.gateKey, &l.batch, &l.outcome, &l.AskedAt, &l.StartedAt, &l.FinishedAt)
	if err != nil || gate == "" {
		return l, err
	}
	return l, json.Unmarshal([]byte(gate), &l.Gate)
}

// underWay returns the landings of a repository that are not over, in the order they asked.
func underWay(tx *registry.Tx, repoID int64) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE l.repo_id = ? AND l.state IN ('queued', 'running') ORDER BY l.id`, repoID)
}

// Queue returns the landings of a repository that are not over, in the order they will land. Then follows the newest landing of each
// worktree that was returned or cancelled and has not asked again. repoName "" is every repository of this machine. A landing whose process
// is gone is shown as returned: the next landing takes it off the queue.
func (s *Store) Queue(ctx context.Context, repoName string) ([]Landing, error) {
	repos, err := s.Trees.Repos(ctx, repoName)
	if err != nil {
		return nil, err
	}
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (list []Landing, err error) {
		for _, r := range repos {
			some, err := s.QueueIn(tx, r)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
		return list, nil
	})
}

// QueueIn is Queue of one repository inside a transaction of the caller's.
func (s *Store) QueueIn(tx *registry.Tx, r repo.Repo) (list []Landing, err error) {
	var active, over []Landing
	err = tx.Together(
		func() (err error) { active, err = underWay(tx, r.ID); return err },
		func() (err error) { over, err = LastReturned(tx, r.ID); return err },
	)
	if err != nil {
		return nil, err
	}
	var gone []Landing
	position := 0
	for _, l := range active {
		if s.abandoned(l) {
			l.Reason = abandonedReason
			if l.State == Running { // the branch may have moved
				l.Reason = cutOffReason
			}
			l.State = Returned
			gone = append(gone, l)
			continue
		}
		if len(l.Gate) > 0 {
			position++
			l.Position = position
		}
		list = append(list, l)
	}
	return append(append(list, gone...), over...), nil
}

// LandedIn returns the last landings of a repository that landed, the newest first, at most most of them.
func LandedIn(tx *registry.Tx, repoID int64, most int) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE l.repo_id = ? AND l.state = 'landed' ORDER BY l.id DESC LIMIT `+strconv.Itoa(most), repoID)
}

// Landed returns what landed in a repository, the newest first, at most limit; repoName "" is every repository of this machine.
func (s *Store) Landed(ctx context.Context, repoName string, limit int) ([]Landing, error) {
	var repoID int64
	if repoName != "" {
		r, err := s.Trees.Repo(ctx, repoName)
		if err != nil {
			return nil, err
		}
		repoID = r.ID
	}
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Landing, error) {
		return registry.Collect(tx, scanLanding, landingSelection+`WHERE l.state = 'landed' AND l.host = ? AND (? = 0 OR l.repo_id = ?) ORDER BY l.id DESC LIMIT ?`,
			registry.Host(), repoID, repoID, limit)
	})
}

// Last returns the newest landing of a worktree, nil when it never asked.
func Last(tx *registry.Tx, worktreeID int64) (*Landing, error) {
	return registry.OrNil(scanLanding(tx.QueryRow(landingSelection+`WHERE l.worktree_id = ? ORDER BY l.id DESC LIMIT 1`, worktreeID)))
}

// abandonedReason is the reason of a returned landing whose process is gone.
const abandonedReason = "the agit that was landing it ended before it was done; ask again"

// cutOffReason is that reason until recovery has found out whether the branch moved.
const cutOffReason = "the agit that was landing it ended in the middle; `agit doctor --fix` completes the landing, or takes it back"

// abandoned reports whether the process of a landing that is not over is gone. A registry on a server counts a killed process as present for
// a while; on its own host the process's number shows that it is gone.
func (s *Store) abandoned(l Landing) bool {
	return l.host == registry.Host() && (!s.Trees.DB.Present(l.process) || l.PID != 0 && !process.Running(l.PID))
}

// Recent returns what landed in a repository since a time, the newest first.
func Recent(tx *registry.Tx, repoID int64, since time.Time) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE l.repo_id = ? AND l.state = 'landed' AND l.finished_at >= ? ORDER BY l.id DESC LIMIT 1000`,
		repoID, registry.FormatTime(since))
}

// LastReturned returns the newest landing of each worktree of a repository that has a folder, if it was returned or cancelled.
func LastReturned(tx *registry.Tx, repoID int64) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE w.repo_id = ? AND w.`+repo.LiveWorktree+` AND l.state IN ('returned', 'cancelled')
		AND l.id = (SELECT MAX(id) FROM landings WHERE worktree_id = w.id) ORDER BY l.id DESC`, repoID)
}
