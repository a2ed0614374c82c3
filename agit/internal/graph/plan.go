package graph

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// NewTask describes a task to be created.
type NewTask struct {
	ID, Name, Description string
	Priority              string
	Epic                  string
	Project               string // when there is no epic
	Dependencies          []string
	Capabilities          []string
	Estimate              string // "4m 30s", "1h", "2d"
	Agent                 string
}

// Planned is a created task.
type Planned struct {
	Success bool   `json:"success"`
	TaskID  string `json:"taskId"`
	Status  string `json:"status"`
	Met     bool   `json:"dependenciesMet"`
	Project string `json:"projectId"`
}

// Plan creates a task with its dependencies.
func (s *Store) Plan(ctx context.Context, n NewTask) (out Planned, err error) {
	made := task.New{ID: n.ID, Project: n.Project, Epic: n.Epic, Text: body(n.Name, n.Description), Agent: n.Agent,
		DependsOn: n.Dependencies, Capabilities: n.Capabilities}
	if made.Priority, err = work.ParsePriority(n.Priority); err != nil {
		return out, err
	}
	if made.Estimate, err = work.ParseDuration("estimatedDuration", n.Estimate); err != nil {
		return out, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		item, err := task.Make(tx, made)
		if err != nil {
			return err
		}
		p, err := project.ByID(tx, item.ProjectID)
		out = Planned{Success: true, TaskID: item.Ref, Status: item.Status, Met: item.Holds == 0, Project: p.UID}
		return err
	})
	return out, err
}
