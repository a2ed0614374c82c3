package project

import (
	"fmt"

	"github.com/agit-suite/agit/shared/registry"
)

// Former returns the project that a folder belonged to before, if that is not its project now because its remote was added or changed since,
// or because its repository was registered when this machine had another name. ok is false otherwise.
func Former(tx *registry.Tx, id Identity) (p Project, ok bool, err error) {
	p, err = scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE deleted_at IS NULL AND uid <> ?
		AND (id = (SELECT project_id FROM project_folders WHERE host = ? AND path = ?) AND COALESCE(remote, '') <> ?
			OR id = (SELECT project_id FROM repos WHERE uid = ? AND host <> ? AND path = ? AND removed_at IS NULL))
		ORDER BY last_seen_at DESC LIMIT 1`, id.UID, registry.Host(), id.Folder, id.Remote, id.Mark, registry.Host(), id.Folder))
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
	return fmt.Sprintf("this folder was project %s (%q) before its remote or this machine's name (AGIT_HOST) changed; name that project for what is kept there", p.UID, p.Name)
}
