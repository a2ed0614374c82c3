package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store keeps profiles.
type Store struct{ DB *registry.DB }

const columns = `p.id, j.uid, p.package, p.path, p.name, p.language, p.framework, p.scope, p.manifest_type, p.agentsmd_hash, p.input_hash, p.details, p.classified_at`

const from = ` FROM profiles p JOIN projects j ON j.id = p.project_id AND j.deleted_at IS NULL `

type row struct {
	id int64
	Profile
}

func scan(s registry.Scanner) (r row, err error) {
	var details string
	if err := s.Scan(&r.id, &r.Project, &r.Package, &r.Path, &r.Name, &r.Language, &r.Framework, &r.Scope, &r.ManifestType, &r.AgentsmdHash, &r.InputHash, &details, &r.ClassifiedAt); err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(details), &r.Details); err != nil {
		return r, fmt.Errorf("details of the profile of %q: %w", r.Path, err)
	}
	r.withhold()
	return r, nil
}

// withhold resets fields to unknown that an earlier version stored without being sure.
func (p *Profile) withhold() {
	for field, value := range map[string]*string{"language": &p.Language, "framework": &p.Framework, "scope": &p.Scope} {
		if p.Origins[field].Confidence == language.Low {
			*value = Unknown
		}
	}
}

// One returns the profile of a package of a project ("" for the whole); registry.ErrNoRows when it has none.
func One(tx *registry.Tx, projectID int64, pkg string) (Profile, error) {
	r, err := scan(tx.QueryRow(`SELECT `+columns+from+`WHERE p.project_id = ? AND p.package = ?`, projectID, pkg))
	if err != nil {
		return r.Profile, err
	}
	r.Declared, err = registry.Collect(tx, func(s registry.Scanner) (d Dependency, err error) {
		err = s.Scan(&d.Ecosystem, &d.Name)
		return d, err
	}, `SELECT ecosystem, name FROM profile_dependencies WHERE profile_id = ? ORDER BY name, ecosystem`, r.id)
	r.Dependencies = Names(r.Declared)
	return r.Profile, err
}

// Known returns the project of an identity and its stored profile of a package, when they exist; it writes nothing.
func (s *Store) Known(ctx context.Context, id project.Identity, pkg string) (p Profile, ok bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		j, err := project.At(tx, id)
		if registry.NoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		p, err = One(tx, j.ID, pkg)
		if ok = err == nil; registry.NoRows(err) {
			return nil
		}
		return err
	})
	return p, ok, err
}

// Put stores the profiles of a project, registering a new one: the first is that of the inspected folder, the others are those of the
// packages in it. Packages below the folder that no longer exist lose their profile. It returns the first profile as stored, and whether it
// is new.
func (s *Store) Put(ctx context.Context, id project.Identity, all []Profile) (stored Profile, created bool, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		j, err := project.Ensure(tx, id)
		if err != nil {
			return err
		}
		_, err = registry.One[int64](tx.QueryRow(`SELECT id FROM profiles WHERE project_id = ? AND package = ?`, j.ID, all[0].Package))
		if created = registry.NoRows(err); err != nil && !created {
			return err
		}
		if err := dropBelow(tx, j.ID, all); err != nil {
			return err
		}
		for i := range all {
			if err := put(tx, j.ID, &all[i], i == 0); err != nil {
				return err
			}
		}
		stored = all[0]
		stored.Project, stored.ClassifiedAt = j.UID, timestamp.Of(tx.Now())
		return nil
	})
	return stored, created, err
}

// dropBelow deletes the profiles of packages below the first profile's folder that are not among all.
func dropBelow(tx *registry.Tx, projectID int64, all []Profile) error {
	there := make(map[string]bool, len(all))
	for _, p := range all {
		there[p.Package] = true
	}
	prefix := all[0].Package
	if prefix != "" {
		prefix += "/"
	}
	stored, err := registry.Collect(tx, registry.One[string], `SELECT package FROM profiles WHERE project_id = ?`, projectID)
	if err != nil {
		return err
	}
	for _, pkg := range stored {
		if pkg == all[0].Package || !strings.HasPrefix(pkg, prefix) || there[pkg] {
			continue
		}
		if err := remove(tx, projectID, pkg); err != nil {
			return err
		}
	}
	return nil
}

// put stores one profile. A profile once requested by itself keeps that mark.
func put(tx *registry.Tx, projectID int64, p *Profile, asked bool) error {
	flag := 0
	if asked {
		flag = 1
	}
	details, err := json.Marshal(p.Details)
	if err != nil {
		return fmt.Errorf("encode the profile of %q: %w", p.Path, err)
	}
	id, err := tx.Insert(`INSERT INTO profiles (project_id, package, path, asked, name, language, framework, scope, scope_key, manifest_type, agentsmd_hash,
			input_hash, dependency_keys, words, details, classified_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project_id, package) DO UPDATE SET path = excluded.path, asked = CASE WHEN excluded.asked > profiles.asked THEN excluded.asked ELSE profiles.asked END, name = excluded.name, language = excluded.language, framework = excluded.framework,
			scope = excluded.scope, scope_key = excluded.scope_key, manifest_type = excluded.manifest_type, agentsmd_hash = excluded.agentsmd_hash,
			input_hash = excluded.input_hash, dependency_keys = excluded.dependency_keys, words = excluded.words, details = excluded.details,
			classified_at = excluded.classified_at
		RETURNING id`,
		projectID, p.Package, p.Path, flag, p.Name, p.Language, p.Framework, p.Scope, p.ScopeKey(), p.ManifestType, p.AgentsmdHash,
		p.InputHash, Keys(p.Declared), searchable(p), string(details), tx.Stamp())
	if err != nil {
		return err
	}
	if err := tx.Do(`DELETE FROM profile_dependencies WHERE profile_id = ?`, id); err != nil {
		return err
	}
	rows := make([][]any, len(p.Declared))
	for i, d := range p.Declared {
		rows[i] = []any{id, d.Ecosystem, d.Name}
	}
	return tx.InsertRows(`INSERT INTO profile_dependencies (profile_id, ecosystem, name) VALUES`, rows, "", nil)
}

// searchable returns the text for searches: a line of the project's fields and description, a line of its dependencies, and one of the
// words of its README.
func searchable(p *Profile) string {
	said := strings.Join([]string{p.Name, p.DeclaredName, p.Package, p.Language, p.Framework, strings.Join(p.Frameworks, " "), p.Scope, p.Description, lastParts(p.Path)}, " ")
	return text.Key(strings.Join(strings.Fields(said), " ") + "\n" + strings.Join(p.Dependencies, " ") + "\n" + strings.Join(p.Keywords, " "))
}

// lastParts returns the last two names of a path; the folders above do not describe the project.
func lastParts(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	return strings.Join(parts[max(0, len(parts)-2):], " ")
}

func remove(tx *registry.Tx, projectID int64, pkg string) error {
	return tx.Do(`DELETE FROM profiles WHERE project_id = ? AND package = ?`, projectID, pkg)
}
