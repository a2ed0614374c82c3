package overview

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// RepoStatus is the state of one repository.
type RepoStatus struct {
	repo.Summary
	Worktrees []WorktreeStatus `json:"worktrees"`
	Branches  []BranchStatus   `json:"branches,omitempty"`   // remote branches in flight without a worktree
	FetchedAt *timestamp.Time  `json:"fetched_at,omitempty"` // time of the last fetch
	Tasks     map[string]int   `json:"tasks"`                // count by status
	Active    []task.Task      `json:"active_tasks"`         // claimed and running, at most activeLimit
	Agents    []AgentStatus    `json:"agents"`               // agents of the project, on all machines
	Landings  []land.Landing   `json:"landings"`             // as land.Store.Queue returns them
	Conflicts *conflict.Report `json:"conflicts,omitempty"`
	Trial     *trial.Trial     `json:"trial,omitempty"`   // the last trial, limited to existing worktrees
	Problem   string           `json:"problem,omitempty"` // why the scan failed

	states []presence.Presence // of the agents in the repository
}

// WorktreeStatus is a worktree with its distance, its agents and its landing or review.
type WorktreeStatus struct {
	worktree.Worktree
	Name        string             `json:"name"`                     // name of its folder
	State       *presence.Shown    `json:"agent_state,omitempty"`    // of the agent that needs a person most
	Distance    *distance.Distance `json:"distance"`                 // from the default branch; null when unknown
	Missing     bool               `json:"folder_missing,omitempty"` // its folder was removed or moved by hand
	Dirty       *int               `json:"dirty"`                    // files with uncommitted changes; null without a scan
	Landing     *land.Landing      `json:"landing,omitempty"`        // waiting, running or returned
	Review      *review.Review     `json:"review,omitempty"`         // waiting
	PullRequest *forge.PullRequest `json:"pull_request,omitempty"`   // as its forge last reported
	Here        []string           `json:"agents_here,omitempty"`    // agents whose clients are in it, when it does not belong to an agent
	Sessions    int                `json:"sessions,omitempty"`       // open client sessions, when there are several
	Sweep       string             `json:"sweep,omitempty"`          // what its maker's clean-up will soon do to it, when it holds work
}

// AgentStatus is an agent at work in a repository.
type AgentStatus struct {
	Name     string          `json:"name"`
	Host     string          `json:"host,omitempty"` // the machine, when it is not this one
	Status   string          `json:"status"`
	LastSeen timestamp.Time  `json:"last_seen"`
	State    *presence.Shown `json:"state,omitempty"`
	Told     int             `json:"messages_waiting,omitempty"` // messages from people that have not reached it
	Holds    []string        `json:"holds,omitempty"`            // ids of its active tasks, as far as they are listed

	id int64
}

// activeLimit keeps a status readable; `agit tasks` has the rest.
const activeLimit = 20

// Statuses returns the state of a repository like Status, or of every repository for "".
func (s *Store) Statuses(ctx context.Context, name string, scan bool) ([]RepoStatus, error) {
	if name != "" {
		one, err := s.Status(ctx, name, scan)
		return []RepoStatus{one}, err
	}
	summaries, err := s.repos.List(ctx, s.StaleAfter)
	if err != nil {
		return nil, err
	}
	states := make([]RepoStatus, len(summaries))
	for i, summary := range summaries {
		r := &states[i]
		r.Summary = summary
		if err := s.DB.Read(ctx, func(tx *registry.Tx) error { return s.addRows(tx, r) }); err != nil {
			return nil, err
		}
		if err := s.look(ctx, r, scan); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// Status returns the state of one repository, by name or id. With scan it compares the worktrees now and includes the result.
func (s *Store) Status(ctx context.Context, name string, scan bool) (RepoStatus, error) {
	var r RepoStatus
	err := s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if r.Repo, err = repo.Find(tx, name); err != nil {
			return err
		}
		var counted repo.Summary
		err = tx.Together(
			func() (err error) { counted, err = repo.SummaryOf(tx, r.Repo, s.StaleAfter); return err },
			func() error { return s.addRows(tx, &r) },
		)
		r.Summary = counted
		r.DefaultBranch = s.Conflicts.BranchOf(r.Repo)
		return err
	})
	if err == nil {
		err = s.look(ctx, &r, scan)
	}
	return r, err
}

