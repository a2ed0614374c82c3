package overview

import (
	"context"
	"strconv"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Backlog is the tickets of a project by sprint.
type Backlog struct {
	Sprints []Sprint `json:"sprints"` // active first, then planned; a ticket without a sprint is in none of them
	Count   int      `json:"count"`   // tickets of those sprints and open ones without a sprint that pass the filter
	Tickets []Ticket `json:"tickets"` // the first ones, by priority
	// Sync is the state of the tracker's synchronization; nil without a tracker.
	Sync *Sync `json:"sync,omitempty"`
}

// Sprint is a period with the tickets planned for it.
type Sprint struct {
	ID     int64           `json:"id"`
	Name   string          `json:"name"`
	Status string          `json:"status"` // planned, active
	Goal   string          `json:"goal,omitempty"`
	Starts *timestamp.Time `json:"starts,omitempty"`
	Ends   *timestamp.Time `json:"ends,omitempty"`
	Counts map[string]int  `json:"counts"` // number of all its tickets, by category
}

// TicketHead is what every list shows of a ticket.
type TicketHead struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Status   string        `json:"status"`   // the tracker's word
	Category string        `json:"category"` // todo, in_progress, done, canceled
	Priority work.Priority `json:"priority"`
	Assignee string        `json:"assignee,omitempty"`
}

// Ticket is a ticket of a sprint or of the backlog.
type Ticket struct {
	TicketHead
	Sprint   int64       `json:"sprint,omitempty"`
	URL      string      `json:"url,omitempty"`
	Due      string      `json:"due,omitempty"` // a date
	Criteria []Criterion `json:"criteria"`
}

// Criterion is an acceptance criterion of a ticket.
type Criterion struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress, verified, failed, blocked
}

// ticketsShown is the default number of listed tickets.
const ticketsShown = 2000

// Sprint returns the tickets of a project's running and planned sprints, and the open ones without a sprint, that pass a filter.
func (p *Pages) Sprint(ctx context.Context, projectID string, f Filter) (Backlog, error) {
	out := Backlog{Sprints: []Sprint{}, Tickets: []Ticket{}}
	err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		where, args, err := scope(tx, projectID, `s.project_id`)
		if err != nil {
			return err
		}
		out.Sprints, err = registry.Collect(tx, func(row registry.Scanner) (s Sprint, err error) {
			s.Counts = map[string]int{}
			var starts, ends string
			if err = row.Scan(&s.ID, &s.Name, &s.Status, &s.Goal, &starts, &ends); err != nil {
				return s, err
			}
			s.Starts, _ = optional(starts) // a tracker's unparsable time is left out
			s.Ends, _ = optional(ends)
			return s, nil
		}, `SELECT s.id, s.name, s.status, s.goal, s.starts_at, s.ends_at FROM sprint_dates s WHERE `+where+` AND s.status <> 'completed'
			ORDER BY CASE s.status WHEN 'active' THEN 0 ELSE 1 END, s.starts_at, s.id`, args...)
		if err != nil {
			return err
		}
		if err := out.readTickets(tx, projectID, f); err != nil || projectID == "" {
			return err
		}
		out.Sync, err = mirror(tx, projectID)
		return err
	})
	return out, err
}

const wanted = `(k.sprint_id IN (SELECT id FROM sprint_dates WHERE status <> 'completed') OR k.sprint_id IS NULL AND k.category IN ('todo', 'in_progress'))`

// readTickets reads all tickets, counts them, and keeps the first ones that pass the filter.
func (b *Backlog) readTickets(tx *registry.Tx, projectID string, f Filter) error {
	where, args, err := scope(tx, projectID, `k.project_id`)
	if err != nil {
		return err
	}
	at, sprints, found := map[int64]int{}, map[int64]Sprint{}, f.finder()
	for _, s := range b.Sprints {
		sprints[s.ID] = s
	}
	for row, err := range tx.Rows(`SELECT k.item_id, k.ref, k.title, k.status, k.category, k.priority, k.assignee, COALESCE(k.sprint_id, 0), k.url, k.due_date
		FROM ticket_board k WHERE `+where+` AND `+wanted+` ORDER BY k.priority DESC, k.item_id`, args...) {
		if err != nil {
			return err
		}
		t := Ticket{Criteria: []Criterion{}}
		var item int64
		if err := row.Scan(&item, &t.ID, &t.Title, &t.Status, &t.Category, &t.Priority, &t.Assignee, &t.Sprint, &t.URL, &t.Due); err != nil {
			return err
		}
		if s, ok := sprints[t.Sprint]; ok {
			s.Counts[t.Category]++
		}
		if f.Sprint != "" && f.Sprint != strconv.FormatInt(t.Sprint, 10) || !found(t.ID, t.Title, t.Assignee, t.Status) {
			continue
		}
		if b.Count++; b.Count <= f.limitOr(ticketsShown) {
			at[item] = len(b.Tickets)
			b.Tickets = append(b.Tickets, t)
		}
	}
	for row, err := range tx.Rows(`SELECT c.item_id, c.text, c.status FROM item_criteria c JOIN ticket_board k ON k.item_id = c.item_id
		WHERE `+where+` AND `+wanted+` ORDER BY c.item_id, c.position`, args...) {
		if err != nil {
			return err
		}
		var item int64
		var c Criterion
		if err := row.Scan(&item, &c.Text, &c.Status); err != nil {
			return err
		}
		if i, shown := at[item]; shown {
			b.Tickets[i].Criteria = append(b.Tickets[i].Criteria, c)
		}
	}
	return nil
}

// Sync is the state of the synchronization with a tracker.
type Sync struct {
	Provider  string          `json:"provider"`
	PulledAt  *timestamp.Time `json:"pulled_at,omitempty"`
	Offline   bool            `json:"offline,omitempty"`
	Pending   int             `json:"pending"` // changes that wait to be sent
	Conflicts int             `json:"conflicts"`
	Failure   string          `json:"failure,omitempty"`
}

// Words describes for a screen's header how old the local copy of a tracker is; "" for nil.
func (s *Sync) Words(now time.Time) string {
	if s == nil {
		return ""
	}
	words := s.Provider + " never pulled"
	if s.PulledAt != nil {
		words = s.Provider + " " + term.Ago(s.PulledAt.Time, now)
	}
	if s.Offline {
		words += ", offline"
	}
	return words
}

// mirror returns the sync state of a project's tracker, nil without one. For all projects it returns the state of the tracker that was
// pulled longest ago.
func mirror(tx *registry.Tx, projectID string) (*Sync, error) {
	where, args, err := scope(tx, projectID, `y.project_id`)
	if err != nil {
		return nil, err
	}
	var s Sync
	var pulled string
	err = tx.QueryRow(`SELECT y.provider, y.pulled_at, y.offline, y.pending, y.conflicts, y.failure FROM project_sync y WHERE `+where+`
		ORDER BY y.pulled_at, y.project_id LIMIT 1`, args...).
		Scan(&s.Provider, &pulled, &s.Offline, &s.Pending, &s.Conflicts, &s.Failure)
	if registry.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.PulledAt, err = optional(pulled)
	return &s, err
}
