// Package work keeps the items that are worked on. Every task, ticket, plan, bug, epic, scenario and artifact has one row
// in `items`, whatever table holds the rest of it. `item_history` has every change, `dependencies` what waits for what.
// Owners of the kinds' own tables (agit's tasks, pmsync's tickets) make and move items only through this package.
// work/lease keeps who holds an item.
//
// items.holds counts what keeps an item waiting: its own unresolved blockers, and one more while its parent is held. A
// statement that may change the count is followed by propagate; nothing else writes it.
//
// Its functions take a transaction and so are safe for concurrent use.
package work

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Kind is the kind of an item.
type Kind string

// The kinds of items.
const (
	KindTask     Kind = "task"
	KindTicket   Kind = "ticket"
	KindPlan     Kind = "plan"
	KindBug      Kind = "bug"
	KindEpic     Kind = "epic"
	KindScenario Kind = "scenario"
	KindArtifact Kind = "artifact"
)

// State is the one word that readiness looks at; a kind's own status maps to it.
type State string

// The states: open waits to be taken, active is being worked on, done is finished successfully, dropped is finished otherwise (failed,
// canceled).
const (
	StateOpen    State = "open"
	StateActive  State = "active"
	StateDone    State = "done"
	StateDropped State = "dropped"
)

// Item is one row of items.
type Item struct {
	ID          int64
	UID         string
	ProjectID   int64
	Kind        Kind
	Ref         string // what people type: t-7k3m9q2x4d, SEM-123
	Title       string
	Description string
	Status      string
	State       State
	Priority    Priority
	Holds       int           // how many things keep it waiting; kept by this package alone
	ParentID    int64         // the item that contains it, 0 for none
	OriginID    int64         // the item that it was made from, 0 for none
	AssigneeID  int64         // 0 when not assigned to an agent
	Person      string        // the person at a tracker that it is assigned to, folded (text.Key); "" for none
	Estimate    time.Duration // 0 when not estimated
	CreatedAt   time.Time
	UpdatedAt   time.Time
	StartedAt   time.Time // zero until in progress
	FinishedAt  time.Time // zero until done or dropped
}

// Columns and Scan let the owners of the kinds' tables join items in their reads.
const Columns = `items.id, items.uid, items.project_id, items.kind, items.ref, items.title, items.description,
	items.status, items.state, items.priority, items.holds, items.parent_id, items.origin_id, items.assignee_agent_id, items.assignee, items.estimate_seconds,
	items.created_at, items.updated_at, items.started_at, items.finished_at`

// Scan reads Columns, and any columns after them into more.
func Scan(row registry.Scanner, more ...any) (i Item, err error) {
	var seconds int64
	var created, updated, started, finished timestamp.Time
	err = row.Scan(append([]any{&i.ID, &i.UID, &i.ProjectID, &i.Kind, &i.Ref, &i.Title, &i.Description, &i.Status, &i.State, &i.Priority, &i.Holds,
		registry.Nullable(&i.ParentID), registry.Nullable(&i.OriginID), registry.Nullable(&i.AssigneeID), registry.Nullable(&i.Person), registry.Nullable(&seconds),
		&created, &updated, registry.Nullable(&started), registry.Nullable(&finished)}, more...)...)
	i.Estimate = time.Duration(seconds) * time.Second
	i.CreatedAt, i.UpdatedAt, i.StartedAt, i.FinishedAt = created.Time, updated.Time, started.Time, finished.Time
	return i, err
}

func scanItem(row registry.Scanner) (Item, error) { return Scan(row) }

// NewItem holds the values to make an item.
type NewItem struct {
	ProjectID int64
	Kind      Kind
	Ref       string // made from Prefix when empty
	Prefix    string // of a made ref, "t-"
	Keyed     bool   // Ref is a key that is unique only among the project's items of this kind
	Text      string // the first line becomes the title, the whole the description
	Title     string // when set, the title; Text is then the description alone, and both were checked by the caller
	Status    string // the kind's first status
	State     State  // StateOpen when empty
	Priority  Priority
	ParentID  int64         // the item that contains it; 0 for none
	OriginID  int64         // the item that it is made from; 0 for none
	Estimate  time.Duration // 0 when not estimated
	CreatedAt time.Time     // now when zero; for a tracker's item the time it was created there
	EndedAt   time.Time     // of an item that is finished already; now when zero
	By        int64         // the agent that made it, 0 when none is named
	Actor     string
}

// texts returns the title and the description of a new item.
func (n NewItem) texts() (title, description string, err error) {
	if n.Title != "" {
		return n.Title, n.Text, nil
	}
	body, err := text.Body("description", n.Text)
	if err == nil && body == "" {
		err = fault.Validation("description", "the %s has no text", n.Kind).WithHint("say what is to be done")
	}
	return text.FirstLine(body, titleLimit), body, err
}

// created returns when the item was made, at the latest now.
func (n NewItem) created(now time.Time) time.Time {
	if n.CreatedAt.IsZero() || n.CreatedAt.After(now) {
		return now
	}
	return n.CreatedAt
}

// titleLimit is the length of a title in bytes; the description keeps the rest.
const titleLimit = 200

