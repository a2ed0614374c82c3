package profile

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Called returns the project, and the package in it, of the profiled folder with a name: its profile's, or the folder's own. uid is "" when
// none has it; several are a Validation fault.
func Called(tx *registry.Tx, name string) (uid, pkg string, err error) {
	key := text.Key(name)
	type place struct{ uid, pkg, path string }
	found, err := registry.Collect(tx, func(s registry.Scanner) (p place, err error) {
		err = s.Scan(&p.uid, &p.pkg, &p.path)
		return p, err
	}, `SELECT j.uid, p.package, p.path`+from+`WHERE p.asked = 1 AND (LOWER(p.name) = ? OR LOWER(p.path) LIKE ? ESCAPE '!') ORDER BY p.path LIMIT 20`,
		key, "%/"+likeEscaped(key))
	if err != nil || len(found) == 0 {
		return "", "", err
	}
	if len(found) > 1 {
		paths := make([]string, len(found))
		for i, p := range found {
			paths[i] = p.path
		}
		return "", "", fault.Validation("project", "%d profiled folders are called %q", len(found), name).WithHint("give one of the folders %s", strings.Join(paths, ", "))
	}
	return found[0].uid, found[0].pkg, nil
}

// Forget deletes the profile of a package, and those of the packages below it; "" deletes all of a project's. The project itself stays.
// With dryRun nothing is deleted. It returns the packages of those profiles.
func (s *Store) Forget(ctx context.Context, uid, pkg string, dryRun bool) (packages []string, err error) {
	run := s.DB.Write
	if dryRun {
		run = func(ctx context.Context, _ registry.Scope, fn func(*registry.Tx) error) error {
			return s.DB.Read(ctx, fn)
		}
	}
	err = run(ctx, registry.Named, func(tx *registry.Tx) error {
		j, err := project.Get(tx, uid)
		if err == nil {
			err = tx.In(j.ID)
		}
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
