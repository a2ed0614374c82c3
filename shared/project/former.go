package project

import (
	"fmt"

	"github.com/agit-suite/agit/shared/registry"
)

// Former returns the project that a folder belonged to when it was last seen, if that is not its project now because its remote was added
// or changed since. ok is false otherwise.
func Former(tx *registry.Tx, id Identity) (p Project, ok bool, err error) {
	p, err = scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE id = (SELECT project_id FROM project_folders WHERE host = ? AND path = ?)
		AND deleted_at IS NULL AND uid <> ? AND COALESCE(remote, '') <> ?`, registry.Host(), id.Folder, id.UID, id.Remote))
	if ok, err = registry.Found(err); !ok {
		return p, false, err
	}
	now, err := At(tx, id)
	if registry.NoRows(err) {
		return p, true, nil
	}
	return p, now.ID != p.ID, err
}

// former returns the result of Former as a pointer, or nil when there is no former project.
func former(tx *registry.Tx, id Identity) (*Project, error) {
	p, ok, err := Former(tx, id)
	if !ok {
		return nil, err
	}
	return &p, nil
}

// Moved returns half a sentence that names the former project of a folder, for what is still kept under it.
func (p Project) Moved() string {
	return fmt.Sprintf("this folder was project %s (%q) before its remote changed; name that project for what is kept there", p.UID, p.Name)
}
