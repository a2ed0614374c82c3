package project

import (
	"os"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Statuses of a project.
const (
	StatusActive    = "active"
	StatusCompleted = "completed"
	StatusOnHold    = "on_hold"
)

// Project is one row of projects.
type Project struct {
	ID     int64  `json:"-"`
	UID    string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Remote string `json:"remote,omitempty"`
}

const columns = `id, uid, name, status, remote`

func scan(row registry.Scanner) (p Project, err error) {
	var remote registry.Null[string]
	err = row.Scan(&p.ID, &p.UID, &p.Name, &p.Status, &remote)
	p.Remote = remote.V
	return p, err
}

// Ensure gives the project of an identity, making it when it is new, and notes
// that its folder was seen. A folder without a remote that was followed to its
// place (Follow) belongs to the project it always had.
func Ensure(tx *registry.Tx, id Identity) (Project, error) {
	if id.Remote == "" {
		p, err := scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE deleted_at IS NULL AND remote IS NULL
			AND id = (SELECT project_id FROM project_folders WHERE host = ? AND path = ?)`, Host(), id.Folder))
		if err == nil {
			return p, Follow(tx, p.ID, id.Folder)
		}
		if !registry.NoRows(err) {
			return Project{}, err
		}
	}
	p, err := scan(tx.QueryRow(`INSERT INTO projects (uid, name, remote, created_at, updated_at, last_seen_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (uid) DO UPDATE SET last_seen_at = excluded.last_seen_at, deleted_at = NULL
		RETURNING `+columns,
		id.UID, id.Name, registry.NullIfZero(id.Remote), tx.Stamp(), tx.Stamp(), tx.Stamp()))
	if err != nil {
		return Project{}, err
	}
	return p, Follow(tx, p.ID, id.Folder)
}

// Follow notes that a project was seen in a folder, for instance after its
// repository was moved there.
func Follow(tx *registry.Tx, projectID int64, folder string) error {
	_, err := tx.Exec(`INSERT INTO project_folders (project_id, host, path, last_seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (host, path) DO UPDATE SET project_id = excluded.project_id, last_seen_at = excluded.last_seen_at`,
		projectID, Host(), folder, tx.Stamp())
	return err
}

// Get finds a project by its id; a NotFound fault when there is none.
func Get(tx *registry.Tx, uid string) (Project, error) {
	p, err := scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE uid = ? AND deleted_at IS NULL`, uid))
	if registry.NoRows(err) {
		return Project{}, fault.NotFound("project", uid).WithHint("give the id of a known project")
	}
	return p, err
}

// ByID gives the project with this surrogate id, which its caller got from a row.
func ByID(tx *registry.Tx, id int64) (Project, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE id = ?`, id))
}

// Host names this machine in rows that speak of its paths.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
