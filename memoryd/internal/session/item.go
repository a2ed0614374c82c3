package session

import (
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Ticket is the subject of a session: a tracker's ticket, a task, a plan or a bug. The fields of trackers are empty when not known.
type Ticket struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status"`
	ClaimedBy   string `json:"claimed_by,omitempty"` // name of the agent
	Priority    string `json:"priority"`
	Provider    string `json:"provider,omitempty"`
	URL         string `json:"url,omitempty"`
	Sprint      string `json:"sprint,omitempty"`
	Labels      string `json:"labels,omitempty"`
	DueDate     string `json:"due_date,omitempty"`

	waits bool // it waits for other items
}

// Criterion is an acceptance criterion of a ticket.
type Criterion struct {
	ID       string `json:"id"`
	Position int    `json:"position"` // from 1, as SEM-1#1 names the first one of a ticket
	Text     string `json:"text"`
	Status   string `json:"status"`
}

// Blocking is an item that must be settled before this one can be done.
type Blocking struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Status string `json:"status"`
	// Through is the blocked ancestor of the item, when the item itself is not blocked.
	Through string `json:"through,omitempty"`
}

// itemOf finds the item to work on: in the project first, since trackers' keys need not be unique beyond it, then anywhere. "" returns the
// zero Item.
func (s *Store) itemOf(tx *registry.Tx, projectID int64, id string) (work.Item, error) {
	if id == "" {
		return work.Item{}, nil
	}
	if _, err := text.Name("external_item_id", id); err != nil {
		return work.Item{}, err
	}
	item, err := work.FindIn(tx, projectID, "", id)
	if f := fault.From(err); f != nil && f.Kind == fault.KindValidation {
		named := *f
		named.Field = "external_item_id"
		return item, &named
	}
	if fault.Is(err, fault.KindNotFound) {
		return item, fault.NotFound("item", id).WithHint("give the id of a task or a ticket that is known here, or leave it out; a ticket is known once it was pulled")
	}
	return item, err
}

// ticket returns an item with the fields of its tracker.
func ticket(tx *registry.Tx, itemID int64) (*Ticket, error) {
	if itemID == 0 {
		return nil, nil
	}
	var provider, url, sprint, labels, due, holder registry.Null[string]
	item, err := work.Scan(tx.QueryRow(`SELECT `+work.Columns+`, d.provider, d.url, d.sprint, d.labels, d.due_date,
		(SELECT a.name FROM leases l JOIN agents a ON a.id = l.agent_id WHERE l.item_id = items.id) FROM items LEFT JOIN ticket_details d ON d.item_id = items.id WHERE items.id = ?`, itemID), &provider, &url, &sprint, &labels, &due, &holder)
	if err != nil {
		return nil, err
	}
	t := &Ticket{ID: item.Ref, Kind: string(item.Kind), Title: item.Title, Status: item.Status, ClaimedBy: holder.V, Priority: item.Priority.String(),
		Provider: provider.V, URL: url.V, Sprint: sprint.V, Labels: labels.V, DueDate: due.V, waits: item.Holds > 0}
	t.Description = said(item)
	return t, nil
}

// said returns the description of an item; "" where the title is all of it.
func said(item work.Item) string {
	if strings.TrimSpace(item.Description) == item.Title { // the first line is the complete text when that is short
		return ""
	}
	return item.Description
}

func criteria(tx *registry.Tx, itemID int64) ([]Criterion, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Criterion, err error) {
		return c, row.Scan(&c.ID, &c.Position, &c.Text, &c.Status)
	}, `SELECT ref, position + 1, text, status FROM item_criteria WHERE item_id = ? ORDER BY position`, itemID)
}

// judgedBy counts the criteria that a session verified and those it saw fail. The second condition lets the database use the
// partial index of sessions' criteria.
const judgedBy = `SELECT COALESCE(SUM(CASE WHEN status = 'verified' THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN status = 'failed' THEN 1 ELSE 0 END), 0)
	FROM item_criteria WHERE session_ref = ? AND session_ref <> ''`

// blockers returns the items that a session's item waits for, itself or through its ancestors.
func (t *Ticket) blockers(tx *registry.Tx, x Session) ([]Blocking, error) {
	if t == nil || !t.waits {
		return []Blocking{}, nil
	}
	own, err := work.Blockers(tx, x.row.item)
	if err != nil {
		return nil, err
	}
	all := make([]Blocking, len(own))
	for i, b := range own {
		all[i] = Blocking{ID: b.Ref, Kind: string(b.Kind), Title: b.Title, Status: b.Status, Through: b.Through}
	}
	return all, nil
}

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
