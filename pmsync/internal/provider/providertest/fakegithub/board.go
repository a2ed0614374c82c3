package fakegithub

import (
	"fmt"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// Board is the project of GitHub Projects that the account can read.
const Board = Owner + "/1"

// board is a project: its fields, and their values for each of its issues.
type board struct {
	fields  []*boardField
	items   []*boardItem
	updated time.Time
}

type boardField struct {
	id, name, kind string
	options        []choice
}

// choice is an option of a single-select field, or an iteration.
type choice struct {
	id, name, start string
	days            int
}

type boardItem struct {
	id      string
	issue   *issue
	updated time.Time
	options map[string]string // options by field name
	number  *float64
}

func newBoard(now func() time.Time) *board {
	field := func(id, name, kind string, options ...string) *boardField {
		f := &boardField{id: "PVTF_" + id, name: name, kind: kind}
		for at, o := range options {
			f.options = append(f.options, choice{id: fmt.Sprintf("%s%d", id, at), name: o})
		}
		return f
	}
	sprints := field("it", "Iteration", "ITERATION", "Iteration 1", "Iteration 2")
	for at := range sprints.options {
		sprints.options[at].start, sprints.options[at].days = now().AddDate(0, 0, 14*at-3).Format(time.DateOnly), 14
	}
	return &board{updated: now(), fields: []*boardField{field("ti", "Title", "TITLE"), field("st", "Status", "SINGLE_SELECT", "Todo", "In Progress", "In Review", "Done"),
		field("pr", "Priority", "SINGLE_SELECT", "P3 low", "Medium", "High", "Urgent"), field("es", "Estimate", "NUMBER"), sprints, field("no", "Notes", "TEXT")}}
}

func (b *board) field(name string) *boardField {
	return providertest.First(b.fields, func(f *boardField) bool { return f.name == name || f.id == name })
}

func (f *boardField) option(name string) *choice {
	at := slices.IndexFunc(f.options, func(c choice) bool { return c.name == name || c.id == name })
	if at < 0 {
		return nil
	}
	return &f.options[at]
}

// item returns an issue's place; nil for none.
func (b *board) item(i *issue) *boardItem {
	return providertest.First(b.items, func(p *boardItem) bool { return p.issue == i })
}

// add adds an issue to the project; an existing one stays unchanged.
func (w *hub) addToBoard(i *issue) *boardItem {
	if p := w.board.item(i); p != nil {
		return p
	}
	p := &boardItem{id: fmt.Sprintf("PVTI_%d", i.id), issue: i, options: map[string]string{}}
	w.board.items = append(w.board.items, p)
	w.moved(p)
	return p
}

// moved records a change of a place. The issue's own time does not change.
func (w *hub) moved(p *boardItem) {
	p.updated = w.now()
	w.board.updated = p.updated
}

// boardState changes an issue's state as a person does on the board, whose workflows close finished issues and reopen others.
func (w *hub) boardState(i *issue, name string) {
	p := w.addToBoard(i)
	was := i.closed
	i.closed, i.reason = name == "Done" || name == "Not planned", map[string]string{"Done": "completed", "Not planned": "not_planned"}[name]
	if was != i.closed {
		w.touch(i)
	}
	delete(p.options, "Status")
	if o := w.board.field("Status").option(name); o != nil {
		p.options["Status"] = o.id
	}
	w.moved(p)
}

// boardPriority sets the priority of an issue on the board.
func (w *hub) boardPriority(i *issue, n int) {
	p := w.addToBoard(i)
	delete(p.options, "Priority")
	if n > 0 {
		p.options["Priority"] = w.board.field("Priority").options[n-1].id
	}
	w.moved(p)
}

// lookBoard adds the board's data to an issue's state.
func (w *hub) lookBoard(i *issue, spec *providertest.Spec) {
	p := w.board.item(i)
	if p == nil {
		return
	}
	if o := w.board.field("Status").option(p.options["Status"]); o != nil && (!i.closed || o.name == "Done" && i.reason == "completed") {
		spec.Status = o.name
	}
	spec.Priority = 1 + slices.IndexFunc(w.board.field("Priority").options, func(c choice) bool { return c.id == p.options["Priority"] })
}

// wire is the name under which writes of a field are counted.
var wire = map[string]string{"Status": "status", "Priority": "priority", "Estimate": "estimate", "Iteration": "sprint"}

// boardStates are the states of issues on a board.
var boardStates = map[provider.Category]string{provider.Todo: "Todo", provider.InProgress: "In Progress", provider.Done: "Done", provider.Canceled: "Not planned"}

// LeaveBoard takes an issue out of the project.
func (s *Server) LeaveBoard(id string) {
	s.Change(id, func(i *issue) {
		s.w.board.items = slices.DeleteFunc(s.w.board.items, func(p *boardItem) bool { return p.issue == i })
		s.w.board.updated = s.w.now()
	})
}

// OnBoard reports whether an issue is in the project.
func (s *Server) OnBoard(id string) (is bool) {
	s.Change(id, func(i *issue) { is = s.w.board.item(i) != nil })
	return is
}
