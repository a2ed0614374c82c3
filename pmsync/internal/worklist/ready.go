package worklist

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// ReadyQuery is a query for work that can be begun now.
type ReadyQuery struct {
	caller.Caller
	Tickets     bool // a tracker's, and local ones
	Local       bool // plans and tasks
	AnyAssignee bool // also what is assigned to others
	Limit       int
	Explain     bool // say why each is ready, and why others are not
}

// ReadyItem is work that nothing keeps from being begun.
type ReadyItem struct {
	ID        string         `json:"id"`
	Kind      work.Kind      `json:"kind"`
	Title     string         `json:"title"`
	Status    string         `json:"status"`
	Priority  int            `json:"priority"`
	Assignee  string         `json:"assignee,omitempty"`
	Sprint    string         `json:"sprint_name,omitempty"`
	Ticket    string         `json:"external_item_id,omitempty"` // of a plan
	URL       string         `json:"url,omitempty"`
	CreatedAt timestamp.Time `json:"created_at"`
	Why       []string       `json:"why,omitempty"`
}

// Waiting is unfinished work that cannot be begun, and why.
type Waiting struct {
	ID      string        `json:"id"`
	Kind    work.Kind     `json:"kind"`
	Title   string        `json:"title"`
	Reasons []work.Reason `json:"reasons"`
}

// ReadyList is work that is ready, in the order of the queue. The counts are set
// when nothing is ready or an explanation was asked for.
type ReadyList struct {
	Items    []ReadyItem `json:"items"`
	More     bool        `json:"more,omitempty" wire:"-"`
	NotReady []Waiting   `json:"not_ready,omitempty" wire:"-"`
	Open     *int        `json:"open,omitempty" wire:"-"`     // unfinished work
	Assigned *int        `json:"assigned,omitempty" wire:"-"` // ready, but for being another's
}

// readyOrder is the seed's: the most urgent, then the oldest, then tickets before
// what is local.
const readyOrder = ` ORDER BY items.priority DESC, items.created_at, CASE items.kind WHEN 'ticket' THEN 0 WHEN 'task' THEN 1 ELSE 2 END, items.id LIMIT ?`

// fit is the condition of an item that is ready for anyone.
const fit = `items.state = 'open' AND ` + work.Fit

// ready returns the condition, after that on the project, of an item that is ready for the caller or, as asked for, for anyone, and the
// arguments of both.
func (b *Board) ready(tx *registry.Tx, q ReadyQuery, who caller.Who) (string, []any, error) {
	condition, args := work.Ready, []any{who.AgentID}
	if q.AnyAssignee {
		condition, args = fit, nil
	}
	condition, args, err := lease.Ready(tx, b.ReleaseAfter, condition, args...)
	return condition, append([]any{who.Project.ID}, args...), err
}

// kinds is the condition that an item is of the kinds asked for. It names those
// that are not, so that no index of items by kind, which holds all of them, looks
// better than that of the queue.
func (q ReadyQuery) kinds() string {
	switch {
	case q.Tickets && !q.Local:
		return offered + notLocal
	case q.Local && !q.Tickets:
		return offered + ` AND items.kind NOT IN ('ticket')`
	}
	return offered
}

const (
	offered  = ` AND items.kind NOT IN ('epic', 'bug', 'scenario', 'artifact')`
	notLocal = ` AND items.kind NOT IN ('plan', 'task')`
)

// Ready returns what can be begun now: not blocked, nor within something that is,
// not claimed, not assigned to another.
func (b *Board) Ready(ctx context.Context, q ReadyQuery) (list ReadyList, err error) {
	err = q.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		list = ReadyList{Items: []ReadyItem{}}
		if who.Project.ID == 0 {
			return nil
		}
		condition, args, err := b.ready(tx, q, who)
		if err != nil {
			return err
		}
		list.Items, err = registry.Collect(tx, func(row registry.Scanner) (r ReadyItem, err error) {
			var assignee, sprint, ticket, url registry.Null[string]
			err = row.Scan(&r.ID, &r.Kind, &r.Title, &r.Status, &r.Priority, &r.CreatedAt, &assignee, &sprint, &ticket, &url)
			r.Assignee, r.Sprint, r.Ticket, r.URL = assignee.V, sprint.V, ticket.V, url.V
			return r, err
		}, `SELECT items.ref, items.kind, items.title, items.status, items.priority, items.created_at,
			CASE WHEN t.assignee_name <> '' THEN t.assignee_name ELSE t.assignee END, s.name, origin.ref, t.url
			FROM items LEFT JOIN tickets t ON t.item_id = items.id LEFT JOIN sprints s ON s.id = t.sprint_id
			LEFT JOIN plans p ON p.item_id = items.id LEFT JOIN items origin ON origin.id = p.ticket_id
			WHERE items.project_id = ? AND `+condition+q.kinds()+readyOrder, append(args, q.Limit+1)...)
		if err != nil {
			return err
		}
		if list.More = len(list.Items) > q.Limit; list.More {
			list.Items = list.Items[:q.Limit]
		}
		if len(list.Items) > 0 && !q.Explain {
			return nil
		}
		if err := list.count(tx, q, who); err != nil || !q.Explain {
			return err
		}
		return b.explain(tx, &list, q, condition, args, who)
	})
	if list.Items == nil {
		list.Items = []ReadyItem{}
	}
	return list, err
}

