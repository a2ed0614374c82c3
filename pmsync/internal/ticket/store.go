package ticket

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Store runs transactions over tickets.
type Store struct {
	DB *registry.DB
	// AutoParse looks for acceptance criteria in the texts of new and changed tickets.
	AutoParse bool
	// Patterns are further words that criteria begin with, beside the common ones.
	Patterns []string
	// RefuseOffline refuses to queue a change while the tracker cannot be reached.
	RefuseOffline bool
	// Configured reports whether the project's configuration has a key. nil means that no key is set.
	Configured func(key string) bool
	// MaxQueued bounds how many changes may wait to be sent.
	MaxQueued int
	// StateFor holds the status to choose for a category that several of the tracker's statuses mean.
	StateFor map[string]string
}

// Filter selects the tickets to list.
type Filter struct {
	caller.Caller
	All        bool     // of all projects
	Statuses   []string // categories or trackers' own words; nil for the unfinished ones
	Types      []string
	Labels     []string // with every one of these
	Assignee   string
	Mine       bool // assigned to the caller's agent, or to the user
	Sprint     string
	Text       string // every word in key, title or description
	Everything bool   // include finished ones
	Limit      int    // 0 for all
	After      string // Page.Next of the previous page
}

// Page is one page of a list.
type Page struct {
	Tickets []Ticket `json:"tickets"`
	Next    string   `json:"next,omitempty"`
}

// List returns tickets, the most urgent first, and of the same urgency the older first.
func (s *Store) List(ctx context.Context, f Filter) (page Page, err error) {
	page.Tickets = []Ticket{}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		page.Tickets = page.Tickets[:0]
		where, args, err := f.where(tx)
		if err != nil || where == "" {
			return err
		}
		if f.After != "" {
			last, err := strconv.ParseInt(f.After, 36, 64)
			at := Ticket{}
			if err == nil {
				at, err = ByItem(tx, last)
			}
			if err != nil {
				return fault.Validation("after", "%q is not the end of a page of this list", f.After).WithHint("give the `next` of the page before")
			}
			where += ` AND (items.priority < ? OR items.priority = ? AND (items.created_at > ? OR items.created_at = ? AND items.id > ?))`
			created := registry.FormatTime(at.CreatedAt.Time)
			args = append(args, at.Priority, at.Priority, created, created, last)
		}
		end := ` ORDER BY items.priority DESC, items.created_at, items.id`
		if f.Limit > 0 {
			end += ` LIMIT ` + strconv.Itoa(f.Limit+1)
		}
		found, err := registry.Collect(tx, scan, selection+`WHERE `+where+end, args...)
		if f.Limit > 0 && len(found) > f.Limit {
			found = found[:f.Limit]
			page.Next = strconv.FormatInt(found[f.Limit-1].item.ID, 36)
		}
		page.Tickets = append(page.Tickets, found...)
		return err
	})
	return page, err
}

// where returns the condition of a filter; "" when nothing can meet it.
func (f Filter) where(tx *registry.Tx) (where string, args []any, err error) {
	conditions := []string{`items.deleted_at IS NULL`}
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	who := caller.Who{}
	if !f.All || f.Mine {
		if who, err = f.Reads(tx); err != nil {
			return "", nil, err
		}
	}
	if !f.All {
		if who.Project.ID == 0 {
			return "", nil, nil
		}
		add(`items.project_id = ?`, who.Project.ID)
	}
	switch {
	case f.Statuses != nil:
		marks, values := registry.In(f.Statuses)
		for i, status := range f.Statuses {
			values[i] = strings.ToLower(status)
		}
		add(`(tickets.status_category IN (`+marks+`) OR LOWER(items.status) IN (`+marks+`))`, slices.Concat(values, values)...)
	case !f.Everything:
		add(`items.state IN ('open', 'active')`)
	}
	if f.Types != nil {
		for _, t := range f.Types {
			if !slices.Contains(Types(), t) {
				return "", nil, fault.Validation("type", "%q is not a type of ticket", t).WithHint("use %s", strings.Join(Types(), ", "))
			}
		}
		marks, values := registry.In(f.Types)
		add(`tickets.item_type IN (`+marks+`)`, values...)
	}
	for _, label := range f.Labels {
		add(`EXISTS (SELECT 1 FROM ticket_labels l WHERE l.item_id = items.id AND l.label_key = ?)`, text.Key(label))
	}
	if isMe(f.Assignee) {
		f.Assignee, f.Mine = "", true
	}
	if f.Assignee != "" {
		add(`(items.assignee = ? OR LOWER(tickets.assignee_name) = ?)`, text.Key(f.Assignee), strings.ToLower(f.Assignee))
	}
	if f.Mine {
		add(`(items.assignee_agent_id = ? OR EXISTS (SELECT 1 FROM own_names own WHERE own.project_id = items.project_id AND own.name_key = items.assignee))`, who.AgentID)
	}
	if f.Sprint != "" {
		found, err := sprint.Find(tx, who.Project.ID, f.Sprint)
		if err != nil {
			return "", nil, err
		}
		add(`tickets.sprint_id = ?`, found.Row)
	}
	for _, word := range strings.Fields(f.Text) {
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(word)) + "%"
		add(`(items.ref_key LIKE ? ESCAPE '\' OR LOWER(items.title) LIKE ? ESCAPE '\' OR LOWER(items.description) LIKE ? ESCAPE '\')`, like, like, like)
	}
	return strings.Join(conditions, ` AND `), args, nil
}

