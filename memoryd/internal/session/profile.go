package session

import "github.com/agit-suite/agit/shared/registry"

// Profile is classify's result for a project.
type Profile struct {
	Language  string `json:"language"`
	Framework string `json:"framework"`
	Scope     string `json:"scope"`
}

// profileOf reads the profile of a whole project, nil when it has none.
func profileOf(tx *registry.Tx, projectID int64) (*Profile, error) {
	var p Profile
	err := tx.QueryRow(`SELECT language, framework, scope FROM profiles WHERE project_id = ? AND package = ''`, projectID).Scan(&p.Language, &p.Framework, &p.Scope)
	if registry.NoRows(err) {
		return nil, nil
	}
	return &p, err
}
