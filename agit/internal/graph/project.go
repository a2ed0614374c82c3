package graph

import (
	"context"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// NewProject describes a project that is created by hand.
type NewProject struct {
	ID, Name, Description, Status string
	Path                          string // a folder whose project gets the id
	Agent                         string
}

// CreateProject makes a project.
func (s *Store) CreateProject(ctx context.Context, n NewProject) (project.Project, error) {
	made := project.New{UID: n.ID, Name: n.Name, Description: n.Description, Status: n.Status}
	if n.Path != "" {
		at, err := project.Identify(n.Path)
		if err != nil {
			return project.Project{}, err
		}
		made.At = &at
	}
	return write(ctx, s, n.Agent, func(tx *registry.Tx, _ int64) (project.Project, error) { return project.Make(tx, made) })
}

// SetProjectStatus sets the status of a project.
func (s *Store) SetProjectStatus(ctx context.Context, id, status, agentName string) (project.Project, error) {
	return write(ctx, s, agentName, func(tx *registry.Tx, _ int64) (project.Project, error) {
		p, err := project.Get(tx, id)
		if err == nil {
			err = tx.In(p.ID)
		}
		if err != nil {
			return p, err
		}
		return project.SetStatus(tx, p, status)
	})
}

// Projects returns every project by name.
func (s *Store) Projects(ctx context.Context) ([]project.Project, error) {
	return registry.Read(ctx, s.DB, project.List)
}

// ProjectID returns the public id of a project by any id of it.
func (s *Store) ProjectID(ctx context.Context, id string) (string, error) {
	p, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (project.Project, error) { return project.Get(tx, id) })
	return p.UID, err
}

// ProjectOf returns the id of the project that contains a folder; "" when the registry does not know it.
func (s *Store) ProjectOf(ctx context.Context, folder string) (string, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (string, error) { return s.ProjectAt(tx, folder) })
}

// ProjectAt is ProjectOf inside a transaction of the caller's.
func (s *Store) ProjectAt(tx *registry.Tx, folder string) (id string, err error) {
	at, err := project.Identify(folder)
	if err != nil {
		return "", nil //nolint:nilerr // a folder that cannot be looked at belongs to none
	}
	p, err := project.At(tx, at)
	if registry.NoRows(err) {
		return "", nil
	}
	return p.UID, err
}

// inProject returns the SQL condition on items of a project; it is empty for the project "", which means all.
func inProject(tx *registry.Tx, projectID string) (where string, args []any, err error) {
	if projectID == "" {
		return "", nil, nil
	}
	p, err := project.Get(tx, projectID)
	return ` AND items.project_id = ?`, []any{p.ID}, err
}
