package overview

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Plan is all tasks of a project, for its board and its graph.
type Plan struct {
	Epics []PlanEpic `json:"epics"`
	Tasks []PlanTask `json:"tasks"` // by age
	Bugs  []PlanBug  `json:"bugs"`  // that something waits for
	// Edges are pairs: what waits, and what for. Ids of tasks, tickets, plans and bugs.
	Edges [][2]string `json:"edges"`
	// Critical is the longest chain of unfinished tasks, in order of doing. It is of one
	// project, and empty for all.
	Critical []string `json:"critical"`
}

// PlanEpic is a container of tasks.
type PlanEpic struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Tasks  int    `json:"tasks"`
	Done   int    `json:"done"`
}

// PlanTask is a task on the board.
type PlanTask struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	State    string         `json:"state"` // one of TaskWords
	Priority string         `json:"priority"`
	Epic     string         `json:"epic,omitempty"`
	Agent    string         `json:"agent,omitempty"`
	Changed  timestamp.Time `json:"changed"`
}

// PlanBug is an open bug.
type PlanBug struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
}

// Plan reads the tasks of a project, "" for all.
func (p *Pages) Plan(ctx context.Context, projectID string) (Plan, error) {
	out := Plan{Epics: []PlanEpic{}, Tasks: []PlanTask{}, Bugs: []PlanBug{}, Edges: [][2]string{}, Critical: []string{}}
	err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		id := int64(0)
		if projectID != "" {
			in, err := project.ByName(tx, projectID)
			if err != nil {
				return err
			}
			id = in.ID
		}
		cards, err := task.Cards(tx, id)
		if err != nil {
			return err
		}
		for _, c := range cards {
			out.Tasks = append(out.Tasks, PlanTask{ID: c.ID, Name: c.Name, State: wordFor(c), Priority: c.Priority.String(),
				Epic: c.Epic, Agent: c.Agent, Changed: c.Changed})
		}
		edges, err := task.Edges(tx, id)
		for _, e := range edges {
			out.Edges = append(out.Edges, [2]string{e.Task, e.On})
		}
		return err
	})
	if err != nil {
		return out, err
	}
	epics, err := p.Graph.Epics(ctx, projectID)
	for _, e := range epics {
		out.Epics = append(out.Epics, PlanEpic{ID: e.ID, Name: e.Name, Status: e.Status, Tasks: e.Tasks, Done: e.Completed})
	}
	if err != nil {
		return out, err
	}
	bugs, err := p.Graph.Bugs(ctx, projectID, false)
	for _, b := range bugs {
		out.Bugs = append(out.Bugs, PlanBug{ID: b.ID, Name: b.Title, Severity: b.Severity})
	}
	if err != nil || projectID == "" {
		return out, err
	}
	st, err := p.Graph.ProjectStatus(ctx, projectID)
	if st.CriticalPath != nil {
		out.Critical = st.CriticalPath
	}
	return out, err
}

// wordFor says how a task stands in the words of the screens.
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
	return c.Status // claimed, blocked and failed are said alike
}
