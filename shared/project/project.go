package project

import (
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Statuses of a project.
const (
	StatusActive    = "active"
	StatusCompleted = "completed"
	StatusOnHold    = "on_hold"
)

// Project is one row of projects.
type Project struct {
	ID          int64  `json:"-"`
	UID         string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status"`
	Remote      string `json:"remote,omitempty"`
	// Former is the project of the folder before its remote changed. Only the call of Ensure that first sees the new project in the folder
	// sets it.
	Former *Project `json:"-"`
}

const columns = `id, uid, name, description, status, remote`

func scan(row registry.Scanner) (Project, error) { return scanWith(row) }

func scanWith(row registry.Scanner, more ...any) (p Project, err error) {
	return p, row.Scan(append([]any{&p.ID, &p.UID, &p.Name, &p.Description, &p.Status, registry.Nullable(&p.Remote)}, more...)...)
}

// Ensure returns the project of an identity, makes it when it is new, and notes that its folder was seen. A folder without a remote that
// was moved (see Follow and MarkFile) stays with its project. Ensure names the project to the transaction (registry.Tx.In).
func Ensure(tx *registry.Tx, id Identity) (Project, error) {
	p, err := ensure(tx, id)
	if err != nil {
		return p, err
	}
	return p, tx.In(p.ID)
}

// seenEvery is how often a sighting of a project in a folder is noted.
const seenEvery = time.Minute

func ensure(tx *registry.Tx, id Identity) (Project, error) {
	p, seen, err := at(tx, id)
	if err == nil {
		if p.Remote == id.Remote && seen > registry.FormatTime(tx.Now().Add(-seenEvery)) && seen <= tx.Stamp() {
			return p, nil
		}
		if err := tx.Do(`UPDATE projects SET last_seen_at = ? WHERE id = ?`, tx.Stamp(), p.ID); err != nil {
			return Project{}, err
		}
		if seen == "" {
			if p.Former, err = former(tx, id); err != nil {
				return Project{}, err
			}
		}
		if id.Remote != "" && p.Remote != id.Remote {
			p.Remote = id.Remote
			if err := tx.Do(`UPDATE projects SET remote = ?, updated_at = ? WHERE id = ?`, p.Remote, tx.Stamp(), p.ID); err != nil {
				return Project{}, err
			}
		}
		return p, Follow(tx, p.ID, id.Folder)
	}
	if !registry.NoRows(err) {
		return Project{}, err
	}
	was, err := former(tx, id)
	if err != nil {
		return Project{}, err
	}
	if id.UID, err = freeUID(tx, id); err != nil {
		return Project{}, err
	}
	p, err = scan(tx.QueryRow(`INSERT INTO projects (uid, name, remote, created_at, updated_at, last_seen_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (uid) DO UPDATE SET last_seen_at = excluded.last_seen_at, deleted_at = NULL
		RETURNING `+columns,
		id.UID, id.Name, registry.NullIfZero(id.Remote), tx.Stamp(), tx.Stamp(), tx.Stamp()))
	if err != nil {
		return Project{}, err
	}
	p.Former = was
	return p, Follow(tx, p.ID, id.Folder)
}

// freeUID returns the id of an identity, or another one where a project that went elsewhere with its repository has it: one that was moved
// from the folder, or whose remote is another now.
func freeUID(tx *registry.Tx, id Identity) (string, error) {
	for uid := id.UID; ; uid = hash("again", uid) {
		taken, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM projects WHERE uid = ? AND deleted_at IS NULL AND (? <> '' AND remote <> ?
			OR EXISTS (SELECT 1 FROM project_folders WHERE project_id = projects.id AND host = ?)
			AND NOT EXISTS (SELECT 1 FROM project_folders WHERE host = ? AND path = ?)))`, uid, id.Remote, id.Remote, registry.Host(), registry.Host(), id.Folder))
		if err != nil || !taken {
			return uid, err
		}
	}
}

// At returns the project that an identity has now: the project of its remote, or without a remote the project of its folder, whatever id it
// was given by hand, else that of the registered repository that was moved there, or whose remote changed. It returns registry.ErrNoRows
// when there is none.
func At(tx *registry.Tx, id Identity) (Project, error) {
	p, _, err := at(tx, id)
	return p, err
}

// at is At, and also returns when the project was last seen in the folder; "" for never.
func at(tx *registry.Tx, id Identity) (p Project, seen string, err error) {
	whole, args := `projects.remote = ?`, []any{registry.Host(), id.Folder, id.Remote}
	if id.Remote == "" {
		whole, args = `projects.remote IS NULL AND folder.path IS NOT NULL`, args[:2]
	}
	p, err = scanWith(tx.QueryRow(`SELECT `+columns+`, folder.last_seen_at FROM projects
		LEFT JOIN project_folders folder ON folder.project_id = projects.id AND folder.host = ? AND folder.path = ?
		WHERE projects.deleted_at IS NULL AND `+whole, args...), registry.Nullable(&seen))
	if registry.NoRows(err) && id.Mark != "" {
		p, err = marked(tx, id)
	}
	return p, seen, err
}

// Follow notes that a project was seen in a folder, for instance after its
// repository was moved there.
func Follow(tx *registry.Tx, projectID int64, folder string) error {
	return tx.Do(`INSERT INTO project_folders (project_id, host, path, last_seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (host, path) DO UPDATE SET project_id = excluded.project_id, last_seen_at = excluded.last_seen_at`,
		projectID, registry.Host(), folder, tx.Stamp())
}

// Left notes that a project is not in a folder any more, since its repository was moved from there.
func Left(tx *registry.Tx, projectID int64, folder string) error {
	return tx.Do(`DELETE FROM project_folders WHERE project_id = ? AND host = ? AND path = ?`, projectID, registry.Host(), folder)
}

// Get finds a project by its id, without case; a NotFound fault when there is
// none.
func Get(tx *registry.Tx, uid string) (Project, error) {
	p, err := scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE uid = ? AND deleted_at IS NULL`, uid))
	if registry.NoRows(err) {
		p, err = scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE LOWER(uid) = ? AND deleted_at IS NULL ORDER BY id LIMIT 1`, text.Key(uid)))
	}
	if !registry.NoRows(err) {
		return p, err
	}
	f := fault.NotFound("project", uid)
	known, err := registry.Collect(tx, registry.One[string], `SELECT uid FROM projects WHERE deleted_at IS NULL ORDER BY last_seen_at DESC LIMIT 1000`)
	if err != nil {
		return Project{}, err
	}
	if near := text.Nearest(uid, known); near != "" {
		return Project{}, f.WithHint("did you mean %q?", near)
	}
	return Project{}, f.WithHint("give the id of a known project")
}

// List returns every project by name.
func List(tx *registry.Tx) ([]Project, error) {
	return registry.Collect(tx, scan, `SELECT `+columns+` FROM projects WHERE deleted_at IS NULL ORDER BY name, uid`)
}

// ByID returns the project with this row id, which its caller read from a row.
func ByID(tx *registry.Tx, id int64) (Project, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM projects WHERE id = ?`, id))
}

// Folders returns the folders on this machine in which a project was seen, last seen first.
func Folders(tx *registry.Tx, projectID int64) ([]string, error) {
	return FoldersOf(tx, `?`, projectID)
}

// FoldersOf is Folders for the project whose row id an SQL expression is; args are its parameters.
func FoldersOf(tx *registry.Tx, project string, args ...any) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT path FROM project_folders WHERE project_id = `+project+` AND host = ? ORDER BY last_seen_at DESC, path`,
		append(args, registry.Host())...)
}
