package overview

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
)

// Plan is what waits for what in a project, for its graph.
type Plan struct {
	Epics []PlanEpic `json:"epics"`
	Tasks []PlanTask `json:"tasks"` // that an edge leads to or from, and critical ones, by age
	Bugs  []PlanBug  `json:"bugs"`  // that something waits for
	// Edges are pairs: what waits, and what for. Ids of tasks, tickets, plans and bugs.
	Edges [][2]string `json:"edges"`
	// Critical is the longest chain of unfinished tasks, in order of doing; empty when none waits
	// for another. It is of one project, and empty for all.
	Critical []string `json:"critical"`
}

// PlanEpic is a container of tasks.
type PlanEpic struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// PlanTask is a task in the graph.
type PlanTask struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"` // one of TaskWords
	Epic  string `json:"epic,omitempty"`
	Agent string `json:"agent,omitempty"`
}

// PlanBug is an open bug.
type PlanBug struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
}

// Plan returns what the tasks of a project, "" for all, wait for. Tasks that stand alone are left out.
func (p *Pages) Plan(ctx context.Context, projectID string) (Plan, error) {
	out := Plan{Epics: []PlanEpic{}, Tasks: []PlanTask{}, Bugs: []PlanBug{}, Edges: [][2]string{}, Critical: []string{}}
	joined := map[string]bool{}
	if projectID != "" {
		st, err := p.Graph.ProjectStatus(ctx, projectID)
		if err != nil {
			return out, err
		}
		if len(st.CriticalPath) > 1 { // one task that stands alone is no path
			out.Critical = st.CriticalPath
		}
	}
	for _, id := range out.Critical {
		joined[id] = true
	}
	err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		id, err := projectRow(tx, projectID)
		if err != nil {
			return err
		}
		edges, err := task.Edges(tx, id)
		if err != nil {
			return err
		}
		for _, e := range edges {
			out.Edges = append(out.Edges, [2]string{e.Task, e.On})
			joined[e.Task], joined[e.On] = true, true
		}
		cards, err := task.Cards(tx, id)
		for _, c := range cards {
			if joined[c.ID] {
				out.Tasks = append(out.Tasks, PlanTask{ID: c.ID, Name: c.Name, State: wordFor(c), Epic: c.Epic, Agent: c.Agent})
			}
		}
		return err
	})
	if err != nil {
		return out, err
	}
	epics, err := p.Graph.Epics(ctx, projectID)
	for _, e := range epics {
		out.Epics = append(out.Epics, PlanEpic{ID: e.ID, Name: e.Name})
	}
	if err != nil {
		return out, err
	}
	bugs, err := p.Graph.Bugs(ctx, projectID, false)
	for _, b := range bugs {
		out.Bugs = append(out.Bugs, PlanBug{ID: b.ID, Name: b.Title, Severity: b.Severity})
	}
	return out, err
}