// Known returns how many tickets a project has, and how many of them are finished.
func (s *Store) Known(ctx context.Context, c caller.Caller) (all, finished int, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		return tx.QueryRow(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN state IN ('done', 'dropped') THEN 1 ELSE 0 END), 0)
			FROM items WHERE project_id = ? AND kind = 'ticket' AND deleted_at IS NULL`, who.Project.ID).Scan(&all, &finished)
	})
	return all, finished, err
}

// Keys returns the keys of a project's tickets that begin with prefix, for completion.
func (s *Store) Keys(ctx context.Context, c caller.Caller, prefix string) (keys []string, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		keys, err = registry.Collect(tx, func(row registry.Scanner) (string, error) {
			var ref, title string
			err := row.Scan(&ref, &title)
			return ref + "\t" + title, err
		}, `SELECT ref, title FROM items WHERE project_id = ? AND kind IN ('ticket', 'epic') AND deleted_at IS NULL AND ref_key >= ? AND ref_key < ? ORDER BY ref_key LIMIT 200`,
			who.Project.ID, text.Key(prefix), text.Key(prefix)+"\U0010FFFF")
		return err
	})
	return keys, err
}

// InStatus is the number of tickets in a status.
type InStatus struct {
	Status   string
	Category string
	Count    int
}

// ByStatus counts the tickets of the caller's project by status. Statuses to do come first; within a category, those with the most tickets.
func (s *Store) ByStatus(ctx context.Context, c caller.Caller) (all []InStatus, err error) {
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		all, err = registry.Collect(tx, func(row registry.Scanner) (n InStatus, err error) {
			return n, row.Scan(&n.Status, &n.Category, &n.Count)
		}, `SELECT i.status, t.status_category, COUNT(*) FROM tickets t JOIN items i ON i.id = t.item_id
			WHERE t.project_id = ? AND t.gone_at IS NULL AND i.deleted_at IS NULL GROUP BY i.status, t.status_category
			ORDER BY CASE t.status_category WHEN 'todo' THEN 0 WHEN 'in_progress' THEN 1 WHEN 'done' THEN 2 ELSE 3 END, COUNT(*) DESC, i.status`, who.Project.ID)
		return err
	})
	return all, err
}

// Find returns the ticket with an id, in the project first.
func Find(tx *registry.Tx, projectID int64, field, id string) (Ticket, error) {
	// Most ids are the key of one ticket here; one statement finds it.
	if found, err := registry.Collect(tx, scan, selection+`WHERE items.ref_key = ? AND items.project_id + 0 = ? AND items.deleted_at IS NULL`, text.Key(id), projectID); err != nil {
		return Ticket{}, err
	} else if len(found) == 1 && found[0].item.Kind == work.KindTicket {
		return found[0], tx.In(projectID)
	}
	item, err := lookup.Ticket(tx, projectID, field, id)
	if err != nil {
		return Ticket{}, err
	}
	t, err := ByItem(tx, item.ID)
	if registry.NoRows(err) {
		f := fault.NotFound("ticket", id).WithHint("%s is an epic of this project, not a ticket", item.Ref)
		f.Field = field
		return t, f
	}
	return t, err
}
