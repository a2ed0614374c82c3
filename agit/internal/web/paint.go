package web

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// Paint is a view as plain tables, for a page without JavaScript.
type Paint struct {
	Headline string // the first line of the screens
	At       string // the time of day it was read
	Unknown  bool   // git's scan of the worktrees is not finished
	Sections []Section
}

// Section is a table.
type Section struct {
	ID, Title, Note string
	Columns         []string
	Rows            [][]string // the first cell names the row
}

// paintRows is how many rows of a table are painted; the scripts show the rest.
const paintRows = 200

// add adds a table with all its rows.
func (p *Paint) add(title, note string, columns []string, rows [][]string) {
	p.addFirst(len(rows), title, note, columns, rows)
}

// addFirst adds a table with the first of count rows.
func (p *Paint) addFirst(count int, title, note string, columns []string, rows [][]string) {
	rows = rows[:min(len(rows), paintRows)]
	if more := count - len(rows); more > 0 {
		note = strings.TrimPrefix(fmt.Sprintf("%s; %d more are not shown", note, more), "; ")
	}
	for _, row := range rows {
		for i := range row {
			row[i] = term.Escape(row[i])
		}
	}
	if len(rows) == 0 && note == "" {
		note = "none"
	}
	p.Sections = append(p.Sections, Section{ID: "s" + strconv.Itoa(len(p.Sections)), Title: title, Note: note, Columns: columns, Rows: rows})
}

// painter adds the tables of one view to a Paint.
type painter func(ctx context.Context, m *model, project string, s overview.State, p *Paint) error

var painters = map[string]painter{
	"/": paintOverview, "/board": paintBoard, "/graph": paintGraph, "/conflicts": paintConflicts, "/timeline": paintTimeline,
	"/memories": paintMemories, "/sprint": paintSprint, "/records": paintRecords,
}

func (m *model) Paint(ctx context.Context, path, project string) (*Paint, error) {
	state := m.state.State
	if path == "/conflicts" { // without scripts, only this view waits for git
		state = m.state.Looked
	}
	s, err := state(ctx, project)
	if err != nil {
		return &Paint{Headline: "agit", At: time.Now().UTC().Format("15:04 UTC")}, err
	}
	p := &Paint{Headline: headline(s), At: s.At.UTC().Format("15:04 UTC"), Unknown: len(s.Repos) > 0 && s.Totals.Conflicts == nil}
	return p, painters[path](ctx, m, project, s, p)
}

// headline returns the first line of the screens.
func headline(s overview.State) string {
	parts := []string{}
	for _, r := range s.Repos {
		parts = append(parts, strings.TrimRight(r.Name+" "+r.DefaultBranch+" "+r.Tip, " "))
	}
	if len(parts) > 3 {
		parts = []string{strconv.Itoa(len(parts)) + " repositories"}
	}
	conflicts := "conflicts unknown"
	if s.Totals.Conflicts != nil {
		conflicts = text.Count(*s.Totals.Conflicts, "conflict", "conflicts")
	}
	parts = append(parts, text.Count(s.Totals.Agents, "agent", "agents"), conflicts, text.Count(s.Totals.Landings, "landing", "landings"))
	if s.Totals.Spent != "" {
		parts = append(parts, s.Totals.Spent+" today")
	}
	if old := s.Totals.Mirror.Words(s.At.Time); old != "" {
		parts = append(parts, old)
	}
	return term.Escape(strings.Join(parts, " · "))
}

// notScanned adds the reasons for which conflicts of repositories and worktrees are not known.
func (p *Paint) notScanned(repos []overview.Repo, worktrees []overview.Worktree, near around) {
	var rows [][]string
	for _, r := range repos {
		if r.Problem != "" {
			rows = append(rows, []string{r.Name, r.Problem})
		}
	}
	for _, w := range worktrees {
		if w.Problem != "" {
			rows = append(rows, []string{near.in(w.Repo, w.Name), w.Problem})
		}
	}
	if len(rows) > 0 {
		p.add("Not scanned", "", []string{"Name", "Why"}, rows)
	}
}

