package overview

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// BoardTicket is a ticket on the board, beside the tasks.
type BoardTicket struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Status   string        `json:"status"`   // the tracker's word
	Category string        `json:"category"` // todo, in_progress, done, canceled
	Priority work.Priority `json:"priority"`
	Assignee string        `json:"assignee,omitempty"`
	Task     string        `json:"task,omitempty"` // id of the task that was made from it
	epic     string        // ref of its parent
	epicName string
	sprint   int64
}

// TicketColumn holds the tickets of one category that pass the filter, the most urgent first.
type TicketColumn struct {
	Category string        `json:"category"`
	Count    int           `json:"count"`
	Tickets  []BoardTicket `json:"tickets"` // the first of them
}

// Choice is a value that a filter may have, and its name for people.
type Choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// Choices are the values of the board's filters that its tickets and tasks have.
type Choices struct {
	Epics     []Choice `json:"epics"`
	Sprints   []Choice `json:"sprints"` // running and planned ones
	Assignees []Choice `json:"assignees"`
}

var ticketCategories = []string{"todo", "in_progress", "done", "canceled"}

// boardTickets reads the tickets of a project's running and planned sprints, and the open ones without a sprint, the most urgent first.
func boardTickets(tx *registry.Tx, projectID string) ([]BoardTicket, error) {
	where, args, err := scope(tx, projectID, `k.project_id`)
	if err != nil {
		return nil, err
	}
	return registry.Collect(tx, func(row registry.Scanner) (t BoardTicket, err error) {
		var sprint registry.Null[int64]
		err = row.Scan(&t.ID, &t.Title, &t.Status, &t.Category, &t.Priority, &t.Assignee, &sprint, &t.epic, &t.epicName, &t.Task)
		t.sprint = sprint.V
		return t, err
	}, `SELECT k.ref, k.title, k.status, k.category, k.priority, k.assignee, k.sprint_id, COALESCE(over.ref, ''), COALESCE(over.title, ''), COALESCE(task.ref, '')
		FROM ticket_board k JOIN items i ON i.id = k.item_id
		LEFT JOIN items over ON over.id = i.parent_id AND over.deleted_at IS NULL
		LEFT JOIN items task ON task.origin_id = k.item_id AND task.kind = 'task' AND task.deleted_at IS NULL AND task.state <> 'dropped'
		WHERE `+where+` AND `+wanted+` ORDER BY k.priority DESC, k.item_id`, args...)
}

// ticketColumns sorts tickets into columns and keeps the first ones of each that pass the filter.
func ticketColumns(all []BoardTicket, f Filter) []TicketColumn {
	found := f.finder()
	columns := []TicketColumn{}
	for _, category := range ticketCategories {
		column := TicketColumn{Category: category}
		for _, t := range all {
			if t.Category != category || f.State != "" || !f.wantsTicket(t) || !found(t.ID, t.Title, t.Assignee, t.Status) {
				continue
			}
			if column.Count++; column.Count <= f.limit() {
				column.Tickets = append(column.Tickets, t)
			}
		}
		if column.Count > 0 {
			columns = append(columns, column)
		}
	}
	return columns
}

func (f Filter) wantsTicket(t BoardTicket) bool {
	return (f.Epic == "" || f.Epic == cmp.Or(t.epic, NoEpic)) && (f.Assignee == "" || f.Assignee == t.Assignee) &&
		(f.Sprint == "" || f.Sprint == strconv.FormatInt(t.sprint, 10))
}

// choose lists the values that the board can be filtered by.
func (b *Board) choose(tickets []BoardTicket, sprints []Choice, agents []string) {
	b.Choices = Choices{Epics: []Choice{}, Sprints: sprints, Assignees: []Choice{}}
	for _, e := range b.Epics {
		b.Choices.Epics = append(b.Choices.Epics, Choice{e.ID, e.Name})
	}
	people := agents
	for _, t := range tickets {
		if one := (Choice{t.epic, t.epicName}); t.epic != "" && !slices.ContainsFunc(b.Choices.Epics, func(c Choice) bool { return c.Value == t.epic }) {
			b.Choices.Epics = append(b.Choices.Epics, one)
		}
		people = append(people, t.Assignee)
	}
	slices.Sort(people)
	for _, name := range slices.Compact(people) {
		if name != "" {
			b.Choices.Assignees = append(b.Choices.Assignees, Choice{name, name})
		}
	}
}

// boardSprints returns the running and planned sprints of a project as values of a filter.
func boardSprints(tx *registry.Tx, projectID string) ([]Choice, error) {
	where, args, err := scope(tx, projectID, `s.project_id`)
	if err != nil {
		return nil, err
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (c Choice, err error) {
		var id int64
		err = row.Scan(&id, &c.Name)
		c.Value = strconv.FormatInt(id, 10)
		return c, err
	}, `SELECT s.id, s.name FROM sprint_dates s WHERE `+where+` AND s.status <> 'completed'
		ORDER BY CASE s.status WHEN 'active' THEN 0 ELSE 1 END, s.starts_at, s.id`, args...)
	return append([]Choice{}, all...), err
}
