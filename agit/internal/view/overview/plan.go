package overview

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
)

// Plan is what waits for what in a project, as much of it as a person can look at: unfinished tasks that a line leads to or from,
// and the bugs that hold them. Where that is too much, epics stand for their tasks.
type Plan struct {
	Epics []PlanEpic `json:"epics"` // the last is of tasks in no epic, where there are any of both
	Nodes []PlanNode `json:"nodes"` // at most mostNodes
	// Edges are pairs of nodes: what is waited for, and what waits.
	Edges [][2]string `json:"edges"`
	// Critical is the longest chain of unfinished tasks, in order of doing: the first of them, and how many there are. It is
	// empty when none waits for another. It is of one project, and empty for all.
	Critical []PlanStep `json:"critical"`
	Steps    int        `json:"steps"`
	// Waiting says the same in words: the first tasks that wait, and how many do.
	Waiting []PlanWait `json:"waiting"`
	Waits   int        `json:"waits"`

	Grouped bool `json:"grouped"` // epics stand for their tasks
	Folded  int  `json:"folded"`  // finished tasks that are not drawn
	Left    int  `json:"left"`    // tasks and bugs for which there was no room
}

// PlanEpic is a container of tasks.
type PlanEpic struct {
	ID   string `json:"id"` // NoEpic for tasks in none
	Name string `json:"name"`
}

// PlanNode is a task, a bug, or an epic that stands for tasks.
type PlanNode struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"` // task, bug, epic
	Name     string `json:"name"`
	State    string `json:"state"` // one of TaskWords; of an epic, the most telling one of its tasks
	Agent    string `json:"agent,omitempty"`
	Tasks    int    `json:"tasks,omitempty"` // that an epic stands for
	Epic     string `json:"epic,omitempty"`  // the one that an epic's node stands for
	Critical bool   `json:"critical,omitempty"`
}

// PlanStep is a task of the critical path.
type PlanStep struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
}

// PlanWait is a task that waits, and for which items.
type PlanWait struct {
	PlanStep
	On []string `json:"on"`
}

const (
	mostNodes = 300 // that a person can look at; so many steps of the critical path are told
	ownSteps  = 100 // of the critical path, that no epic stands for
)

// Plan returns what the tasks of a project, "" for all, wait for. Tasks that stand alone are left out.
func (p *Pages) Plan(ctx context.Context, projectID string, f Filter) (Plan, error) {
	w, err := p.web(ctx, projectID)
	return w.plan(f), err
}

// web is all that waits for something, or is waited for.
type web struct {
	epics    []PlanEpic
	tasks    []task.Card // by age
	bugs     []graph.Bug // that are open
	edges    []task.Edge
	critical []string
}

func (p *Pages) web(ctx context.Context, projectID string) (w web, err error) {
	joined := map[string]bool{}
	if projectID != "" {
		st, err := p.Graph.ProjectStatus(ctx, projectID)
		if err != nil {
			return w, err
		}
		if len(st.CriticalPath) > 1 { // one task that stands alone is no path
			w.critical = st.CriticalPath
		}
	}
	for _, id := range w.critical {
		joined[id] = true
	}
	if err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		id, err := projectRow(tx, projectID)
		if err != nil {
			return err
		}
		if w.edges, err = task.Edges(tx, id); err != nil {
			return err
		}
		for _, e := range w.edges {
			joined[e.Task], joined[e.On] = true, true
		}
		w.tasks, err = task.Cards(tx, id)
		return err
	}); err != nil {
		return w, err
	}
	w.tasks = slices.DeleteFunc(w.tasks, func(c task.Card) bool { return !joined[c.ID] })
	epics, err := p.Graph.Epics(ctx, projectID)
	if err != nil {
		return w, err
	}
	for _, e := range epics {
		w.epics = append(w.epics, PlanEpic{ID: e.ID, Name: e.Name})
	}
	if len(epics) > 0 && slices.ContainsFunc(w.tasks, func(c task.Card) bool { return c.Epic == "" }) {
		w.epics = append(w.epics, PlanEpic{ID: NoEpic, Name: "in no epic"})
	}
	w.bugs, err = p.Graph.Bugs(ctx, projectID, false)
	return w, err
}

