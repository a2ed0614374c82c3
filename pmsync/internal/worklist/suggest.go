package worklist

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// SuggestQuery is a query for what to take next.
type SuggestQuery struct {
	caller.Caller
	Blockers bool // prefer what others wait for
	Criteria bool // prefer what is nearly done
	Mine     bool // prefer what is assigned to the caller
	Limit    int
}

// Suggestion is a ticket to take next, with the reasons in words.
type Suggestion struct {
	ID          string    `json:"id"`
	Kind        work.Kind `json:"kind"` // a list feeds the next command, which makes tasks of tickets
	Title       string    `json:"title"`
	Status      string    `json:"status"`
	Priority    int       `json:"priority"`
	Assignee    string    `json:"assignee,omitempty"`
	Sprint      string    `json:"sprint_name,omitempty"`
	DueDate     string    `json:"due_date,omitempty"`
	URL         string    `json:"url,omitempty"`
	Unblocks    int       `json:"unblocks"`
	Criteria    int       `json:"criteria_left"`
	Memories    int       `json:"memories"`
	Reasons     []string  `json:"reasons"`
	Explanation string    `json:"explanation"`
	Score       int       `json:"score"`

	item     int64
	own      bool
	inSprint bool
	verified int
	unblocks []string
}

// Suggestions are tickets to take next, the best first.
type Suggestions struct {
	Tickets  []Suggestion `json:"tickets"`
	Open     *int         `json:"open,omitempty"`     // unfinished tickets, where none is ready
	Assigned *int         `json:"assigned,omitempty"` // of them ready, but another's
}

// pool is how many ready tickets are weighed, in the order of the queue.
const pool = 200

// Suggest weighs the tickets that are ready: nothing that is blocked or another's
// is ever suggested.
func (b *Board) Suggest(ctx context.Context, q SuggestQuery) (all Suggestions, err error) {
	err = q.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		all = Suggestions{Tickets: []Suggestion{}}
		if who.Project.ID == 0 {
			return nil
		}
		found, err := b.candidates(tx, who)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			l, tickets := ReadyList{}, ReadyQuery{Tickets: true}
			err := l.count(tx, tickets, who)
			all.Open, all.Assigned = l.Open, l.Assigned
			return err
		}
		if err := enrich(tx, who.Project.ID, found); err != nil {
			return err
		}
		today := tx.Now().UTC().Format(time.DateOnly)
		for i := range found {
			found[i].weigh(q, today)
		}
		slices.SortStableFunc(found, func(a, b Suggestion) int { return b.Score - a.Score })
		all.Tickets = found[:min(len(found), q.Limit)]
		return nil
	})
	return all, err
}

// candidates are the ready tickets of the running sprint, and then the others.
func (b *Board) candidates(tx *registry.Tx, who caller.Who) ([]Suggestion, error) {
	current, err := sprint.Current(tx, who.Project.ID)
	if err != nil && !registry.NoRows(err) {
		return nil, err
	}
	condition, with, err := b.ready(tx, ReadyQuery{}, who)
	if err != nil {
		return nil, err
	}
	read := func(from string, args ...any) ([]Suggestion, error) {
		return registry.Collect(tx, func(row registry.Scanner) (s Suggestion, err error) {
			var due, name registry.Null[string]
			err = row.Scan(&s.item, &s.ID, &s.Title, &s.Status, &s.Priority, &s.Assignee, &due, &name, &s.URL, &s.own)
			s.DueDate, s.Sprint, s.Kind = due.V, name.V, work.KindTicket
			s.inSprint = err == nil && name.Valid && current.Row != 0 && name.V == current.Name
			return s, err
		}, `SELECT items.id, items.ref, items.title, items.status, items.priority, CASE WHEN t.assignee_name <> '' THEN t.assignee_name ELSE t.assignee END,
				t.due_date, s.name, t.url, items.state = 'open' AND (items.assignee IS NOT NULL OR items.assignee_agent_id IS NOT NULL)
			FROM `+from+` AND items.project_id = ? AND `+condition+notLocal+readyOrder, append(append(args, with...), pool)...)
	}
	if current.Row != 0 { // CROSS JOIN: from the tickets of the sprint, and not from all that is ready
		within, err := read(`tickets t CROSS JOIN items LEFT JOIN sprints s ON s.id = t.sprint_id WHERE items.id = t.item_id AND t.sprint_id = ?`, current.Row)
		if err != nil || len(within) > 0 {
			return within, err
		}
	}
	return read(`items JOIN tickets t ON t.item_id = items.id LEFT JOIN sprints s ON s.id = t.sprint_id WHERE true`)
}

