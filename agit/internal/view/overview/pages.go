package overview

import (
	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
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
	p, err := project.ByName(tx, projectID)
	return p.ID, err
}
