package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// row is one line of a part, with the data that keys act on.
type row struct {
	key   string // identifies the row while its data change
	cells []span

	kind     overview.Kind // of a need
	need     *overview.Need
	agent    string
	repo     string
	worktree string // ref
	name     string // of the worktree
	task     string // id
	landing  *overview.Landing
	conflict *overview.Conflict
	holder   string         // agent that holds the task
	stood    timestamp.Time // since when
	review   bool           // the worktree waits to be accepted
	seen     string         // the commit that waits to be accepted
	head     string         // the worktree's commit
}

// question returns the call that the row's agent asks permission for, or nil.
func (r *row) question() *overview.Question {
	if r.need == nil {
		return nil
	}
	return r.need.Question
}

// section is a part of the screen that has rows or a count worth showing.
type section struct {
	part    overview.Part
	title   []span
	counted bool // its title shows the number of rows
	rest    int  // number of rows that the state does not list
	columns []column
	rows    []row
}

// parts are in the order of the screen and of the keys 1 to 5.
var parts = []overview.Part{overview.PartNeeds, overview.PartAgents, overview.PartConflicts, overview.PartLandings, overview.PartTasks}

// sections returns the parts of a state, without empty parts and with only the rows that contain the filter.
func sections(s overview.State, now time.Time, filter string) []section {
	b := &builder{state: s, now: now, names: map[string]string{}, heads: map[string]string{}, reviews: map[string]string{}}
	for _, w := range s.Worktrees {
		b.names[w.Ref], b.heads[w.Ref] = b.in(w.Repo, clean(w.Name)), w.Head
	}
	for _, n := range s.Needs {
		if n.Kind == overview.NeedReview {
			b.reviews[n.Worktree] = n.Commit
		}
	}
	var shown []section
	for _, one := range []section{b.needs(), b.agents(), b.conflicts(), b.landings(), b.tasks()} {
		for i := range one.rows {
			b.found(&one.rows[i])
		}
		if filter != "" {
			all := len(one.rows)
			one.rows = slices.DeleteFunc(one.rows, func(r row) bool { return !r.holds(filter) })
			if one.counted {
				one.title[1].text = fmt.Sprintf(" %d of %d", len(one.rows), all)
			}
		}
		if len(one.rows) > 0 || one.part == overview.PartTasks && len(one.title) > 1 && filter == "" {
			shown = append(shown, one)
		}
	}
	return shown
}

// holds reports whether one of the row's cells contains a text, ignoring case.
func (r row) holds(filter string) bool {
	filter = strings.ToLower(filter)
	return slices.ContainsFunc(r.cells, func(c span) bool { return strings.Contains(strings.ToLower(c.text), filter) })
}

type builder struct {
	state   overview.State
	now     time.Time
	names   map[string]string // of worktrees
	heads   map[string]string // their commits
	reviews map[string]string // commits of worktrees that wait to be accepted
}

// in returns the name of something in a repository, with the repository's name when several are shown.
func (b *builder) in(repo, name string) string {
	if len(b.state.Repos) > 1 && repo != "" && name != "" {
		return clean(repo) + "/" + name
	}
	return name
}

// plain and in are cells.
func plain(s string) span               { return span{clean(s), term.Plain} }
func in(look term.Style, s string) span { return span{clean(s), look} }

func title(name string, n int) []span {
	return []span{{name, term.Bold}, {fmt.Sprintf(" %d", n), term.Plain}}
}

func (b *builder) needs() section {
	s := section{part: overview.PartNeeds, counted: true, title: title("NEEDS YOU", len(b.state.Needs)), columns: []column{
		{most: 30, narrow: 2, least: 12}, {narrow: 7, least: 9}, {right: true, drop: 6}, {ample: 48, narrow: 3, least: 28, scant: 12}, {most: 34, narrow: 1, least: 13, drop: 4}}}
	for i, n := range b.state.Needs {
		look := term.Yellow
		if n.Kind == overview.NeedConflict || n.Kind == overview.NeedTrial || n.Kind == overview.NeedLanding || n.Kind == overview.NeedFailed || n.Kind == overview.NeedFolder {
			look = term.Red
		}
		what := n.What
		if n.Kind != overview.NeedBlocked && n.Kind != overview.NeedFailed { // the other kinds are about a task
			what = b.in(n.Repo, what)
		}
		s.rows = append(s.rows, row{
			key: n.ID(), kind: n.Kind, need: &b.state.Needs[i], conflict: n.Conflict,
			cells: []span{plain(n.Who), in(look, n.State), b.since(n.Since), plain(n.Reason), plain(what)},
			agent: n.Agent, repo: n.Repo, worktree: n.Worktree, task: n.Task, landing: b.landing(n.Landing),
		})
	}
	return s
}

