package mcpkit

import (
	"context"

	"github.com/agit-suite/agit/shared/registry"
)

// RegistryChanges are the changes that any process commits to the registry, as a source of resource updates.
type RegistryChanges struct{ DB *registry.DB }

// Watch passes them on until ctx ends.
func (r RegistryChanges) Watch(ctx context.Context, heard func([]Change)) error {
	return r.DB.Watch(ctx, func() { heard(nil) }, func(changes []registry.Change) {
		told := make([]Change, len(changes))
		for i, c := range changes {
			told[i] = Change{Topic: c.Topic, Project: c.ProjectID, Subject: c.Subject}
		}
		heard(told)
	})
}
