package overview

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Board holds the tasks of a project by epic and by state, and its tickets. All tasks are counted; the first ones of each state are
// listed.
type Board struct {
	Epics   []BoardEpic   `json:"epics"` // the last holds the tasks without an epic, if there are any
	Columns []BoardColumn `json:"columns"`
	// Tickets are those of running and planned sprints, and open ones of no sprint, by category.
	Tickets []TicketColumn `json:"tickets"`
	Choices Choices        `json:"choices"`
}

// BoardEpic counts all tasks of an epic; the filter does not apply.
type BoardEpic struct {
	ID     string         `json:"id"` // NoEpic for tasks without one
	Name   string         `json:"name"`
	Tasks  int            `json:"tasks"`
	Counts map[string]int `json:"counts"` // by state
}

// BoardColumn holds the tasks of one state that pass the filter: the most urgent first, finished ones newest first.
type BoardColumn struct {
	State string      `json:"state"` // one of TaskWords
	Count int         `json:"count"`
	Tasks []BoardTask `json:"tasks"` // the first tasks of the column
}

// BoardTask is a card.
type BoardTask struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Priority work.Priority  `json:"priority"`
	Epic     string         `json:"epic,omitempty"`
	Agent    string         `json:"agent,omitempty"`
	Changed  timestamp.Time `json:"changed"`
}

// Board returns the tasks of a project, "" for all, that pass a filter, in columns in the order of TaskWords.
func (p *Pages) Board(ctx context.Context, projectID string, f Filter) (Board, error) {
	var cards []task.Card
	var tickets []BoardTicket
	var sprints []Choice
	err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		id, err := projectRow(tx, projectID)
		if err != nil {
			return err
		}
		if cards, err = task.Cards(tx, id, p.Tasks.ReleaseAfter); err != nil {
			return err
		}
		if tickets, err = boardTickets(tx, projectID); err != nil {
			return err
		}
		sprints, err = boardSprints(tx, projectID)
		return err
	})
	if err != nil {
		return Board{}, err
	}
	epics, err := p.Graph.Epics(ctx, projectID)
	if err != nil {
		return Board{}, err
	}
	sprintOf := map[string]string{}
	for _, t := range tickets {
		if t.Task != "" {
			sprintOf[t.Task] = strconv.FormatInt(t.sprint, 10)
		}
	}
	b := Board{Epics: []BoardEpic{}, Columns: columns(cards, f, sprintOf), Tickets: ticketColumns(tickets, f)}
	for _, e := range epics {
		b.Epics = append(b.Epics, BoardEpic{ID: e.ID, Name: e.Name})
	}
	b.count(cards)
	var agents []string
	for _, c := range cards {
		agents = append(agents, c.Agent)
	}
	b.choose(tickets, sprints, agents)
	return b, nil
}

// columns sorts cards into columns, and keeps the first of each. sprintOf is the sprint of the ticket that a task was made from.
func columns(cards []task.Card, f Filter, sprintOf map[string]string) []BoardColumn {
	found := f.finder()
	by := map[string][]task.Card{}
	for _, c := range cards {
		word := wordFor(c)
		if (f.State == "" || f.State == word) && (f.Epic == "" || f.Epic == cmp.Or(c.Epic, NoEpic)) && (f.Assignee == "" || f.Assignee == c.Agent) &&
			(f.Sprint == "" || f.Sprint == cmp.Or(sprintOf[c.ID], NoSprint)) && found(c.ID, c.Name, c.Agent) {
			by[word] = append(by[word], c)
		}
	}
	all := []BoardColumn{}
	for _, word := range TaskWords {
		list := by[word]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b task.Card) int {
			if word == TaskDone || word == TaskFailed {
				return b.Changed.Compare(a.Changed.Time)
			}
			return cmp.Compare(b.Priority, a.Priority)
		})
		column := BoardColumn{State: word, Count: len(list)}
		for _, c := range list[:min(len(list), f.limit())] {
			column.Tasks = append(column.Tasks, BoardTask{ID: c.ID, Name: c.Name, Priority: c.Priority, Epic: c.Epic, Agent: c.Agent, Changed: c.Changed})
		}
		all = append(all, column)
	}
	return all
}

// count counts all cards by epic and state.
func (b *Board) count(cards []task.Card) {
	loose := BoardEpic{ID: NoEpic, Name: "in no epic", Counts: map[string]int{}}
	at := make(map[string]*BoardEpic, len(b.Epics))
	for i := range b.Epics {
		b.Epics[i].Counts = map[string]int{}
		at[b.Epics[i].ID] = &b.Epics[i]
	}
	for _, c := range cards {
		epic := at[c.Epic]
		if epic == nil {
			epic = &loose
		}
		epic.Tasks++
		epic.Counts[wordFor(c)]++
	}
	if loose.Tasks > 0 || len(b.Epics) == 0 {
		b.Epics = append(b.Epics, loose)
	}
}

// wordFor returns the screens' word for a task's state.
func wordFor(c task.Card) string {
	switch {
	case c.Status == task.Completed:
		return TaskDone
	case c.Ready:
		return TaskReady
	case c.Status == task.InProgress:
		return TaskProgress
	case c.Status == task.Pending:
		return TaskWaits
	}
	return c.Status // claimed, blocked and failed have the same word
}

// BoardTicket is a ticket on the board, beside the tasks.
type BoardTicket struct {
	TicketHead
	Task string `json:"task,omitempty"` // id of the task that was made from it

	epic     string // ref of its parent
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
		err = row.Scan(&t.ID, &t.Title, &t.Status, &t.Category, &t.Priority, &t.Assignee, &t.sprint, &t.epic, &t.epicName, &t.Task)
		return t, err
	}, `SELECT k.ref, k.title, k.status, k.category, k.priority, k.assignee, COALESCE(k.sprint_id, 0), COALESCE(over.ref, ''), COALESCE(over.title, ''), COALESCE(task.ref, '')
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
