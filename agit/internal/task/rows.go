package task

import (
	"slices"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Lists read thousands of tasks, and each column and each joined table costs as
// much as the rest of a row. So they read what a Task shows and no more, and the
// few names that all of them share once for each.

// rowSelection is what a row of a list needs.
const rowSelection = `SELECT items.id, items.project_id, items.ref, items.title, items.description, items.status, items.state, items.priority,
	items.created_at, items.started_at, items.finished_at, tasks.repo_id, tasks.worktree_id, tasks.result,
	COALESCE(leases.agent_id, items.assignee_agent_id), leases.epoch, ` + IsBlocked + `
	FROM items JOIN tasks ON tasks.item_id = items.id LEFT JOIN leases ON leases.item_id = items.id `

// listed is a task with what a cursor needs of it.
type listed struct {
	Task
	item int64
}

// rows reads the rows of a list.
type rows struct {
	projects, repos, agents, worktrees names
}

func newRows(tx *registry.Tx) *rows {
	return &rows{
		projects:  names{tx: tx, query: `SELECT uid FROM projects WHERE id = ?`},
		repos:     names{tx: tx, query: `SELECT ` + repoName + ` FROM repos WHERE id = ?`, args: []any{registry.Host(), registry.Host()}},
		agents:    names{tx: tx, query: `SELECT name FROM agents WHERE id = ?`},
		worktrees: names{tx: tx, query: `SELECT ref FROM worktrees WHERE id = ?`},
	}
}

// collect returns the tasks that rowSelection finds with what follows it.
func (r *rows) collect(tx *registry.Tx, rest string, args ...any) ([]listed, error) {
	type owners struct{ project, repo, agent, worktree int64 }
	var owned []owners
	var result registry.Null[string]
	var repo, agent, worktree, token registry.Null[int64]
	var state work.State
	var isBlocked bool
	found, err := registry.Collect(tx, func(row registry.Scanner) (t listed, err error) {
		var o owners
		err = row.Scan(&t.item, &o.project, &t.ID, &t.Name, &t.Description, &t.Status, &state, &t.Priority,
			&t.CreatedAt, &t.StartedAt, &t.CompletedAt, &repo, &worktree, &result, &agent, &token, &isBlocked)
		if err != nil {
			return t, err
		}
		o.repo, o.agent, o.worktree = repo.V, agent.V, worktree.V
		owned = append(owned, o)
		t.Result = result.V
		if state == work.StateActive {
			t.ClaimToken = token.V
		}
		if isBlocked {
			t.Status = Blocked
		}
		return t, nil
	}, rowSelection+rest, args...)
	if err != nil {
		return nil, err
	}
	for i, o := range owned {
		t := &found[i].Task
		for _, name := range []struct {
			of   *names
			id   int64
			into *string
		}{{&r.projects, o.project, &t.Project}, {&r.repos, o.repo, &t.Repo}, {&r.agents, o.agent, &t.Agent}, {&r.worktrees, o.worktree, &t.Worktree}} {
			if *name.into, err = name.of.get(name.id); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// names are those of rows that many tasks point at, each read once.
type names struct {
	tx    *registry.Tx
	query string
	args  []any // of the query, before the id
	byID  map[int64]string
}

// get returns the name of a row, "" for none.
func (n *names) get(id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	if name, known := n.byID[id]; known {
		return name, nil
	}
	name, err := registry.One[string](n.tx.QueryRow(n.query, append(slices.Clone(n.args), id)...))
	if err != nil && !registry.NoRows(err) {
		return "", err
	}
	if n.byID == nil {
		n.byID = map[int64]string{}
	}
	n.byID[id] = name
	return name, nil
}