func paintOverview(_ context.Context, _ *model, _ string, s overview.State, p *Paint) error {
	near := around{now: s.At.Time, many: len(s.Repos) > 1, trees: map[string]overview.Worktree{}}
	for _, w := range s.Worktrees {
		near.trees[w.Ref] = w
	}
	p.notScanned(s.Repos, nil, near) // the list of worktrees has theirs
	list(p, "needs", "", "", len(s.Needs), s.Needs, near)
	list(p, "agents", "", "", len(s.Agents), s.Agents, near)
	list(p, "worktrees", "", "", len(s.Worktrees), s.Worktrees, near)
	list(p, "landings", "", "", len(s.Landings), s.Landings, near)
	var totals []string
	for _, word := range overview.TaskWords {
		totals = append(totals, word+" "+strconv.Itoa(s.Tasks.Counts[word]))
	}
	p.add("Tasks", strings.Join(totals, ", "), nil, nil)
	return nil
}

func paintBoard(ctx context.Context, m *model, project string, s overview.State, p *Paint) error {
	board, err := m.pages.Board(ctx, project, overview.Filter{Most: paintRows})
	for _, c := range board.Columns {
		list(p, "lane", strings.ToUpper(c.State[:1])+c.State[1:], text.Count(c.Count, "task", "tasks"), c.Count, c.Tasks, around{now: s.At.Time})
	}
	for _, c := range board.Tickets {
		list(p, "beside", "Tickets, "+words(c.Category), text.Count(c.Count, "ticket", "tickets"), c.Count, c.Tickets, around{now: s.At.Time})
	}
	return err
}

func paintGraph(ctx context.Context, m *model, project string, s overview.State, p *Paint) error {
	plan, err := m.pages.Plan(ctx, project, overview.Filter{})
	list(p, "path", "", "", plan.Steps, plan.Critical, around{now: s.At.Time})
	list(p, "waiting", "", "", plan.Waits, plan.Waiting, around{now: s.At.Time})
	return err
}

func paintConflicts(_ context.Context, _ *model, _ string, s overview.State, p *Paint) error {
	note := ""
	if s.Totals.Conflicts == nil {
		note = "not every repository was scanned yet"
	}
	near := around{now: s.At.Time, many: len(s.Repos) > 1}
	p.notScanned(s.Repos, s.Worktrees, near)
	list(p, "files", "Conflicts", note, len(s.Conflicts), s.Conflicts, near)
	return nil
}

func paintTimeline(ctx context.Context, m *model, project string, s overview.State, p *Paint) error {
	line, err := m.pages.Sessions(ctx, project, overview.Filter{Span: "month", Most: paintRows})
	list(p, "sessions", "", "of the last month; times are UTC", line.Count, line.Sessions, around{now: s.At.Time})
	return err
}

func paintMemories(ctx context.Context, m *model, project string, s overview.State, p *Paint) error {
	shelf, err := m.pages.Memories(ctx, project, overview.Filter{Most: paintRows})
	var verdicts []string
	for _, v := range slices.Sorted(maps.Keys(shelf.Verdicts)) {
		verdicts = append(verdicts, v+" "+strconv.Itoa(shelf.Verdicts[v]))
	}
	if len(verdicts) > 0 {
		p.add("Citations", strings.Join(verdicts, ", "), nil, nil)
	}
	list(p, "memories", "", "", shelf.Count, shelf.Memories, around{now: s.At.Time})
	return err
}

func paintSprint(ctx context.Context, m *model, project string, s overview.State, p *Paint) error {
	b, err := m.pages.Sprint(ctx, project, overview.Filter{})
	loose := b.Count
	of := func(sprint int64) []overview.Ticket {
		return slices.DeleteFunc(slices.Clone(b.Tickets), func(t overview.Ticket) bool { return t.Sprint != sprint })
	}
	for _, one := range b.Sprints {
		all := 0
		for _, n := range one.Counts {
			all += n
		}
		loose -= all
		list(p, "tickets", one.Name, strings.TrimSuffix(one.Status+": "+one.Goal, ": "), all, of(one.ID), around{now: s.At.Time})
	}
	list(p, "tickets", "In no sprint", "", loose, of(0), around{now: s.At.Time})
	return err
}

func paintRecords(ctx context.Context, m *model, _ string, s overview.State, p *Paint) error {
	all, err := m.pages.Records(ctx)
	list(p, "records", "", "", len(all), all, around{now: s.At.Time})
	return err
}