// waits reports whether a worktree waits to be accepted.
func (b *builder) waits(worktree string) bool {
	_, waits := b.reviews[worktree]
	return waits
}

func (b *builder) landing(id int64) *overview.Landing {
	for i, l := range b.state.Landings {
		if id != 0 && l.ID == id {
			return &b.state.Landings[i]
		}
	}
	return nil
}

// found adds to a row the state's data on its worktree and its task.
func (b *builder) found(r *row) {
	r.head, r.seen, r.review = b.heads[r.worktree], b.reviews[r.worktree], b.waits(r.worktree)
	r.name = cmp.Or(r.name, b.names[r.worktree])
	for _, t := range b.state.Tasks.List {
		if t.ID == r.task && t.Agent != "" && (t.State == overview.TaskClaimed || t.State == overview.TaskProgress || t.State == overview.TaskBlocked) {
			if r.holder = t.Agent; t.Stood != nil {
				r.stood = *t.Stood
			}
			return
		}
	}
}

func (b *builder) agents() section {
	s := section{part: overview.PartAgents, title: title("AGENTS", b.state.Totals.Agents), columns: []column{
		{most: 18, narrow: 4, least: 8}, {}, {right: true, drop: 6}, {most: 34, narrow: 3, least: 12, drop: 5}, {drop: 4}, {drop: 4},
		{ample: 40, narrow: 4, least: 13, drop: 5}, {right: true, drop: 3}, {narrow: 1, least: 20, drop: 2}}}
	if gone := b.state.Totals.Gone; gone > 0 {
		s.title = append(s.title, span{fmt.Sprintf("  gone %d", gone), term.Dim})
	}
	trees, placed := map[string]overview.Worktree{}, map[string]bool{}
	for _, w := range b.state.Worktrees {
		trees[w.Ref] = w
	}
	for _, a := range b.state.Agents {
		placed[a.Worktree] = true
		s.rows = append(s.rows, b.agentRow(a, trees[a.Worktree]))
	}
	for _, w := range b.state.Worktrees {
		if !placed[w.Ref] { // its agent is elsewhere, or it has none
			s.rows = append(s.rows, b.agentRow(overview.Agent{Name: cmp.Or(w.By, "-"), State: noAgent, Since: w.Since, Repo: w.Repo,
				Worktree: w.Ref, Task: w.Task, TaskName: w.TaskName}, w))
		}
	}
	return s
}

func (b *builder) agentRow(a overview.Agent, w overview.Worktree) row {
	changed, ahead := "", ""
	if w.Changed != nil && *w.Changed > 0 {
		changed = fmt.Sprintf("%d changed", *w.Changed)
	}
	if w.Ahead != nil && *w.Ahead > 0 {
		ahead = fmt.Sprintf("%d ahead", *w.Ahead)
	}
	return row{
		key:   a.Name + "\x00" + a.Worktree + "\x00" + a.Host,
		cells: []span{plain(a.Name), in(agentLooks[a.State], a.State), b.since(a.Since), plain(cmp.Or(b.names[w.Ref], a.Host)), plain(ahead), plain(changed), b.note(a, w), plain(a.Spent), in(term.Dim, a.TaskName)},
		agent: agentOf(a), repo: cmp.Or(w.Repo, a.Repo), worktree: w.Ref, task: a.Task,
	}
}

// agentOf returns the agent of a row. It is "" for a worktree without an agent, and for a client that is not an agent of the suite.
func agentOf(a overview.Agent) string {
	if a.State == noAgent || a.State == overview.StateSeen {
		return ""
	}
	return a.Name
}

// noAgent is the state shown for a worktree without an agent.
const noAgent = "no agent"

var agentLooks = term.Styles{string(presence.Working): term.Green, string(presence.Waiting): term.Yellow, string(presence.Gone): term.Dim}

// note returns what a worker waits for, or else the most important remark about an agent's worktree.
func (b *builder) note(a overview.Agent, w overview.Worktree) span {
	switch {
	case a.State == string(presence.Idle) && a.Note != "":
		return plain(a.Note)
	case w.Missing, w.Marks.Prunable:
		return in(term.Red, w.State)
	case b.waits(w.Ref):
		return span{"to review", term.Yellow}
	case len(w.Conflicts) > 0:
		return in(term.Red, strings.Join(append([]string{"conflict: " + strings.Join(w.Conflicts, ", ")}, w.Notes...), "; "))
	case w.Problem != "":
		return in(term.Red, w.Problem)
	case a.Told > 0:
		return in(term.Plain, text.Count(a.Told, "message waits", "messages wait"))
	case a.FreedAt != nil && a.FreedAt.After(b.now):
		return in(term.Plain, "claim ends "+term.Since(b.now, a.FreedAt.Time))
	case a.FreedAt != nil:
		return span{"claim ended", term.Plain}
	}
	if all := w.Notes; len(all) > 0 {
		return in(term.Yellow, strings.Join(all, ", "))
	}
	return span{}
}

