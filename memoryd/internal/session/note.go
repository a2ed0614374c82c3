package session

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Noted is a stored event.
type Noted struct {
	ID       string   `json:"event_id"`
	Session  string   `json:"session_id"`
	Type     string   `json:"event_type" wire:"-"`
	Events   int      `json:"events_count" wire:"-"`
	Redacted int      `json:"redacted,omitempty" wire:"-"` // secrets that were removed
	Warnings []string `json:"warnings,omitempty" wire:"-"`
	BookedOn Booking  `json:"booked_on"`
}

// Note stores an event of an open session, and compacts a session with too many events.
func (s *Store) Note(ctx context.Context, sessionID string, n NewEvent) (noted Noted, err error) {
	d, err := n.check()
	if err != nil {
		return noted, err
	}
	most := s.settings(ctx, "").Session.MaxEventsBeforeCompaction
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		x, err := get(tx, sessionID)
		if err != nil {
			return err
		}
		if err := x.open(); err != nil {
			return err
		}
		if err := s.own(tx, x); err != nil {
			return err
		}
		uid, err := d.insert(tx, x.row.id)
		if err != nil {
			return err
		}
		if err := compact(tx, x, most); err != nil {
			return err
		}
		tx.Changed(registry.TopicSessions, x.row.project, x.ID)
		noted = Noted{ID: uid, Session: x.ID, Type: d.kind, Events: x.Events + 1, Redacted: d.redactions, BookedOn: Booking{x.Project, x.Agent}}
		return nil
	})
	return noted, err
}

// open refuses a session that is not open.
func (x Session) open() error {
	if x.Status == Active {
		return nil
	}
	f := fault.Conflict("session", x.ID, "session %s is not open any more: it is %s", x.ID, x.Status)
	if x.Status == Completed {
		return f.WithHint("start a new session")
	}
	return f.WithHint("start a session with resume_last (--resume-last) to go on from it")
}

// own makes this server the session's server, and records a sign of life of the session and its agent.
func (s *Store) own(tx *registry.Tx, x Session) error {
	if s.Server != "" && x.row.server != s.Server {
		if err := tx.Do(`UPDATE sessions SET server = ? WHERE id = ?`, s.Server, x.row.id); err != nil {
			return err
		}
	}
	err := ofAgent(tx, x, func(tx *registry.Tx, name string) error {
		_, err := agent.Heartbeat(tx, name)
		return err
	})
	if err != nil {
		return err
	}
	return spoken(tx, x)
}