// enrich adds what others wait for, what is left to do, and what is remembered.
func enrich(tx *registry.Tx, projectID int64, found []Suggestion) error {
	at := map[int64]*Suggestion{}
	byKey := map[string]*Suggestion{}
	ids, keys := []any{}, []any{projectID}
	for i := range found {
		at[found[i].item], byKey[text.Key(found[i].ID)] = &found[i], &found[i]
		ids, keys = append(ids, found[i].item), append(keys, text.Key(found[i].ID))
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(found)), ", ")
	each := func(query string, args []any, add func(s *Suggestion, a string, n int)) error {
		type counted struct {
			id int64
			a  string
			n  int
		}
		rows, err := registry.Collect(tx, func(row registry.Scanner) (c counted, err error) { return c, row.Scan(&c.id, &c.a, &c.n) }, query, args...)
		for _, c := range rows {
			add(cmp.Or(at[c.id], byKey[c.a]), c.a, c.n)
		}
		return err
	}
	err := each(`SELECT d.source_id, w.ref, 1 FROM dependencies d JOIN items w ON w.id = d.target_id WHERE d.relation = 'blocks' AND w.deleted_at IS NULL
		AND w.state IN ('open', 'active') AND d.source_id IN (`+marks+`) ORDER BY w.priority DESC, d.id`, ids, func(s *Suggestion, ref string, _ int) {
		s.Unblocks++
		s.unblocks = append(s.unblocks, ref)
	})
	if err != nil {
		return err
	}
	err = each(`SELECT item_id, status, COUNT(*) FROM criteria WHERE gone_at IS NULL AND item_id IN (`+marks+`) GROUP BY item_id, status`, ids, func(s *Suggestion, status string, n int) {
		if status == "verified" {
			s.verified += n
		} else {
			s.Criteria += n
		}
	})
	if err != nil {
		return err
	}
	return each(`SELECT 0, ref_key, COUNT(*) FROM item_memories WHERE project_id + 0 = ? AND ref_key IN (`+marks+`) GROUP BY ref_key`, keys, func(s *Suggestion, _ string, n int) { s.Memories = n })
}

// weigh scores a suggestion and says why, the weightiest reason first.
func (s *Suggestion) weigh(q SuggestQuery, today string) {
	type reason struct {
		points int
		said   string
	}
	var why []reason
	add := func(points int, format string, args ...any) {
		why = append(why, reason{points, fmt.Sprintf(format, args...)})
	}
	if p := work.Priority(s.Priority); p >= work.PriorityHigh {
		add(10*s.Priority, "its priority is %s", p)
	} else {
		s.Score += 10 * s.Priority
	}
	if s.own && q.Mine {
		add(25, "it is yours")
	}
	if s.Unblocks > 0 && q.Blockers {
		add(min(8*s.Unblocks, 32), "it unblocks %s: %s", text.Count(s.Unblocks, "other", "others"), firstOf(s.unblocks))
	}
	if s.inSprint {
		add(6, "it is in the running sprint %q", s.Sprint)
	}
	switch {
	case s.DueDate != "" && s.DueDate < today:
		add(20, "it was due on %s", s.DueDate)
	case s.DueDate != "" && s.DueDate <= soon(today):
		add(15, "it is due on %s", s.DueDate)
	}
	if q.Criteria {
		switch {
		case s.verified > 0 && s.Criteria > 0:
			add(10, "%s of %d left", text.Count(s.Criteria, "criterion", "criteria"), s.Criteria+s.verified)
		case s.Criteria > 0 && s.Criteria <= 3:
			add(5, "it is small: %s", text.Count(s.Criteria, "criterion", "criteria"))
		case s.Criteria > 8:
			s.Score -= 5
		}
	}
	if s.Memories > 0 {
		add(4, "%s about it", text.Count(s.Memories, "memory is", "memories are"))
	}
	slices.SortStableFunc(why, func(a, b reason) int { return b.points - a.points })
	s.Reasons = []string{}
	for _, r := range why {
		s.Score += r.points
		s.Reasons = append(s.Reasons, r.said)
	}
	if len(s.Reasons) == 0 {
		s.Reasons = append(s.Reasons, "nothing blocks it")
	}
	s.Explanation = strings.Join(s.Reasons, "; ")
}

// soon is the last day that is near.
func soon(today string) string {
	at, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return today
	}
	return at.AddDate(0, 0, 3).Format(time.DateOnly)
}

func firstOf(refs []string) string {
	const most = 3
	if len(refs) <= most {
		return strings.Join(refs, ", ")
	}
	return strings.Join(refs[:most], ", ") + " …"
}