var depths = map[conflict.Depth]span{
	conflict.DepthMerge: {"will not merge", term.Red}, conflict.DepthLines: {"same lines", term.Yellow},
	conflict.DepthUses: {"may break", term.Yellow}, conflict.DepthFile: {"same file", term.Plain},
}

func (b *builder) conflicts() section {
	s := section{part: overview.PartConflicts, counted: true, title: title("CONFLICTS", len(b.state.Conflicts)), columns: []column{
		{narrow: 3, least: 16}, {drop: 5}, {right: true, drop: 4}, {narrow: 2, least: 24}}}
	for i, c := range b.state.Conflicts {
		sides := make([]string, len(c.Sides))
		for k, side := range c.Sides {
			sides[k] = strings.TrimSpace(clean(cmp.Or(side.By, side.Agent)) + " " + clean(side.Name))
		}
		s.rows = append(s.rows, row{
			key:   c.Repo + "\x00" + c.Key(),
			cells: []span{plain(strings.TrimSpace(b.in(c.Repo, c.File) + " " + c.Lines)), depths[c.Depth], b.since(c.Since), {strings.Join(sides, " x "), term.Plain}},
			repo:  c.Repo, worktree: c.Sides[0].Worktree, agent: c.Sides[0].Agent, conflict: &b.state.Conflicts[i],
		})
	}
	return s
}

var landingLooks = term.Styles{"returned": term.Red, "landed": term.Green}

func (b *builder) landings() section {
	s := section{part: overview.PartLandings, counted: true, title: title("LANDINGS", len(b.state.Landings)), columns: []column{
		{right: true}, {}, {right: true, drop: 6}, {most: 18, narrow: 4, least: 8, drop: 5}, {most: 34, narrow: 2, least: 12}, {narrow: 3, least: 20}}}
	for i, l := range b.state.Landings {
		position := "-"
		if l.Position > 0 {
			position = fmt.Sprint(l.Position)
		}
		s.rows = append(s.rows, row{
			key:   fmt.Sprint(l.ID),
			cells: []span{{position, term.Plain}, in(landingLooks[l.State], l.State), b.since(l.Since), plain(l.Agent), plain(b.in(l.Repo, l.Name)), plain(cmp.Or(l.Reason, l.Gate, l.Commit))},
			agent: l.Agent, repo: l.Repo, worktree: l.Worktree, name: b.in(l.Repo, clean(l.Name)), landing: &b.state.Landings[i],
		})
	}
	return s
}

func (b *builder) tasks() section {
	t := b.state.Tasks
	s := section{part: overview.PartTasks, title: []span{{"TASKS", term.Bold}}, columns: []column{
		{drop: 4}, {most: 60, narrow: 1, least: 24}, {right: true, drop: 5}, {most: 18, drop: 3}, {narrow: 2, least: 24}}}
	for _, word := range overview.TaskWords {
		if n := t.Counts[word]; n > 0 {
			s.title = append(s.title, span{fmt.Sprintf("  %s ", word), term.Plain}, span{fmt.Sprint(n), taskLooks[word]})
		}
	}
	s.rest = t.Unlisted
	for _, one := range t.List {
		state := one.State
		switch {
		case one.State == overview.TaskWaits && len(one.On) > 0:
			state = "waits for " + text.Few(one.On)
		case one.State == overview.TaskBlocked && len(one.On) > 0:
			state = "blocked by " + text.Few(one.On)
		}
		s.rows = append(s.rows, row{
			key:   one.ID,
			cells: []span{plain(one.ID), in(taskLooks[one.State], state), b.since(one.Since), plain(one.Agent), plain(one.Name)},
			agent: one.Agent, repo: one.Repo, worktree: one.Worktree, task: one.ID,
		})
	}
	return s
}

var taskLooks = term.Styles{overview.TaskBlocked: term.Yellow, overview.TaskFailed: term.Red, overview.TaskProgress: term.Green, overview.TaskWaits: term.Dim}

func (b *builder) since(at *timestamp.Time) span {
	if at == nil || at.IsZero() {
		return span{}
	}
	return span{term.Since(at.Time, b.now), term.Plain}
}
