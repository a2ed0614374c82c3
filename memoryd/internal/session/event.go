package session

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The types of events. A summary replaces events that compaction removed; it cannot be noted.
const (
	Decision  = "decision"
	Discovery = "discovery"
	Progress  = "progress"
	Blocker   = "blocker"
	Note      = "note"
	Error     = "error"
	Summary   = "summary"
)

// EventTypes are the types that can be noted.
func EventTypes() []string { return []string{Decision, Discovery, Progress, Blocker, Note, Error} }

// The importances of an event, in ascending order.
func Importances() []string { return []string{"low", "medium", "high"} }

const (
	low    = 1
	medium = 2
	high   = 3
)

// Event is one event of a session.
type Event struct {
	ID         string          `json:"event_id"`
	Type       string          `json:"event_type"`
	Importance string          `json:"importance"`
	Content    string          `json:"content"`
	Context    json.RawMessage `json:"context,omitempty"`
	StandsFor  int             `json:"stands_for,omitempty"` // of a summary: how many events it replaces
	CreatedAt  timestamp.Time  `json:"created_at"`

	row    int64
	weight int
}

const eventColumns = `id, uid, type, importance, content, context, stands_for, created_at`

func scanEvent(row registry.Scanner) (e Event, err error) {
	var context registry.Null[string]
	if err = row.Scan(&e.row, &e.ID, &e.Type, &e.weight, &e.Content, &context, &e.StandsFor, &e.CreatedAt); err != nil {
		return e, err
	}
	e.Importance = Importances()[e.weight-1]
	if context.V != "" {
		e.Context = json.RawMessage(context.V)
	}
	if e.Type != Summary {
		e.StandsFor = 0
	}
	return e, nil
}

// matters reports whether an event is worth keeping beyond its session: important events, and decisions from medium.
func (e Event) matters() bool {
	return e.weight >= high || e.Type == Decision && e.weight >= medium
}

// lasts reports whether the event becomes a memory.
func (e Event) lasts() bool { return e.Type != Summary && e.matters() }

// NewEvent is an event to note. Its tags are those of the parameters of session_note.
type NewEvent struct {
	Type       string `json:"event_type" enum:"decision,discovery,progress,blocker,note,error"`
	Content    string `json:"content"`
	Importance string `json:"importance,omitempty" enum:"low,medium,high" desc:"Default medium"`
	// Context holds files, symbols, related_items, code_snippet.
	Context map[string]any `json:"context,omitempty" desc:"symbols, related_items, code_snippet too" keys:"files[];symbols[],related_items[]"`
	// AllowSecrets keeps text that looks like a secret.
	AllowSecrets bool `json:"-"`
}

// draft is a checked NewEvent.
type draft struct {
	kind       string
	content    string
	context    registry.Null[string]
	weight     int
	redactions int
}

// check validates and cleans an event before any transaction.
func (n NewEvent) check() (d draft, err error) {
	if !slices.Contains(EventTypes(), n.Type) {
		return d, fault.Validation("event_type", "%q is not a type of event", n.Type).WithHint("use one of %s", strings.Join(EventTypes(), ", "))
	}
	n.Importance = cmp.Or(n.Importance, "medium")
	d.kind, d.weight = n.Type, slices.Index(Importances(), n.Importance)+1
	if d.weight == 0 {
		return d, fault.Validation("importance", "%q is not an importance", n.Importance).WithHint("use one of %s", strings.Join(Importances(), ", "))
	}
	if d.content, err = text.Verbatim("content", n.Content); err != nil {
		return d, err
	}
	if d.content == "" {
		return d, fault.Validation("content", "the event has no content").WithHint("say what happened")
	}
	if !n.AllowSecrets {
		d.content, d.redactions = takeOut(d.content)
	}
	if len(n.Context) == 0 {
		return d, nil
	}
	var clean any = n.Context
	if !n.AllowSecrets {
		var kinds []string
		clean, kinds = redact.Value(n.Context)
		d.redactions += len(kinds)
	}
	encoded, err := json.Marshal(clean)
	if err != nil {
		return d, fault.Validation("context", "the context cannot be kept: %v", err).WithHint("give plain JSON")
	}
	if len(encoded) > text.MaxBody {
		return d, fault.Validation("context", "context is %d bytes long, the limit is %d", len(encoded), text.MaxBody).WithHint("give less of it")
	}
	d.context = registry.NullIfZero(string(encoded))
	return d, nil
}

// insert adds an event to a session and records a sign of life.
func (d draft) insert(tx *registry.Tx, session int64) (uid string, err error) {
	uid = registry.NewUID()
	err = tx.Do(`INSERT INTO session_events (uid, session_id, type, importance, content, context, redactions, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		uid, session, d.kind, d.weight, d.content, d.context, d.redactions, tx.Stamp())
	if err != nil {
		return "", err
	}
	err = tx.Do(`UPDATE sessions SET last_event_at = ?, redactions = redactions + ? WHERE id = ?`, tx.Stamp(), d.redactions, session)
	return uid, err
}

// takeOut removes secrets from a text and returns their number.
func takeOut(content string) (string, int) {
	clean, kinds := redact.Text(content)
	return clean, len(kinds)
}

// events returns the events of a session in order: the newest limit of them, all for 0.
func events(tx *registry.Tx, session int64, limit int) ([]Event, error) {
	if limit <= 0 {
		return registry.Collect(tx, scanEvent, `SELECT `+eventColumns+` FROM session_events WHERE session_id = ? ORDER BY id`, session)
	}
	found, err := registry.Collect(tx, scanEvent, `SELECT `+eventColumns+` FROM session_events WHERE session_id = ? ORDER BY id DESC LIMIT ?`, session, limit)
	slices.Reverse(found)
	return found, err
}

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
