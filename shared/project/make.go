package project

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Statuses are the statuses that a project can have.
var Statuses = []string{StatusActive, StatusCompleted, StatusOnHold}

// New is a project made by hand.
type New struct {
	UID         string
	Name        string // the UID when empty
	Description string
	Status      string    // StatusActive when empty
	At          *Identity // the folder that becomes the project's; nil for none
}

// Make adds a project with the id it is given. With a folder, that folder's
// project gets the id, which is then its public one. An id that another project
// has is a Conflict fault.
func Make(tx *registry.Tx, n New) (Project, error) {
	if err := n.check(); err != nil {
		return Project{}, err
	}
	var here Project
	if n.At != nil {
		var err error
		if here, err = Ensure(tx, *n.At); err != nil {
			return Project{}, err
		}
	}
	var other int64
	taken, err := registry.Found(tx.QueryRow(`SELECT id FROM projects WHERE LOWER(uid) = ? ORDER BY id LIMIT 1`, text.Key(n.UID)).Scan(&other))
	if taken && other != here.ID {
		return Project{}, fault.Conflict("project", n.UID, "project %q exists already", n.UID).WithHint("choose another id")
	}
	if err != nil {
		return Project{}, err
	}
	tx.Changed(registry.TopicTasks, here.ID, n.UID)
	if n.At != nil {
		return scan(tx.QueryRow(`UPDATE projects SET uid = ?, name = ?, description = ?, status = ?, updated_at = ? WHERE id = ? RETURNING `+columns,
			n.UID, n.Name, n.Description, n.Status, tx.Stamp(), here.ID))
	}
	return scan(tx.QueryRow(`INSERT INTO projects (uid, name, description, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING `+columns,
		n.UID, n.Name, n.Description, n.Status, tx.Stamp(), tx.Stamp()))
}

func (n *New) check() (err error) {
	if n.UID, err = text.Name("id", n.UID); err != nil {
		return err
	}
	if n.Name, err = text.Name("name", cmp.Or(n.Name, n.UID)); err != nil {
		return err
	}
	if n.Description, err = text.Body("description", n.Description); err != nil {
		return err
	}
	n.Status = cmp.Or(n.Status, StatusActive)
	return checkStatus(n.Status)
}

func checkStatus(status string) error {
	if !slices.Contains(Statuses, status) {
		return fault.Validation("status", "project status %q is not known", status).WithHint("use active, completed or on_hold")
	}
	return nil
}

// SetStatus sets a project's status; only the work of an active project is ready.
func SetStatus(tx *registry.Tx, p Project, status string) (Project, error) {
	if err := checkStatus(status); err != nil {
		return p, err
	}
	tx.Changed(registry.TopicTasks, p.ID, p.UID)
	return scan(tx.QueryRow(`UPDATE projects SET status = ?, updated_at = ? WHERE id = ? RETURNING `+columns, status, tx.Stamp(), p.ID))
}
