package overview

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Timeline holds the sessions of a period that pass a filter: all counted, the newest listed.
type Timeline struct {
	Count    int       `json:"count"`
	Sessions []Session `json:"sessions"` // the newest first
	// Last is the time of the newest event of any session; nil when there is none.
	Last *timestamp.Time `json:"last,omitempty"`
}

// Session is one session of an agent on a timeline.
type Session struct {
	ID        string          `json:"id"`
	Agent     string          `json:"agent"`
	Item      string          `json:"item,omitempty"` // id of the item that it worked on
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

// sessionsShown is the default number of listed sessions: two days of ten busy agents.
const sessionsShown = 500

// spans are the periods of a timeline, by the Span of a Filter.
var spans = map[string]time.Duration{"hour": time.Hour, "shift": 6 * time.Hour, "": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}

// Sessions returns the sessions of a project, "" for all, that pass a filter.
func (p *Pages) Sessions(ctx context.Context, projectID string, f Filter) (line Timeline, err error) {
	line.Sessions = []Session{}
	span, known := spans[f.Span]
	if !known {
		span = spans[""]
	}
	found := f.finder()
	err = p.DB.Read(ctx, func(tx *registry.Tx) error {
		where, args, err := scope(tx, projectID, `s.project_id`)
		if err != nil {
			return err
		}
		from := tx.Now().Add(-span)
		for row, err := range tx.Rows(`SELECT s.ref, s.agent, s.item, s.title, s.status, s.outcome, s.summary, s.client, s.memories, s.started_at, s.last_event_at, s.ended_at
			FROM session_times s WHERE `+where+` ORDER BY s.started_at DESC, s.id DESC`, args...) {
			if err != nil {
				return err
			}
			var s Session
			var ended string
			if err := row.Scan(&s.ID, &s.Agent, &s.Item, &s.Title, &s.Status, &s.Outcome, &s.Summary, &s.Client, &s.Memories,
				&s.StartedAt, &s.HeardAt, &ended); err != nil {
				return err
			}
			if line.Last == nil || line.Last.Before(s.HeardAt.Time) {
				line.Last = &s.HeardAt
			}
			if s.HeardAt.Before(from) || !found(s.ID, s.Agent, s.Title, s.Item, s.Summary) {
				continue
			}
			if line.Count++; line.Count > f.limitOr(sessionsShown) {
				continue
			}
			if s.EndedAt, err = optional(ended); err != nil {
				return err
			}
			s.Summary = clip(s.Summary)
			line.Sessions = append(line.Sessions, s)
		}
		return nil
	})
	return line, err
}

// optional parses a time that a view stores as "" when it is missing.
func optional(stored string) (*timestamp.Time, error) {
	if stored == "" {
		return nil, nil
	}
	t, err := timestamp.Parse(stored)
	return &t, err
}

// clip returns the first lines of a text, for a row.
func clip(s string) string {
	const most = 280
	s = strings.TrimSpace(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
