// Package session keeps agents' work sessions: what each one did, decided and
// found out, so that the next one goes on from there. It alone writes
// `sessions`, `session_files` and `session_events`.
//
// A Store is safe for concurrent use.
package session

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Statuses of a session.
const (
	Active      = "active"
	Completed   = "completed"
	Abandoned   = "abandoned"
	Interrupted = "interrupted"
)

// Store answers and changes the sessions of one registry.
type Store struct{ DB *registry.DB }

// Entry is a session as lists show it.
type Entry struct {
	ID        string `json:"session_id"`
	Status    string `json:"status"`
	StartedAt string `json:"started_at"`
}

// Filter chooses sessions of a list.
type Filter struct {
	Place project.Place
	Limit int
	Now   time.Time
}

// List gives sessions, the newest first.
func (s *Store) List(ctx context.Context, f Filter) (found []Entry, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := f.Place.Find(tx)
		if err != nil {
			return err
		}
		found, err = registry.Collect(tx, func(row registry.Scanner) (e Entry, err error) {
			return e, row.Scan(&e.ID, &e.Status, &e.StartedAt)
		}, `SELECT ref, status, started_at FROM sessions WHERE project_id = ? ORDER BY started_at DESC, id DESC LIMIT ?`, p.ID, f.Limit)
		return err
	})
	return found, err
}
