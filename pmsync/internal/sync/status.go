package sync

import (
	"cmp"
	"errors"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Status is how fresh a project's tickets are, and what waits.
type Status struct {
	Provider     string          `json:"provider"` // "local" without a tracker
	Scope        string          `json:"scope,omitempty" wire:"-"`
	Account      string          `json:"account,omitempty" wire:"-"`
	LastPullAt   *timestamp.Time `json:"last_pull_at"`
	LastPushAt   *timestamp.Time `json:"last_push_at"`
	Pending      int             `json:"pending_changes"`
	Foreign      int             `json:"-"` // pending changes of tickets of another tracker, which no push sends
	Conflicts    int             `json:"conflicts"`
	Failures     int             `json:"items_failed,omitempty" wire:"-"` // items that could not be stored and are tried again
	Online       bool            `json:"is_online"`                       // by the last attempt
	OfflineSince *timestamp.Time `json:"offline_since,omitempty" wire:"-"`
	LastError    string          `json:"last_error,omitempty"`
	Staleness    int64           `json:"staleness_seconds"` // since the last pull; -1 when there was none
	Syncing      bool            `json:"syncing,omitempty" wire:"-"`
	Tickets      int             `json:"tickets" wire:"-"`
	Held         []Held          `json:"held,omitempty"` // refused changes, and waiting ones after a failed attempt
	Log          []LogEntry      `json:"log,omitempty" wire:"-"`
}

// LogEntry is one finished or running pull or push.
type LogEntry struct {
	Direction  string         `json:"direction"`
	Status     string         `json:"status"`
	Processed  int            `json:"processed"`
	Errors     string         `json:"errors,omitempty"`
	StartedAt  timestamp.Time `json:"started_at"`
	DurationMS int64          `json:"duration_ms"`
}

// Look returns the sync status of a project, with the newest entries of its log.
func Look(db *registry.DB, tx *registry.Tx, projectID int64, entries int) (s Status, err error) {
	s = Status{Provider: "local", Online: true, Staleness: -1}
	var holder string
	var until registry.Null[string]
	err = tx.QueryRow(`SELECT provider, scope, viewer_name, pulled_at, pushed_at, offline_since, failure, lease_holder, lease_until FROM trackers WHERE project_id = ?`, projectID).
		Scan(&s.Provider, &s.Scope, &s.Account, &s.LastPullAt, &s.LastPushAt, &s.OfflineSince, &s.LastError, &holder, &until)
	if err != nil && !registry.NoRows(err) {
		return s, err
	}
	s.Online = s.OfflineSince == nil
	s.Syncing = holder != "" && until.V > tx.Stamp() && db.Present(holder)
	if s.LastPullAt != nil {
		s.Staleness = int64(tx.Now().Sub(s.LastPullAt.Time).Seconds())
	}
	if s.Pending, err = outbox.Count(tx, projectID); err != nil {
		return s, err
	}
	if s.Foreign, err = foreign(tx, projectID, "local", s.Provider); err != nil {
		return s, err
	}
	err = tx.QueryRow(`SELECT (SELECT COUNT(*) FROM sync_conflicts WHERE project_id = ? AND resolved_at IS NULL), (SELECT COUNT(*) FROM sync_failures WHERE project_id = ?),
		(SELECT COUNT(*) FROM items WHERE project_id = ? AND kind = 'ticket' AND deleted_at IS NULL)`,
		projectID, projectID, projectID).Scan(&s.Conflicts, &s.Failures, &s.Tickets)
	if err != nil {
		return s, err
	}
	waits, err := outbox.Held(tx, projectID, mostHeld)
	s.Held = held(waits)
	s.LastError = cmp.Or(s.LastError, s.lastHeld())
	if err != nil || entries == 0 {
		return s, err
	}
	s.Log, err = registry.Collect(tx, func(row registry.Scanner) (l LogEntry, err error) {
		var took registry.Null[int64]
		err = row.Scan(&l.Direction, &l.Status, &l.Processed, &l.Errors, &l.StartedAt, &took)
		l.DurationMS = took.V
		return l, err
	}, `SELECT direction, status, processed, errors, started_at, duration_ms FROM sync_log WHERE project_id = ? ORDER BY id DESC LIMIT ?`, projectID, entries)
	return s, err
}

// lastHeld returns why the last of the held changes was not sent, "" when there is none.
func (s *Status) lastHeld() string {
	if len(s.Held) == 0 {
		return ""
	}
	h := s.Held[len(s.Held)-1]
	return text.FirstLine(about(h.Ticket, errors.New(h.Reason)).Error(), 500)
}

// foreign counts the waiting changes of tickets that none of the given trackers has.
func foreign(tx *registry.Tx, projectID int64, trackers ...string) (int, error) {
	marks, args := registry.In(trackers)
	return registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM pending_changes c JOIN tickets t ON t.item_id = c.item_id
		WHERE c.project_id = ? AND c.status IN ('pending', 'sending', 'conflict') AND t.provider NOT IN (`+marks+`)`, append([]any{projectID}, args...)...))
}
