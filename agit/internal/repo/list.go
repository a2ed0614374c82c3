package repo

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
)

// Summary is a repository with what is going on in it.
type Summary struct {
	Repo
	WorktreeCount    int `json:"worktree_count"`     // worktrees that have a folder
	TaskCount        int `json:"task_count"`         // tasks of every status
	ActiveAgentCount int `json:"active_agent_count"` // active agents, heard of lately, that hold a worktree or task of the project, here or on another host
}

// LiveWorktree is the condition, after the name of the table and a dot, that a worktree
// has a folder: it was neither merged nor removed.
const LiveWorktree = `status NOT IN ('completed', 'trashed')`

const live = `worktrees.` + LiveWorktree

// Covers is the condition that a repository shows what is kept with the repository `made`: itself, or one of its project on another host.
const Covers = `(made.id = repos.id OR made.project_id = repos.project_id AND made.host <> repos.host)`

// Busy is the condition that an agent holds a worktree or a task of a repository, or of its project on another host.
// It asks from the agent's side: agents and what they hold are few, while the
// tasks of a repository may be a hundred thousand.
const Busy = `(EXISTS (SELECT 1 FROM worktrees JOIN repos made ON made.id = worktrees.repo_id WHERE worktrees.agent_id = agents.id AND ` + Covers + ` AND ` + live + `)
	     OR EXISTS (SELECT 1 FROM leases JOIN tasks ON tasks.item_id = leases.item_id JOIN repos made ON made.id = tasks.repo_id
	                WHERE leases.agent_id = agents.id AND ` + Covers + `))`

// summary reads other packages' tables, as every list with counts does; it
// changes none. Its one parameter is the time since which an agent must have
// been seen. A repository has the tasks of its project but those made for another
// clone on its host; a task that is deleted has no repository, so that counting
// those needs no look at their items.
const summary = `SELECT ` + columns + `,
	(SELECT COUNT(*) FROM worktrees WHERE worktrees.repo_id = repos.id AND ` + live + `),
	(SELECT COUNT(*) FROM items WHERE items.kind = 'task' AND items.project_id = repos.project_id AND items.deleted_at IS NULL)
	 - (SELECT COUNT(*) FROM repos other JOIN tasks ON tasks.repo_id = other.id
	    WHERE other.project_id = repos.project_id AND other.host = repos.host AND other.id <> repos.id),
	(SELECT COUNT(*) FROM agents WHERE ` + agent.Awake + ` AND ` + Busy + `)
	FROM repos WHERE repos.removed_at IS NULL`

func scanSummary(row registry.Scanner) (s Summary, err error) {
	s.Repo, err = scan(row, &s.WorktreeCount, &s.TaskCount, &s.ActiveAgentCount)
	return s, err
}

// List returns every repository by name. An agent counts as active when it was
// seen within staleAfter.
func (s *Store) List(ctx context.Context, staleAfter time.Duration) (all []Summary, err error) {
	all, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Summary, error) {
		return registry.Collect(tx, scanSummary, summary+` ORDER BY repos.name_key, repos.id`, agent.Since(tx, staleAfter))
	})
	for i := range all {
		if s.DefaultBranch != nil && all[i].Machine == "" {
			all[i].DefaultBranch = s.DefaultBranch(all[i].Repo)
		}
	}
	return all, err
}

// SummaryOf returns a repository with its counts. An agent counts as active when it was seen within staleAfter.
func SummaryOf(tx *registry.Tx, r Repo, staleAfter time.Duration) (Summary, error) {
	return scanSummary(tx.QueryRow(summary+` AND repos.id = ?`, agent.Since(tx, staleAfter), r.ID))
}