// trialNow limits the last trial to worktrees that still exist.
func (r *RepoStatus) trialNow() {
	if r.Trial == nil {
		return
	}
	var names []string
	for _, w := range r.Worktrees {
		names = append(names, w.Ref)
	}
	now := r.Trial.Still(names)
	if r.Trial = &now; now.Result == trial.Red && len(now.Failures) == 0 {
		r.Trial = nil // the failed worktrees no longer exist
	}
}

// addRows adds to a repository what the registry holds of it.
func (s *Store) addRows(tx *registry.Tx, r *RepoStatus) error {
	var told map[string]int
	err := tx.Together(
		func() error { return s.worktreesOf(tx, r) },
		func() (err error) { r.Tasks, err = task.Counts(tx, r.Repo); return err },
		func() (err error) { r.Agents, err = s.agentsAt(tx, r.ID); return err },
		func() (err error) { told, err = message.Counts(tx); return err },
		func() (err error) { r.Trial, err = trial.Last(tx, r.ID); return err },
		func() (err error) { r.Active, err = task.Held(tx, r.Repo, activeLimit); return err },
	)
	r.meetAgents(told)
	return err
}

// look adds what git shows of the worktrees now; with scan they are compared.
func (s *Store) look(ctx context.Context, r *RepoStatus, scan bool) (err error) {
	r.addOthers(ctx)
	var fetched time.Time
	if r.Branches, fetched = s.branchesOf(ctx, r.Repo); !fetched.IsZero() {
		r.FetchedAt = &timestamp.Time{Time: fetched}
	}
	r.trialNow()
	s.measure(ctx, r)
	if scan {
		// A repository without its folder still has worktrees and tasks to show.
		if r.Conflicts, err = s.Conflicts.Scan(ctx, r.ID, conflict.Options{}); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Conflicts, r.Problem = nil, err.Error()
		}
		r.settle()
	}
	s.tellSweeps(r)
	r.dropIdleMain()
	return nil
}

// settle updates the worktrees' statuses after a scan: a worktree whose last merge was refused, and that would merge now, becomes
// active again.
func (r *RepoStatus) settle() {
	if r.Conflicts != nil {
		r.countDirty()
	}
	if r.Conflicts == nil || r.Conflicts.Depth != conflict.DepthMerge || r.Conflicts.MergeUnavailable != "" || r.Conflicts.NoDefaultBranch != "" {
		return
	}
	unknown := map[string]bool{} // also those that still conflict
	for _, c := range r.Conflicts.OnlyDefault().Conflicts {
		unknown[c.Worktrees[0].ID] = unknown[c.Worktrees[0].ID] || c.WillNotMerge()
	}
	for _, skipped := range r.Conflicts.Skipped {
		unknown[skipped.ID] = true
	}
	for _, failed := range r.Conflicts.Failures {
		unknown[failed.B] = true
	}
	for i := range r.Worktrees {
		if w := &r.Worktrees[i]; w.Status == worktree.Conflict && !unknown[w.Ref] {
			w.Status = worktree.Active
		}
	}
}

// agentsAt returns the agents that hold a worktree or a task of a repository or of its project on another machine, or whose clients are
// open there.
func (s *Store) agentsAt(tx *registry.Tx, repoID int64) ([]AgentStatus, error) {
	return registry.Collect(tx, func(row registry.Scanner) (AgentStatus, error) {
		a, err := agent.Scan(row)
		return AgentStatus{Name: a.Name, Host: a.Elsewhere(), Status: a.StatusAt(tx.Now(), s.StaleAfter), LastSeen: a.LastSeen, id: a.ID}, err
	}, `SELECT `+agent.Columns+` FROM agents JOIN repos ON repos.id = ?
		WHERE agents.removed_at IS NULL AND (`+repo.Busy+` OR agents.id IN (SELECT s.agent_id FROM session_places s JOIN repos made ON made.id = s.repo_id WHERE `+repo.Covers+`))
		ORDER BY agents.name_key`, repoID)
}

// meetAgents adds to the agents their states and the numbers of waiting messages, by name.
func (r *RepoStatus) meetAgents(told map[string]int) {
	for i := range r.Agents {
		a := &r.Agents[i]
		a.Told = told[a.Name]
		for _, t := range r.Active {
			if t.Agent == a.Name {
				a.Holds = append(a.Holds, t.ID)
			}
		}
		for _, p := range r.states { // the agent that needs a person is listed first
			if p.AgentID == a.id {
				a.State = &p.Shown
				break
			}
		}
	}
}