// Create adds an item. A ref that exists already is a Conflict fault that names its project; a generated ref is generated again until it is
// free.
func Create(tx *registry.Tx, n NewItem) (Item, error) {
	title, body, err := n.texts()
	if err != nil {
		return Item{}, err
	}
	n.State = cmp.Or(n.State, StateOpen)
	if n.Ref != "" {
		if n.Ref, err = text.Name("id", n.Ref); err != nil {
			return Item{}, err
		}
		if err := n.refIsFree(tx); err != nil {
			return Item{}, err
		}
	}
	holds := 0
	if n.ParentID != 0 {
		if holds, err = heldBy(tx, n.ParentID); err != nil {
			return Item{}, err
		}
	}
	for {
		ref := n.Ref
		if ref == "" {
			ref = registry.NewID(n.Prefix)
		}
		item, err := Scan(tx.QueryRow(`INSERT INTO items
			(uid, project_id, kind, ref, ref_key, title, description, status, state, priority, holds,
			 parent_id, origin_id, estimate_seconds, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING `+strings.ReplaceAll(Columns, "items.", ""),
			registry.NewUID(), n.ProjectID, n.Kind, ref, text.Key(ref), title, body,
			n.Status, n.State, int(n.Priority), holds, registry.NullIfZero(n.ParentID), registry.NullIfZero(n.OriginID),
			registry.NullIfZero(int64(n.Estimate/time.Second)), registry.FormatTime(n.created(tx.Now())), tx.Stamp()))
		if registry.NoRows(err) && n.OriginID != 0 {
			if taken := takenUp(tx, n.OriginID); taken != nil {
				return Item{}, taken
			}
		}
		if registry.NoRows(err) && n.Ref == "" {
			continue
		}
		if err != nil {
			return Item{}, err
		}
		return item, Record(tx, item.ID, Event{Agent: n.By, Actor: n.Actor, Field: "status", New: n.Status, Why: "created"})
	}
}

// refIsFree refuses an id from a caller that exists anywhere in the registry, since tools take ids without a project. A key of a tracker
// only has to be unique in its project.
func (n NewItem) refIsFree(tx *registry.Tx) error {
	ref, where, args := n.Ref, ``, []any{text.Key(n.Ref)}
	if n.Keyed {
		where, args = ` AND i.project_id = ? AND i.kind = ?`, append(args, n.ProjectID, n.Kind)
	}
	var owner string
	err := tx.QueryRow(`SELECT p.name FROM items i JOIN projects p ON p.id = i.project_id WHERE i.ref_key = ?`+where+` LIMIT 1`, args...).Scan(&owner)
	if found, err := registry.Found(err); !found {
		return err
	}
	return fault.Conflict("item", ref, "%q exists already, in project %q", ref, owner).WithHint("choose another id")
}

// ByID returns the item with this row id, which its caller read from a row.
func ByID(tx *registry.Tx, id int64) (Item, error) {
	return Scan(tx.QueryRow(`SELECT `+Columns+` FROM items WHERE id = ?`, id))
}

// FindIn is Find, but prefers the items of a project: keys of trackers need not be unique beyond their project. projectID 0 prefers none.
func FindIn(tx *registry.Tx, projectID int64, kind Kind, id string) (Item, error) {
	if projectID != 0 && id != "" {
		// As in Find, the kind is checked outside the query.
		here, err := registry.Collect(tx, scanItem,
			`SELECT `+Columns+` FROM items WHERE ref_key = ? AND project_id + 0 = ? AND deleted_at IS NULL`, text.Key(id), projectID)
		here = slices.DeleteFunc(here, func(i Item) bool { return kind != "" && i.Kind != kind })
		if err != nil || len(here) == 1 {
			return append(here, Item{})[0], err
		}
	}
	return Find(tx, kind, id)
}

// Find returns the item of a kind by its ref or uid, without case. kind "" finds
// any; more than one match is a Validation fault that names them.
func Find(tx *registry.Tx, kind Kind, id string) (Item, error) {
	what := cmp.Or(string(kind), "item")
	if id == "" {
		return Item{}, fault.Validation("id", "no %s id is given", what).WithHint("give one")
	}
	// The kind is checked here: in the query it would tempt the planner into an index that holds every task.
	found, err := registry.Collect(tx, scanItem,
		`SELECT `+Columns+` FROM items WHERE ref_key = ? AND deleted_at IS NULL
		 UNION ALL SELECT `+Columns+` FROM items WHERE uid = ? AND deleted_at IS NULL`, text.Key(id), text.Key(id))
	found = slices.DeleteFunc(found, func(i Item) bool { return kind != "" && i.Kind != kind })
	switch {
	case err != nil:
		return Item{}, err
	case len(found) == 0:
		err := fault.NotFound(what, id)
		if kind == "" {
			err = err.WithHint("give the id of a task, ticket, plan, bug or epic")
		}
		return Item{}, err
	case len(found) > 1:
		names := make([]string, len(found))
		for i, item := range found {
			project, err := registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE id = ?`, item.ProjectID))
			if err != nil {
				return Item{}, err
			}
			names[i] = fmt.Sprintf("%s (%s %s of project %q)", item.UID, item.Kind, item.Ref, project)
		}
		return Item{}, fault.Validation("id", "%q names %d items: %s", id, len(found), strings.Join(names, ", ")).WithHint("give one of these ids")
	}
	return found[0], nil
}
