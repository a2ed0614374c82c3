package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Caller returns the agent that makes a writing call, and counts as its heartbeat. An unknown name is registered; an unknown id is a
// NotFound fault. Where another host has an agent of the name, this host's is NAME@HOST.
func Caller(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := find(tx, nameOrID)
	if err == nil && a.ID != 0 && tx.OnServer() && isOfAnother(a, nameOrID) {
		own, err := Register(tx, Registration{Name: nameOrID})
		if err == nil {
			tx.Notice("registered agent %q (new), since %q is on the machine %q", own.Name, a.Name, a.Host)
		}
		return own, err
	}
	return called(tx, nameOrID, a, err)
}

// Named is Caller for an agent that a call is about but that did not make it, of whatever host.
func Named(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := find(tx, nameOrID)
	return called(tx, nameOrID, a, err)
}

// called registers an agent that was not found, and counts as a heartbeat of an agent that was.
func called(tx *registry.Tx, nameOrID string, a Agent, err error) (Agent, error) {
	switch {
	case err != nil:
		return Agent{}, err
	case a.ID != 0:
		return heartbeat(tx, a)
	case looksLikeID(nameOrID):
		return Agent{}, unknown(tx, nameOrID)
	}
	return join(tx, nameOrID)
}

// Lookup returns the agent that Caller would, without registering it or counting as
// a heartbeat: its ID is 0 when it is not registered.
func Lookup(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := find(tx, nameOrID)
	switch {
	case err != nil:
		return a, err
	case a.ID != 0 && tx.OnServer() && isOfAnother(a, nameOrID):
		return Agent{Name: hostsOwn(nameOrID)}, nil
	case a.ID != 0:
		return a, nil
	case looksLikeID(nameOrID):
		return a, unknown(tx, nameOrID)
	}
	name, err := text.Name("name", nameOrID)
	return Agent{Name: name}, err
}

// join registers an agent that was named and not found, with a notice:
// a mistyped name would otherwise be found out late.
func join(tx *registry.Tx, name string) (a Agent, err error) {
	if name, err = (Registration{Name: name}).name(); err != nil {
		return a, err
	}
	var known []string
	err = tx.Together(
		func() (err error) { known, err = names(tx, name); return err },
		func() (err error) { a, err = add(tx, name, TypeCustom, nil); return err },
	)
	if err != nil {
		return a, err
	}
	a.Joined = a.Epoch == firstEpoch
	if near := text.Nearest(a.Name, known); near != "" && unnumbered(near) != unnumbered(a.Name) {
		tx.Notice("registered agent %q (new); the nearest that was known is %q", a.Name, near)
	} else {
		tx.Notice("registered agent %q (new)", a.Name)
	}
	return a, nil
}

// unnumbered returns a name without the number at its end: worker-1 and worker-2 are meant to be two agents.
func unnumbered(name string) string { return strings.TrimRight(text.Key(name), "0123456789") }

// Heartbeat records that a known agent is alive.
func Heartbeat(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := Get(tx, nameOrID)
	if err != nil {
		return Agent{}, err
	}
	return heartbeat(tx, a)
}

func heartbeat(tx *registry.Tx, a Agent) (Agent, error) {
	if err := tx.Do(`UPDATE agents SET status = '`+StatusActive+`', last_seen_at = ? WHERE id = ?`, tx.Stamp(), a.ID); err != nil {
		return Agent{}, err
	}
	if a.Status != StatusActive {
		tx.Changed(registry.TopicAgents, 0, a.UID)
	}
	a.Status, a.LastSeen = StatusActive, timestamp.Of(tx.Now())
	return a, nil
}

// SignOff records that a known agent was alive when it ended a session. An agent without work stays idle; was is its status before the
// calls that belong to the end.
func SignOff(tx *registry.Tx, nameOrID, was string) error {
	a, err := Get(tx, nameOrID)
	if err != nil {
		return err
	}
	now := StatusIdle
	if a.Status == StatusActive && was == StatusActive {
		now = StatusActive
	}
	if a.Status != now {
		tx.Changed(registry.TopicAgents, 0, a.UID)
	}
	return tx.Do(`UPDATE agents SET last_seen_at = ?, status = ? WHERE id = ?`, tx.Stamp(), now, a.ID)
}

