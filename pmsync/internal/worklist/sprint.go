package worklist

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// SprintQuery is a query for the state of a sprint.
type SprintQuery struct {
	Sprint   string // id or name; "" for the active one
	Criteria bool   // how many of each ticket's criteria are verified
	Blockers bool   // how many items each ticket waits for
	Limit    int    // tickets shown; 0 for all
}

// SprintTicket is a ticket of a sprint.
type SprintTicket struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Type         string   `json:"item_type"`
	Status       string   `json:"status"`
	Category     string   `json:"status_category"`
	Priority     int      `json:"priority"`
	Assignee     string   `json:"assignee,omitempty"`
	Estimate     *float64 `json:"estimate,omitempty"`
	ACCompletion *float64 `json:"ac_completion,omitempty"` // percent; missing where no criteria are known
	BlockerCount *int     `json:"blocker_count,omitempty"`
}

// SprintStatus is how a sprint stands.
type SprintStatus struct {
	Sprint   sprint.Sprint  `json:"sprint"`
	Tickets  []SprintTicket `json:"tickets"` // by category in the order of work, then by priority
	Summary  map[string]int `json:"summary"` // tickets by category
	Velocity Velocity       `json:"velocity"`
	LeftOut  int            `json:"left_out,omitempty"`
}

// Velocity is how much of a sprint is done, in the points of its tickets.
type Velocity struct {
	Completed float64 `json:"completed_points"`
	Remaining float64 `json:"remaining_points"`
}

// Sprint returns how a sprint stands.
func (b *Board) Sprint(ctx context.Context, c caller.Caller, q SprintQuery) (s SprintStatus, err error) {
	err = c.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		s = SprintStatus{Tickets: []SprintTicket{}, Summary: map[string]int{ticket.Todo: 0, ticket.InProgress: 0, ticket.Done: 0}}
		if q.Sprint != "" {
			s.Sprint, err = sprint.Find(tx, who.Project.ID, q.Sprint)
		} else {
			s.Sprint, err = sprint.Current(tx, who.Project.ID)
		}
		if registry.NoRows(err) {
			none := fault.NotFound("sprint", "active")
			none.Message = "no sprint is active here"
			return none.WithHint("`pmsync sprint list` shows the sprints, `pmsync ready` what can be done without one")
		}
		if err != nil {
			return err
		}
		return s.load(tx, q)
	})
	return s, err
}

func (s *SprintStatus) load(tx *registry.Tx, q SprintQuery) error {
	counts := `NULL, NULL, NULL`
	if q.Criteria || q.Blockers {
		counts = `(SELECT COUNT(*) FROM criteria c WHERE c.item_id = items.id AND c.gone_at IS NULL),
			(SELECT COUNT(*) FROM criteria c WHERE c.item_id = items.id AND c.gone_at IS NULL AND c.status = 'verified'),
			CASE WHEN items.holds = 0 THEN 0 ELSE (SELECT COUNT(*) FROM dependencies d JOIN items b ON b.id = d.source_id WHERE d.target_id = items.id AND d.relation = 'blocks'
				AND ` + work.Unresolved + `) END`
	}
	found, err := registry.Collect(tx, func(row registry.Scanner) (t SprintTicket, err error) {
		var estimate registry.Null[float64]
		var criteria, verified, blockers registry.Null[int]
		err = row.Scan(&t.ID, &t.Title, &t.Type, &t.Status, &t.Category, &t.Priority, &t.Assignee, &estimate, &criteria, &verified, &blockers)
		if estimate.Valid {
			t.Estimate = &estimate.V
		}
		if q.Criteria && criteria.V > 0 {
			t.ACCompletion = new(float64(verified.V*1000/criteria.V) / 10)
		}
		if q.Blockers {
			t.BlockerCount = &blockers.V
		}
		return t, err
	}, `SELECT items.ref, items.title, t.item_type, items.status, t.status_category, items.priority,
			CASE WHEN t.assignee_name <> '' THEN t.assignee_name ELSE t.assignee END, t.estimate, `+counts+`
		FROM tickets t JOIN items ON items.id = t.item_id WHERE t.sprint_id = ? AND items.deleted_at IS NULL
		ORDER BY CASE t.status_category WHEN 'in_progress' THEN 0 WHEN 'todo' THEN 1 WHEN 'done' THEN 2 ELSE 3 END, items.priority DESC, items.created_at, items.id`, s.Sprint.Row)
	if err != nil {
		return err
	}
	for _, t := range found {
		s.Summary[t.Category]++
		switch {
		case t.Estimate == nil:
		case t.Category == ticket.Done:
			s.Velocity.Completed += *t.Estimate
		case t.Category != ticket.Canceled:
			s.Velocity.Remaining += *t.Estimate
		}
	}
	if s.Tickets = append(s.Tickets, found...); q.Limit > 0 && len(found) > q.Limit {
		s.Tickets, s.LeftOut = s.Tickets[:q.Limit], len(found)-q.Limit
	}
	return nil
}

// Sprints lists the sprints of a project.
func (b *Board) Sprints(ctx context.Context, c caller.Caller, status string) (all []sprint.Sprint, err error) {
	err = c.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		all, err = sprint.List(tx, who.Project.ID, status)
		return err
	})
	return all, err
}