// count sets how much unfinished work there is, and how much of it is assigned to others.
func (l *ReadyList) count(tx *registry.Tx, q ReadyQuery, who caller.Who) error {
	var open, assigned int
	err := tx.QueryRow(`SELECT COUNT(*) FROM items WHERE items.project_id = ? AND items.state IN ('open', 'active') AND items.deleted_at IS NULL`+q.kinds(), who.Project.ID).Scan(&open)
	if err == nil && !q.AnyAssignee {
		err = tx.QueryRow(`SELECT COUNT(*) FROM items WHERE items.project_id = ? AND `+fit+` AND NOT (`+work.Ready+`)`+q.kinds(), who.Project.ID, who.AgentID).Scan(&assigned)
	}
	l.Open, l.Assigned = &open, &assigned
	return err
}

// explain adds why the items are ready, and why others are not.
func (b *Board) explain(tx *registry.Tx, l *ReadyList, q ReadyQuery, condition string, args []any, who caller.Who) error {
	for i := range l.Items {
		r, whose := &l.Items[i], "assigned to you"
		switch {
		case r.Assignee == "":
			whose = "not assigned to another"
		case q.AnyAssignee:
			whose = "assigned to " + r.Assignee
		}
		r.Why = []string{"nothing blocks it", whose}
	}
	waiting, err := registry.Collect(tx, func(row registry.Scanner) (work.Item, error) { return work.Scan(row) },
		`SELECT `+work.Columns+` FROM items WHERE items.project_id = ? AND items.state IN ('open', 'active') AND items.deleted_at IS NULL AND NOT (`+condition+`)`+q.kinds()+readyOrder,
		append(args, q.Limit)...)
	if err != nil {
		return err
	}
	for _, item := range waiting {
		said, err := b.why(tx, item, who.AgentID)
		if err != nil {
			return err
		}
		l.NotReady = append(l.NotReady, Waiting{ID: item.Ref, Kind: item.Kind, Title: item.Title, Reasons: said.Reasons})
	}
	return nil
}

// Explanation is why one item is ready, or is not.
type Explanation struct {
	work.Explanation
	Kind  work.Kind `json:"kind"`
	Title string    `json:"title"`
}

// Explain returns why an item is ready, or is not.
func (b *Board) Explain(ctx context.Context, c caller.Caller, id string) (e Explanation, err error) {
	err = c.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		item, err := lookup.Item(tx, who.Project.ID, "", "id", id)
		if err != nil {
			return err
		}
		e.Kind, e.Title = item.Kind, item.Title
		e.Explanation, err = b.why(tx, item, who.AgentID)
		return err
	})
	return e, err
}

// Sentence returns the reasons of a waiting item in one line.
func (w Waiting) Sentence() string {
	said := make([]string, len(w.Reasons))
	for i, r := range w.Reasons {
		said[i] = r.Sentence
	}
	return strings.Join(said, "; ")
}

// why is lease.Explain with the name of the person that a ticket is assigned
// to, which is an id at some trackers.
func (b *Board) why(tx *registry.Tx, item work.Item, agentID int64) (work.Explanation, error) {
	said, err := lease.Explain(tx, item, agentID, b.ReleaseAfter)
	if err != nil || item.Person == "" {
		return said, err
	}
	for i := range said.Reasons {
		if said.Reasons[i].Why != work.WhyAssigned || item.AssigneeID != 0 {
			continue
		}
		name, err := registry.One[string](tx.QueryRow(`SELECT CASE WHEN assignee_name <> '' THEN assignee_name ELSE assignee END FROM tickets WHERE item_id = ?`, item.ID))
		if err != nil {
			return said, err
		}
		said.Reasons[i].Sentence = "it is assigned to " + name
	}
	return said, nil
}
