package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Caller gives the agent a writing call was made by, as a heartbeat of it. An
// unknown name is registered; an unknown id is a NotFound fault.
func Caller(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := Get(tx, nameOrID)
	if fault.Is(err, fault.KindNotFound) && !looksLikeID(nameOrID) {
		return Register(tx, Registration{Name: nameOrID})
	}
	if err != nil {
		return Agent{}, err
	}
	return heartbeat(tx, a)
}

// Lookup gives the agent that Caller would, without registering it or counting as
// a heartbeat: its ID is 0 when it is not registered.
func Lookup(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := Get(tx, nameOrID)
	if !fault.Is(err, fault.KindNotFound) || looksLikeID(nameOrID) {
		return a, err
	}
	name, err := text.Name("name", nameOrID)
	return Agent{Name: name}, err
}

// Heartbeat says that a known agent is alive.
func Heartbeat(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := Get(tx, nameOrID)
	if err != nil {
		return Agent{}, err
	}
	return heartbeat(tx, a)
}

func heartbeat(tx *registry.Tx, a Agent) (Agent, error) {
	if _, err := tx.Exec(`UPDATE agents SET status = '`+StatusActive+`', last_seen_at = ? WHERE id = ?`, tx.Stamp(), a.ID); err != nil {
		return Agent{}, err
	}
	if a.Status != StatusActive {
		tx.Changed(registry.TopicAgents, 0, a.UID)
	}
	a.Status, a.LastSeen = StatusActive, tx.Now()
	return a, nil
}

// Idle marks an agent that ended its last claim.
func Idle(tx *registry.Tx, id int64) error {
	n, err := tx.Exec(`UPDATE agents SET status = '`+StatusIdle+`' WHERE id = ? AND status = '`+StatusActive+`'`, id)
	if n > 0 {
		tx.Changed(registry.TopicAgents, 0, "")
	}
	return err
}

// Sweep marks the agents not seen for staleAfter as disconnected and gives
// them. Their work is left alone: what happens to claims is the caller's to say.
func Sweep(tx *registry.Tx, staleAfter time.Duration) ([]Agent, error) {
	swept, err := registry.Collect(tx, Scan, `UPDATE agents SET status = '`+StatusDisconnected+`'
		WHERE status <> '`+StatusDisconnected+`' AND removed_at IS NULL AND last_seen_at < ?
		RETURNING `+bare(Columns), registry.FormatTime(tx.Now().Add(-staleAfter)))
	if len(swept) > 0 {
		tx.Changed(registry.TopicAgents, 0, "")
	}
	slices.SortFunc(swept, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return swept, err
}

// Silent gives the registered agents not seen for at least d.
func Silent(tx *registry.Tx, d time.Duration) ([]Agent, error) {
	return registry.Collect(tx, Scan, `SELECT `+Columns+` FROM agents
		WHERE removed_at IS NULL AND last_seen_at < ? ORDER BY name_key`, registry.FormatTime(tx.Now().Add(-d)))
}

// Remove ends a registration. The row stays for the history that points at it;
// claims and worktrees must have been given back by the caller before.
func Remove(tx *registry.Tx, id int64) error {
	_, err := tx.Exec(`UPDATE agents SET removed_at = ?, status = '`+StatusDisconnected+`' WHERE id = ?`, tx.Stamp(), id)
	tx.Changed(registry.TopicAgents, 0, "")
	return err
}
