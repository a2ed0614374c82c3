package overview

import (
	"context"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Session is one sitting of an agent, on a timeline.
type Session struct {
	ID        string          `json:"id"`
	Agent     string          `json:"agent"`
	Item      string          `json:"item,omitempty"` // id of what it worked on
	Title     string          `json:"title,omitempty"`
	Status    string          `json:"status"` // active, completed, abandoned, interrupted
	Outcome   string          `json:"outcome,omitempty"`
	Summary   string          `json:"summary,omitempty"`
	Client    string          `json:"client,omitempty"`
	Memories  int             `json:"memories"`
	StartedAt timestamp.Time  `json:"started_at"`
	HeardAt   timestamp.Time  `json:"heard_at"` // its last event
	EndedAt   *timestamp.Time `json:"ended_at,omitempty"`
}

// sessionsShown is how many sessions a timeline holds: two days of ten busy agents.
const sessionsShown = 500

// Sessions are the latest sessions of a project, "" for all, the newest first.
func (p *Pages) Sessions(ctx context.Context, projectID string) (all []Session, err error) {
	err = p.DB.Read(ctx, func(tx *registry.Tx) error {
		where, args, err := scope(tx, projectID, `s.project_id`)
		if err != nil {
			return err
		}
		all, err = registry.Collect(tx, func(row registry.Scanner) (s Session, err error) {
			var ended string
			if err = row.Scan(&s.ID, &s.Agent, &s.Item, &s.Title, &s.Status, &s.Outcome, &s.Summary, &s.Client, &s.Memories,
				&s.StartedAt, &s.HeardAt, &ended); err != nil {
				return s, err
			}
			s.EndedAt, err = optional(ended)
			s.Summary = clip(s.Summary)
			return s, err
		}, `SELECT s.ref, s.agent, s.item, s.title, s.status, s.outcome, s.summary, s.client, s.memories, s.started_at, s.last_event_at, s.ended_at
			FROM session_times s WHERE `+where+` ORDER BY s.started_at DESC, s.id DESC LIMIT `+strconv.Itoa(sessionsShown), args...)
		return err
	})
	return all, err
}

// optional reads a time that a view has as "" where there is none.
func optional(stored string) (*timestamp.Time, error) {
	if stored == "" {
		return nil, nil
	}
	t, err := timestamp.Parse(stored)
	return &t, err
}

// clip keeps the first lines of a text that is shown in a row.
func clip(s string) string {
	const most = 280
	s = strings.TrimSpace(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
