package overview

import (
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Sync is the state of the synchronization with a tracker.
type Sync struct {
	Provider  string          `json:"provider"`
	PulledAt  *timestamp.Time `json:"pulled_at,omitempty"`
	Offline   bool            `json:"offline,omitempty"`
	Pending   int             `json:"pending"` // changes that wait to be sent
	Conflicts int             `json:"conflicts"`
	Failure   string          `json:"failure,omitempty"`
}

// Words describes for a screen's header how old the local copy of a tracker is; "" for nil.
func (s *Sync) Words(now time.Time) string {
	if s == nil {
		return ""
	}
	words := s.Provider + " never pulled"
	if s.PulledAt != nil {
		words = s.Provider + " " + term.Ago(s.PulledAt.Time, now)
	}
	if s.Offline {
		words += ", offline"
	}
	return words
}

// mirror returns the sync state of a project's tracker, nil without one. For all projects it returns the state of the tracker that was
// pulled longest ago.
func mirror(tx *registry.Tx, projectID string) (*Sync, error) {
	where, args, err := scope(tx, projectID, `y.project_id`)
	if err != nil {
		return nil, err
	}
	var s Sync
	var pulled string
	err = tx.QueryRow(`SELECT y.provider, y.pulled_at, y.offline, y.pending, y.conflicts, y.failure FROM project_sync y WHERE `+where+`
		ORDER BY y.pulled_at, y.project_id LIMIT 1`, args...).
		Scan(&s.Provider, &pulled, &s.Offline, &s.Pending, &s.Conflicts, &s.Failure)
	if registry.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.PulledAt, err = optional(pulled)
	return &s, err
}