// plan chooses what of a web is drawn. Of more than a person can look at, finished tasks are left out, then epics stand for their tasks;
// of one epic, the most telling tasks are kept.
func (w web) plan(f Filter) Plan {
	out := Plan{Epics: append([]PlanEpic{}, w.epics...), Nodes: []PlanNode{}, Edges: [][2]string{}, Critical: []PlanStep{}, Waiting: []PlanWait{}, Steps: len(w.critical)}
	step := map[string]int{} // in the critical path, from 1
	for i, id := range w.critical {
		step[id] = i + 1
	}
	found := f.finder()
	epicOf, told := map[string]string{}, map[string]PlanStep{}
	var done []PlanNode
	for _, c := range w.tasks {
		one := PlanNode{ID: c.ID, Kind: "task", Name: c.Name, State: wordFor(c), Agent: c.Agent, Critical: step[c.ID] > 0}
		told[c.ID], epicOf[c.ID] = PlanStep{one.ID, one.Name, one.State}, cmp.Or(c.Epic, NoEpic)
		switch {
		case f.Epic != "" && f.Epic != epicOf[c.ID] || !found(c.ID, c.Name, c.Agent):
		case one.State == TaskDone:
			done = append(done, one)
		default:
			out.Nodes = append(out.Nodes, one)
		}
	}
	for _, id := range w.critical[:min(len(w.critical), mostNodes)] {
		out.Critical = append(out.Critical, cmp.Or(told[id], PlanStep{ID: id}))
	}
	out.wait(w.edges, told)
	if f.Done && len(out.Nodes)+len(done) <= mostNodes {
		out.Nodes = append(out.Nodes, done...)
	} else {
		out.Folded = len(done)
	}
	out.addBugs(w, f)
	stands := map[string]string{} // for what is not drawn itself
	switch {
	case len(out.Nodes) <= mostNodes:
	case f.Epic == "" && len(w.epics) > 0:
		stands = out.group(epicOf, step)
	default:
		slices.SortStableFunc(out.Nodes, func(a, b PlanNode) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	for _, n := range out.Nodes[min(len(out.Nodes), mostNodes):] {
		out.Left += max(1, n.Tasks)
	}
	out.Nodes = out.Nodes[:min(len(out.Nodes), mostNodes)]
	out.join(w.edges, stands)
	return out
}

// wait says in words what the tasks that are drawn wait for.
func (p *Plan) wait(edges []task.Edge, told map[string]PlanStep) {
	on := map[string][]string{}
	for _, e := range edges {
		if e.Holds {
			on[e.Task] = append(on[e.Task], e.On)
		}
	}
	for _, n := range p.Nodes {
		if len(on[n.ID]) == 0 {
			continue
		}
		if p.Waits++; len(p.Waiting) < mostRows {
			p.Waiting = append(p.Waiting, PlanWait{told[n.ID], on[n.ID]})
		}
	}
}

// addBugs adds the bugs that hold what is drawn, and those that are looked for.
func (p *Plan) addBugs(w web, f Filter) {
	drawn, holds, joined := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, n := range p.Nodes {
		drawn[n.ID] = true
	}
	for _, e := range w.edges {
		joined[e.On], holds[e.On] = true, holds[e.On] || drawn[e.Task]
	}
	found := f.finder()
	for _, b := range w.bugs {
		if holds[b.ID] || joined[b.ID] && f.Epic == "" && found(b.ID, b.Title) {
			p.Nodes = append(p.Nodes, PlanNode{ID: b.ID, Kind: "bug", Name: b.Title, State: TaskBlocked})
		}
	}
}

// telling are the states of a task, the most telling first.
var telling = []string{TaskBlocked, TaskFailed, TaskProgress, TaskClaimed, TaskReady, TaskWaits, TaskDone}

// rank orders nodes by how much they tell.
func (n PlanNode) rank() int {
	if n.Critical {
		return -1
	}
	return n.tells()
}

// tells is how much a node's state tells, 0 the most.
func (n PlanNode) tells() int { return slices.Index(telling, n.State) }

// group lets an epic stand for its tasks, but for the next ones of the critical path, and returns which node stands for each. It shows
// the most telling state of its tasks, and so says also that a bug blocks one.
func (p *Plan) group(epicOf map[string]string, step map[string]int) (stands map[string]string) {
	p.Grouped, stands = true, map[string]string{}
	names := map[string]string{NoEpic: "in no epic"}
	for _, e := range p.Epics {
		names[e.ID] = e.Name
	}
	var own, groups []PlanNode
	at := map[string]int{}
	for _, n := range p.Nodes {
		if n.Kind == "bug" {
			continue
		}
		if nth := step[n.ID]; nth > 0 && nth <= ownSteps {
			own = append(own, n)
			continue
		}
		epic := epicOf[n.ID]
		i, known := at[epic]
		if !known {
			i = len(groups)
			at[epic] = i
			groups = append(groups, PlanNode{ID: "epic " + epic, Kind: "epic", Name: names[epic], State: n.State, Epic: epic})
		}
		g := &groups[i]
		g.Tasks++
		if n.tells() < g.tells() {
			g.State = n.State
		}
		stands[n.ID] = g.ID
	}
	p.Nodes = append(own, groups...)
	return stands
}

// join keeps the edges between what is drawn, one for each pair.
func (p *Plan) join(edges []task.Edge, stands map[string]string) {
	drawn, seen := map[string]bool{}, map[[2]string]bool{}
	for _, n := range p.Nodes {
		drawn[n.ID] = true
	}
	for _, e := range edges {
		pair := [2]string{cmp.Or(stands[e.On], e.On), cmp.Or(stands[e.Task], e.Task)}
		if pair[0] != pair[1] && drawn[pair[0]] && drawn[pair[1]] && !seen[pair] {
			seen[pair] = true
			p.Edges = append(p.Edges, pair)
		}
	}
}
