package overview

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
)

// Plan is the part of a project's dependency graph that a person can read: unfinished tasks with a dependency, and the bugs that block
// them. When it is too large, epics stand for their tasks.
type Plan struct {
	Epics []PlanEpic `json:"epics"` // the last holds the tasks without an epic, if there are both
	Nodes []PlanNode `json:"nodes"` // at most mostNodes
	// Edges are pairs of nodes: the blocker and the waiting node.
	Edges [][2]string `json:"edges"`
	// Critical is the longest chain of unfinished tasks in the order in which they are done: the first ones, and their number. It is
	// empty when no task waits for another, and when the plan is for all projects.
	Critical []PlanStep `json:"critical"`
	Steps    int        `json:"steps"`
	// Waiting lists the same in words: the first waiting tasks, and their number.
	Waiting []PlanWait `json:"waiting"`
	Waits   int        `json:"waits"`

	Grouped bool `json:"grouped"` // epics stand for their tasks
	Folded  int  `json:"folded"`  // finished tasks that are not drawn
	Left    int  `json:"left"`    // tasks and bugs that did not fit
}

// PlanEpic is a container of tasks.
type PlanEpic struct {
	ID   string `json:"id"` // NoEpic for tasks without one
	Name string `json:"name"`
}

// PlanNode is a task, a bug, or an epic that stands for tasks.
type PlanNode struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"` // task, bug, epic
	Name     string `json:"name"`
	State    string `json:"state"` // one of TaskWords; for an epic, the most significant of its tasks' states
	Agent    string `json:"agent,omitempty"`
	Tasks    int    `json:"tasks,omitempty"` // number of tasks that an epic stands for
	Epic     string `json:"epic,omitempty"`  // the epic of an epic's node
	Critical bool   `json:"critical,omitempty"`
}

// PlanStep is a task of the critical path.
type PlanStep struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
}

// PlanWait is a waiting task with the items that it waits for.
type PlanWait struct {
	PlanStep
	On []string `json:"on"`
}

const (
	mostNodes = 300 // as many as a person can read; also the most listed steps of the critical path
	ownSteps  = 100 // steps of the critical path that no epic stands for
)

// Plan returns the dependencies of the tasks of a project, "" for all. Tasks without dependencies are left out.
func (p *Pages) Plan(ctx context.Context, projectID string, f Filter) (Plan, error) {
	w, err := p.web(ctx, projectID)
	return w.plan(f), err
}

// web holds everything that waits for something or is waited for.
type web struct {
	epics    []PlanEpic
	tasks    []task.Card // sorted by age
	bugs     []graph.Bug // open bugs
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
		if len(st.CriticalPath) > 1 { // a single task is not a path
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
		w.tasks, err = task.Cards(tx, id, p.Tasks.ReleaseAfter)
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

// plan chooses what to draw. When there is too much, finished tasks are left out first, then epics stand for their tasks; within one
// epic, the tasks with the most significant states are kept.
func (w web) plan(f Filter) Plan {
	out := Plan{Epics: append([]PlanEpic{}, w.epics...), Nodes: []PlanNode{}, Edges: [][2]string{}, Critical: []PlanStep{}, Waiting: []PlanWait{}, Steps: len(w.critical)}
	step := map[string]int{} // position in the critical path, from 1
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
	stands := map[string]string{} // for nodes that are not drawn
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

// wait describes in words what the drawn tasks wait for.
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

// addBugs adds the bugs that block drawn tasks, and those that the filter selects.
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

// telling are the states of a task, the most significant first.
var telling = []string{TaskBlocked, TaskFailed, TaskProgress, TaskClaimed, TaskReady, TaskWaits, TaskDone}

// rank orders nodes by significance.
func (n PlanNode) rank() int {
	if n.Critical {
		return -1
	}
	return n.tells()
}

// tells returns the rank of a node's state; 0 is the most significant.
func (n PlanNode) tells() int { return slices.Index(telling, n.State) }

// group replaces tasks by their epics, except the next tasks of the critical path, and returns which node stands for each task. An epic
// shows the most significant state of its tasks, including that a bug blocks one.
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

// join keeps the edges between drawn nodes, one for each pair.
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
