package graph

import (
	"context"
	"math"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Status is the status of a project.
type Status struct {
	ProjectID    string      `json:"projectId"`
	ProjectName  string      `json:"projectName"`
	Status       string      `json:"status"`
	Epics        EpicCounts  `json:"epics"`
	Tasks        TaskCounts  `json:"tasks"`
	Bugs         BugCounts   `json:"bugs"`
	Agents       AgentCounts `json:"agents"`
	Progress     float64     `json:"progress"`     // percent of the tasks that are completed, one decimal
	CriticalPath []string    `json:"criticalPath"` // the longest chain of unfinished tasks, in the order in which they are done
}

// EpicCounts, TaskCounts, BugCounts and AgentCounts are numbers by status.
type (
	EpicCounts struct {
		Total      int `json:"total"`
		Completed  int `json:"completed"`
		InProgress int `json:"inProgress"`
	}
	TaskCounts struct {
		Total      int `json:"total"`
		Pending    int `json:"pending"`
		Claimed    int `json:"claimed"`
		InProgress int `json:"inProgress"`
		Blocked    int `json:"blocked"`
		Completed  int `json:"completed"`
		Failed     int `json:"failed"`
	}
	BugCounts struct {
		Total    int `json:"total"`
		Open     int `json:"open"`     // not resolved
		Critical int `json:"critical"` // of the open ones
	}
	AgentCounts struct {
		Active int `json:"active"`
		Idle   int `json:"idle"`
	}
)

// SQL conditions that name agents and projects: that an agent holds a task of a project, and which worktrees of a project are or were
// an agent's.
const (
	claims = `EXISTS (SELECT 1 FROM leases l JOIN items i ON i.id = l.item_id WHERE l.agent_id = agents.id AND i.project_id = projects.id)`
	trees  = `SELECT 1 FROM worktrees w JOIN repos r ON r.id = w.repo_id WHERE w.agent_id = agents.id AND r.project_id = projects.id`
)

// holds is the condition that an agent holds a task of a project, or a worktree of one of its repositories.
const holds = `(` + claims + ` OR EXISTS (` + trees + ` AND w.` + repo.LiveWorktree + `))`

// HasAgent is the condition that an agent works, or worked, on a project: by a
// claim, a completion or a worktree there. It names agents and projects.
const HasAgent = `(` + claims + `
	OR EXISTS (SELECT 1 FROM items done WHERE done.assignee_agent_id = agents.id AND COALESCE(done.kind, '') = 'task' AND COALESCE(done.status, '') = 'completed' AND done.project_id = projects.id)
	OR EXISTS (` + trees + `))`

// ProjectStatus counts the contents of a project and finds its critical path.
func (s *Store) ProjectStatus(ctx context.Context, id string) (Status, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (st Status, err error) {
		p, err := project.Get(tx, id)
		if err != nil {
			return st, err
		}
		st = Status{ProjectID: p.UID, ProjectName: p.Name, Status: p.Status}
		for _, count := range []func(*registry.Tx, int64) error{st.countTasks, st.countEpics, st.countBugs} {
			if err := count(tx, p.ID); err != nil {
				return st, err
			}
		}
		if st.Agents, err = s.countAgents(tx, p.ID); err != nil {
			return st, err
		}
		st.CriticalPath, err = criticalPath(tx, p.ID)
		return st, err
	})
}

func (st *Status) countTasks(tx *registry.Tx, projectID int64) error {
	counts, err := task.CountsOf(tx, projectID)
	if err != nil {
		return err
	}
	st.Tasks = TaskCounts{
		Pending: counts[task.Pending], Claimed: counts[task.Claimed], InProgress: counts[task.InProgress],
		Blocked: counts[task.Blocked], Completed: counts[task.Completed], Failed: counts[task.Failed],
	}
	for _, n := range counts {
		st.Tasks.Total += n
	}
	if st.Tasks.Total > 0 {
		st.Progress = math.Round(1000*float64(st.Tasks.Completed)/float64(st.Tasks.Total)) / 10
	}
	return nil
}

func (st *Status) countEpics(tx *registry.Tx, projectID int64) error {
	return tx.QueryRow(`SELECT COUNT(*), COALESCE(SUM(CASE status WHEN 'completed' THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE status WHEN 'in_progress' THEN 1 ELSE 0 END), 0)
		FROM (SELECT `+EpicStatus+` AS status FROM items WHERE items.kind = 'epic' AND items.project_id = ? AND items.deleted_at IS NULL) epics`, projectID).
		Scan(&st.Epics.Total, &st.Epics.Completed, &st.Epics.InProgress)
}

func (st *Status) countBugs(tx *registry.Tx, projectID int64) error {
	return tx.QueryRow(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN items.state IN ('open', 'active') THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN items.state IN ('open', 'active') AND bugs.severity = 'critical' THEN 1 ELSE 0 END), 0)
		FROM items JOIN bugs ON bugs.item_id = items.id WHERE items.kind = 'bug' AND items.project_id = ? AND items.deleted_at IS NULL`, projectID).
		Scan(&st.Bugs.Total, &st.Bugs.Open, &st.Bugs.Critical)
}

// countAgents counts the agents of a project. An agent that holds a task or a worktree of the project, by the rule of repository lists,
// is active. An agent that worked on it earlier and is still present is idle.
func (s *Store) countAgents(tx *registry.Tx, projectID int64) (c AgentCounts, err error) {
	err = tx.QueryRow(`SELECT COALESCE(SUM(CASE WHEN `+holds+` AND `+agent.Awake+` THEN 1 ELSE 0 END), 0), COUNT(*)
		FROM agents JOIN projects ON projects.id = ? WHERE agents.removed_at IS NULL AND agents.status <> 'disconnected' AND agents.last_seen_at >= ?
		AND `+HasAgent, agent.Since(tx, s.StaleAfter), projectID, agent.Since(tx, s.StaleAfter)).Scan(&c.Active, &c.Idle)
	c.Idle -= c.Active
	return c, err
}
