package session

import (
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// The newest interrupted or abandoned session that no other resumed. idle leaves out sessions of agents that work in another session, who
// can resume their own.
const (
	untaken = `WHERE s.project_id = ? AND s.status IN ('abandoned', 'interrupted') AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = s.id) `
	idle    = `AND NOT EXISTS (SELECT 1 FROM sessions w WHERE w.lane = s.lane AND w.project_id = s.project_id AND w.status = 'active') `
	newest  = ` ORDER BY s.last_event_at DESC, s.id DESC LIMIT 1`
)

// resumable returns the session to resume: the named one, else the newest interrupted or abandoned one that no other resumed, first of this
// lane, then of this folder, then of the project. A named agent does not take another agent's session from elsewhere, since that agent may
// be about to come back. It returns registry.ErrNoRows when there is none.
func (s *Store) resumable(tx *registry.Tx, projectID int64, n newSession, in Start) (Session, error) {
	if in.Resume != "" {
		found, err := get(tx, in.Resume)
		if err != nil {
			return found, err
		}
		return found, s.canResume(tx, found, projectID)
	}
	found, err := scan(tx.QueryRow(`SELECT `+columns+joined+untaken+`AND s.lane = ?`+newest, projectID, n.lane))
	if registry.NoRows(err) && n.root != "" {
		found, err = scan(tx.QueryRow(`SELECT `+columns+joined+untaken+idle+`AND s.host = ? AND s.folder = ?`+newest, projectID, registry.Host(), n.root))
	}
	if registry.NoRows(err) {
		whose := ""
		if in.Agent != "" && !in.Made {
			whose = `AND s.agent_id IS NULL `
		}
		found, err = scan(tx.QueryRow(`SELECT `+columns+joined+untaken+idle+whose+newest, projectID))
	}
	return found, err
}

// nothingLeft returns the fault that there is nothing to resume, and names a session of another agent.
func nothingLeft(tx *registry.Tx, projectID int64) error {
	other, err := scan(tx.QueryRow(`SELECT `+columns+joined+untaken+newest, projectID))
	switch {
	case registry.NoRows(err):
		return none("no session was interrupted or abandoned in this project").WithHint("start a new one")
	case err != nil:
		return err
	}
	return none("no session of yours was interrupted or abandoned in this project").
		WithHint("start a new one, or go on from %s: memoryd session resume %s", called(other), other.ID)
}

func (s *Store) canResume(tx *registry.Tx, found Session, projectID int64) error {
	if found.row.project != projectID {
		return fault.Conflict("session", found.ID, "session %s belongs to another project, %s", found.ID, found.Project).WithHint("resume it in a folder of that project")
	}
	if found.Status == Active {
		return fault.Conflict("session", found.ID, "session %s is still open", found.ID).WithHint("its agent goes on with it by starting a session")
	}
	var child string
	err := tx.QueryRow(`SELECT ref FROM sessions WHERE parent_id = ? ORDER BY id LIMIT 1`, found.row.id).Scan(&child)
	if err == nil {
		return fault.Conflict("session", found.ID, "session %s was continued already, in %s", found.ID, child).WithHint("resume %s instead", child)
	}
	if !registry.NoRows(err) {
		return err
	}
	return nil
}