// Alive is the heartbeat of an agent that the caller has read, which goes along with the next statement.
func Alive(tx *registry.Tx, a Agent) error {
	if a.Status != StatusActive {
		tx.Changed(registry.TopicAgents, 0, a.UID)
	}
	return tx.Do(`UPDATE agents SET status = '`+StatusActive+`', last_seen_at = ? WHERE id = ?`, tx.Time(), a.ID)
}

// Idle marks as idle the active agents that a condition on agents selects: those that released their last claim.
func Idle(tx *registry.Tx, which string, args ...any) error {
	n, err := tx.Exec(`UPDATE agents SET status = '`+StatusIdle+`' WHERE status = '`+StatusActive+`' AND (`+which+`)`, args...)
	if n > 0 {
		tx.Changed(registry.TopicAgents, 0, "")
	}
	return err
}

// IdleLater is Idle that goes along with the next statement. It counts as a change whether or not an agent became idle.
func IdleLater(tx *registry.Tx, which string, args ...any) error {
	tx.Changed(registry.TopicAgents, 0, "")
	return tx.Do(`UPDATE agents SET status = '`+StatusIdle+`' WHERE status = '`+StatusActive+`' AND (`+which+`)`, args...)
}

// StatusAt returns an agent's status as a reader should see it: an agent that was silent for staleAfter is disconnected, even before a
// sweep marks it. With a staleAfter of 0 it returns the status unchanged.
func (a Agent) StatusAt(now time.Time, staleAfter time.Duration) string {
	if staleAfter > 0 && a.LastSeen.Before(now.Add(-staleAfter)) {
		return StatusDisconnected
	}
	return a.Status
}

// Awake is the condition that an agent is active and was last seen after its parameter.
const Awake = `(agents.removed_at IS NULL AND agents.status = '` + StatusActive + `' AND agents.last_seen_at >= ?)`

// Since returns the parameter of Awake, for agents silent no longer than staleAfter; 0 is any time.
func Since(tx *registry.Tx, staleAfter time.Duration) string {
	if staleAfter == 0 {
		return ""
	}
	return registry.FormatTime(tx.Now().Add(-staleAfter))
}

// Sweep marks the agents not seen for staleAfter as disconnected, except those with ids in spared, and returns them. Their claims are left
// alone; the caller decides about them.
func Sweep(tx *registry.Tx, staleAfter time.Duration, spared []int64) ([]Agent, error) {
	silent, err := Silent(tx, staleAfter)
	if err != nil {
		return nil, err
	}
	swept := slices.DeleteFunc(silent, func(a Agent) bool { return a.Status == StatusDisconnected || slices.Contains(spared, a.ID) })
	for i := range swept {
		swept[i].Status = StatusDisconnected
		if err := tx.Do(`UPDATE agents SET status = '`+StatusDisconnected+`' WHERE id = ?`, swept[i].ID); err != nil {
			return nil, err
		}
	}
	if len(swept) > 0 {
		tx.Changed(registry.TopicAgents, 0, "")
	}
	return swept, nil
}

// Silent returns the registered agents not seen for at least d.
func Silent(tx *registry.Tx, d time.Duration) ([]Agent, error) {
	return registry.Collect(tx, Scan, `SELECT `+Columns+` FROM agents
		WHERE removed_at IS NULL AND last_seen_at < ? ORDER BY name_key`, registry.FormatTime(tx.Now().Add(-d)))
}

// Remove removes a registration. The row stays for the history that points at it;
// the caller has released the agent's claims and worktrees before.
func Remove(tx *registry.Tx, id int64) error {
	err := tx.Do(`UPDATE agents SET removed_at = ?, status = '`+StatusDisconnected+`' WHERE id = ?`, tx.Stamp(), id)
	tx.Changed(registry.TopicAgents, 0, "")
	return err
}
