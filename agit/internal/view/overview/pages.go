package overview

import (
	"slices"
	"strings"

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
