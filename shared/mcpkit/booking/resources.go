package booking

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// ProjectIDs completes the variable project of a resource: an mcpkit.Completer.
func (d Desk) ProjectIDs(ctx context.Context, prefix string, _ map[string]string) (ids []string, err error) {
	err = d.DB.Read(ctx, func(tx *registry.Tx) error {
		ids = nil
		all, err := project.List(tx)
		for _, p := range all {
			if strings.HasPrefix(p.UID, prefix) {
				ids = append(ids, p.UID)
			}
		}
		return err
	})
	return ids, err
}

// Concerns narrows a change down to the resources of its project, by their variable project: it is an mcpkit.Updates.Match. A change
// without a project concerns all.
func (d Desk) Concerns(ctx context.Context, change mcpkit.Change, _ string, vars map[string]string) bool {
	named := vars["project"]
	if named == "" || change.Project == 0 {
		return true
	}
	p, err := registry.Read(ctx, d.DB, func(tx *registry.Tx) (project.Project, error) { return project.ByName(tx, named) })
	return err != nil || p.ID == change.Project
}
