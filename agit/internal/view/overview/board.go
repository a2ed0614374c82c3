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
		if cards, err = task.Cards(tx, id); err != nil {
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
	switch c.Status {
	case task.Completed:
		return TaskDone
	case task.InProgress:
		return TaskProgress
	case task.Pending:
		if c.Ready {
			return TaskReady
		}
		return TaskWaits
	}
	return c.Status // claimed, blocked and failed have the same word
}
