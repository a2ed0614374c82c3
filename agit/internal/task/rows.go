package task

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Lists read thousands of tasks, and each column and each joined table costs as much as the rest of a row. So they read only what a Task
// shows, and read the few names that many rows share once each.

// rowSelection selects the columns of a list's row.
const rowSelection = `SELECT items.id, items.project_id, items.ref, items.title, items.description, items.status, items.state, items.priority,
	items.created_at, items.started_at, items.finished_at, tasks.repo_id, tasks.worktree_id, tasks.result,
	COALESCE(leases.agent_id, items.assignee_agent_id), leases.epoch, ` + IsBlocked + `
	FROM items JOIN tasks ON tasks.item_id = items.id LEFT JOIN leases ON leases.item_id = items.id `

// listed is a task with the item id that a cursor needs.
type listed struct {
	Task
	item int64
}

// rows reads the rows of a list.
type rows struct {
	names [kindsOfNames]map[int64]string // by id, each read once
}

// Kinds of names that many tasks share.
const (
	nameOfProject = iota
	nameOfRepo
	nameOfAgent
	nameOfWorktree
	kindsOfNames
)

// nameQueries read names by the kinds above; ids in parentheses follow.
var nameQueries = [kindsOfNames]struct {
	text string
	args func() []any // before the ids
}{
	{`SELECT 0, id, uid FROM projects WHERE id IN `, nil},
	{`SELECT 1, id, ` + repoName + ` FROM repos WHERE id IN `, func() []any { return []any{registry.Host(), registry.Host()} }},
	{`SELECT 2, id, name FROM agents WHERE id IN `, nil},
	{`SELECT 3, id, ref FROM worktrees WHERE id IN `, nil},
}

func newRows() *rows {
	r := &rows{}
	for i := range r.names {
		r.names[i] = map[int64]string{0: ""}
	}
	return r
}

// unnamed are tasks of a list whose names are not read yet.
type unnamed struct {
	found []listed
	owned [][kindsOfNames]int64 // by each, the ids of what its names are those of
}

// collect returns the tasks of rowSelection, completed by rest.
func (r *rows) collect(tx *registry.Tx, rest string, args ...any) ([]listed, error) {
	u, err := collectUnnamed(tx, rest, args...)
	if err != nil {
		return nil, err
	}
	return r.named(tx, u)
}

// collectUnnamed is collect without the names.
func collectUnnamed(tx *registry.Tx, rest string, args ...any) (u unnamed, err error) {
	var result registry.Null[string]
	var repo, agent, worktree, token registry.Null[int64]
	var state work.State
	var isBlocked bool
	u.found, err = registry.Collect(tx, func(row registry.Scanner) (t listed, err error) {
		var o [kindsOfNames]int64
		err = row.Scan(&t.item, &o[nameOfProject], &t.ID, &t.Name, &t.Description, &t.Status, &state, &t.Priority,
			&t.CreatedAt, &t.StartedAt, &t.CompletedAt, &repo, &worktree, &result, &agent, &token, &isBlocked)
		if err != nil {
			return t, err
		}
		o[nameOfRepo], o[nameOfAgent], o[nameOfWorktree] = repo.V, agent.V, worktree.V
		u.owned = append(u.owned, o)
		t.Result = result.V
		if state == work.StateActive {
			t.ClaimToken = token.V
		}
		if isBlocked {
			t.Status = Blocked
		}
		return t, nil
	}, rowSelection+rest, args...)
	return u, err
}

// named completes tasks by their names.
func (r *rows) named(tx *registry.Tx, u unnamed) ([]listed, error) {
	if err := r.load(tx, u.owned); err != nil {
		return nil, err
	}
	for i, o := range u.owned {
		t := &u.found[i].Task
		t.Project, t.Repo, t.Agent, t.Worktree = r.names[nameOfProject][o[nameOfProject]], r.names[nameOfRepo][o[nameOfRepo]], r.names[nameOfAgent][o[nameOfAgent]], r.names[nameOfWorktree][o[nameOfWorktree]]
	}
	return u.found, nil
}

// namesAtOnce is the most ids in a statement, whose parameters are limited.
const namesAtOnce = 1000

// load reads the names that are not known yet, in one statement or a few.
func (r *rows) load(tx *registry.Tx, owned [][kindsOfNames]int64) error {
	var missing [kindsOfNames][]any
	n := 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		var parts []string
		var args []any
		for kind, ids := range missing {
			if len(ids) == 0 {
				continue
			}
			q := nameQueries[kind]
			parts = append(parts, q.text+`(?`+strings.Repeat(`, ?`, len(ids)-1)+`)`)
			if q.args != nil {
				args = append(args, q.args()...)
			}
			args = append(args, ids...)
		}
		n, missing = 0, [kindsOfNames][]any{}
		for row, err := range tx.Rows(strings.Join(parts, ` UNION ALL `), args...) {
			if err != nil {
				return err
			}
			var kind, id int64
			var name string
			if err := row.Scan(&kind, &id, &name); err != nil {
				return err
			}
			r.names[kind][id] = name
		}
		return nil
	}
	for _, o := range owned {
		for kind, id := range o {
			if _, known := r.names[kind][id]; known {
				continue
			}
			r.names[kind][id] = "" // it is being read, or does not exist
			missing[kind] = append(missing[kind], id)
			n++
		}
		if n >= namesAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
