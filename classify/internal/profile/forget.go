package profile

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// One gives the profile of a package of a project ("" for the whole);
// registry.ErrNoRows when it has none.
func One(tx *registry.Tx, projectID int64, pkg string) (Profile, error) {
	r, err := one(tx, projectID, pkg)
	return r.Profile, err
}

// Forget drops the profile of a package, and those of the packages below it; ""
// drops all of a project's. The project itself stays. With dryRun nothing is
// dropped. It gives the packages whose profiles those are.
func (s *Store) Forget(ctx context.Context, uid, pkg string, dryRun bool) (packages []string, err error) {
	run := s.DB.Write
	if dryRun {
		run = func(ctx context.Context, _ registry.Scope, fn func(*registry.Tx) error) error {
			return s.DB.Read(ctx, fn)
		}
	}
	err = run(ctx, registry.Everything, func(tx *registry.Tx) error {
		j, err := project.Get(tx, uid)
		if err != nil {
			return err
		}
		stored, err := registry.Collect(tx, registry.One[string], `SELECT package FROM profiles WHERE project_id = ? ORDER BY package`, j.ID)
		packages = nil
		for _, have := range stored {
			if pkg != "" && have != pkg && !strings.HasPrefix(have, pkg+"/") {
				continue
			}
			packages = append(packages, have)
			if !dryRun {
				if err := remove(tx, j.ID, have); err != nil {
					return err
				}
			}
		}
		return err
	})
	return packages, err
}
