package overview

import (
	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Pages answers what only a page has room for: a board of tasks, what they wait for, sessions, memories, tickets, records, and one of each in full. It reads
// when it is asked, keeps nothing, and is safe for concurrent use.
type Pages struct {
	DB             *registry.DB
	Tasks          *task.Store
	Graph          *graph.Store
	Worktrees      *worktree.Store
	Home           string  // where logs are kept
	DecayThreshold float64 // beyond it a memory is archived
}

// scope is the condition on a column that holds a project's row: the project with an
// id, or "" for all.
func scope(tx *registry.Tx, projectID, column string) (where string, args []any, err error) {
	id, err := projectRow(tx, projectID)
	if id == 0 {
		return `1 = 1`, nil, err
	}
	return column + ` = ?`, []any{id}, err
}

// projectRow is the row of the project with an id; 0, which is all of them, for "".
func projectRow(tx *registry.Tx, projectID string) (int64, error) {
	if projectID == "" {
		return 0, nil
	}
	p, err := project.ByName(tx, projectID)
	return p.ID, err
}
