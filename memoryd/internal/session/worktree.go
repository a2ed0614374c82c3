package session

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// Worktree is the place of a session's work.
type Worktree struct {
	ID     string `json:"worktree_id"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
	// Agent is its owner, when that is another agent than the session's.
	Agent string `json:"agent,omitempty"`
	// Conflicts are those seen last, in files that both sides change.
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Conflict is a file in which a worktree collides with another one.
type Conflict struct {
	File  string `json:"file"`
	Lines string `json:"lines,omitempty"`
	With  string `json:"with"` // the other worktree
	Agent string `json:"agent,omitempty"`
}

// mostConflicts bounds the conflicts that are read.
const mostConflicts = 20

const (
	placeQuery = `SELECT near.id, near.ref, near.path, near.branch, near.agent_id, COALESCE(a.name, '') FROM (
		SELECT 0 AS far, p.id, p.ref, p.path, p.branch, p.agent_id FROM worktree_places p WHERE p.project_id = ? AND p.host = ? AND p.path = ?
		UNION ALL SELECT CASE WHEN p.item_id = ? THEN 1 ELSE 2 END, p.id, p.ref, p.path, p.branch, p.agent_id FROM worktree_places p
		WHERE p.agent_id = ? AND p.project_id = ? AND p.host = ?) near
		LEFT JOIN agents a ON a.id = near.agent_id ORDER BY near.far, near.id DESC LIMIT 1`
	conflictQuery = `SELECT path, detail, ref, agent FROM worktree_conflicts WHERE worktree_id = ? AND depth <> 'file' ORDER BY path, ref LIMIT ?`
)

// worktree returns the worktree that contains the session's folder, else the agent's own for the session's item, else its newest; nil for
// none.
func worktree(tx *registry.Tx, x Session) (*Worktree, error) {
	var w Worktree
	var id int64
	var whose registry.Null[int64]
	err := tx.QueryRow(placeQuery, x.row.project, registry.Host(), x.row.folder, x.row.item, x.row.agent, x.row.project, registry.Host()).
		Scan(&id, &w.ID, &w.Path, &w.Branch, &whose, &w.Agent)
	if registry.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if whose.V == x.row.agent {
		w.Agent = ""
	}
	w.Conflicts, err = registry.Collect(tx, func(row registry.Scanner) (c Conflict, err error) {
		var detail string
		err = row.Scan(&c.File, &detail, &c.With, &c.Agent)
		_, c.Lines, _ = strings.Cut(detail, "; ") // after the kinds of conflict
		return c, err
	}, conflictQuery, id, mostConflicts)
	return &w, err
}

// fit keeps as many conflicts as fit into most bytes; the place always stays.
func (w Worktree) fit(most, room int) (_ *Worktree, rest int) {
	all := w.Conflicts
	w.Conflicts = nil
	room -= size(w) + len(`"worktree":,`)
	w.Conflicts = pick(all, most, &room, func(c Conflict) Conflict { return c })
	return &w, room
}
