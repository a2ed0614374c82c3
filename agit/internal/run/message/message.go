// Package message stores people's messages to agents until they are delivered. A person sends a message from any process. The process
// that runs the agent takes it and passes it on: as the next turn of a conversation, with the brief of a run, or by a client's hook. It
// owns the table messages. Only a person may send a message; agents and their child processes may not.
//
// A message is waiting, sent once a run has taken it, and delivered once it was written to the agent. If the run ends in between, the
// message waits again, so that no message is lost or delivered twice. message.go has the rows and passes them on, tell.go takes
// messages from people.
package message

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is the state of a message.
type State string

// The states.
const (
	Waiting   State = "waiting"
	Sent      State = "sent" // a run has taken it
	Delivered State = "delivered"
	Withdrawn State = "withdrawn" // by a person, before delivery
)

// Message is one row.
type Message struct {
	ID          string          `json:"id"`
	Agent       string          `json:"agent"`
	Task        string          `json:"task_id,omitempty"` // the agent's task at that time
	Text        string          `json:"text"`
	AtOnce      bool            `json:"at_once,omitempty"` // it cancels the current turn
	State       State           `json:"state"`
	ToldAt      timestamp.Time  `json:"told_at"`
	DeliveredAt *timestamp.Time `json:"delivered_at,omitempty"`

	id, agentID, projectID int64
}

// prefix is the prefix of message ids.
const prefix = "m-"

// Store keeps messages. It is safe for concurrent use.
type Store struct{ DB *registry.DB }

const selection = `SELECT m.id, m.ref, m.agent_id, a.name, COALESCE(i.ref, ''), COALESCE(i.project_id, 0), m.text, m.at_once, m.state, m.told_at, m.delivered_at
	FROM messages m JOIN agents a ON a.id = m.agent_id LEFT JOIN items i ON i.id = m.item_id `

func scan(row registry.Scanner) (m Message, err error) {
	return m, row.Scan(&m.id, &m.ID, &m.agentID, &m.Agent, &m.Task, &m.projectID, &m.Text, &m.AtOnce, &m.State, &m.ToldAt, &m.DeliveredAt)
}

// List returns the undelivered messages, oldest first.
func (s *Store) List(ctx context.Context) ([]Message, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Message, error) {
		return registry.Collect(tx, scan, selection+`WHERE m.state IN ('waiting', 'sent') ORDER BY m.id`)
	})
}

// Counts returns the number of waiting messages by agent name.
func Counts(tx *registry.Tx) (map[string]int, error) {
	counts := map[string]int{}
	_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var name string
		var n int
		err = row.Scan(&name, &n)
		counts[name] = n
		return none, err
	}, `SELECT a.name, COUNT(*) FROM messages m JOIN agents a ON a.id = m.agent_id WHERE m.state IN ('waiting', 'sent') GROUP BY a.name`)
	return counts, err
}

// Words formats messages for an agent.
func Words(list []Message) string {
	var s strings.Builder
	for _, m := range list {
		s.WriteString("A person tells you: " + m.Text + "\n")
	}
	return s.String()
}

func find(tx *registry.Tx, id string) (m Message, err error) {
	if id = strings.ToLower(strings.TrimSpace(id)); id == "" || strings.ContainsAny(id, `%_\`) {
		return m, fault.NotFound("message", id)
	}
	list, err := registry.Collect(tx, scan, selection+`WHERE m.ref LIKE ? ORDER BY m.id LIMIT 3`, id+"%")
	if err != nil {
		return m, err
	}
	for _, one := range list {
		if one.ID == id || len(list) == 1 {
			return one, nil
		}
	}
	if len(list) == 0 {
		return m, fault.NotFound("message", id).WithHint("`agit tell` lists what waits")
	}
	return m, fault.Validation("message", "%q is the beginning of several messages", id).WithHint("give more of its id")
}

// changed announces a change of a message.
func (m Message) changed(tx *registry.Tx) { tx.Changed(registry.TopicAgents, m.projectID, m.ID) }

// Take returns the messages that wait for an agent, oldest first, and marks them as taken by a run. The caller calls Deliver once it
// has written them to the agent. If the run ends before that, Ended makes them wait again. It reads first, so that finding nothing
// causes no write.
func (s *Store) Take(ctx context.Context, agentID int64, run string) (list []Message, err error) {
	waiting, _, err := s.Waits(ctx, agentID)
	if err != nil || !waiting {
		return nil, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		list, err = registry.Collect(tx, scan, selection+`WHERE m.agent_id = ? AND m.state = 'waiting' ORDER BY m.id`, agentID)
		if err != nil {
			return err
		}
		for _, m := range list {
			if err := tx.In(m.projectID); err != nil {
				return err
			}
			if err := tx.Do(`UPDATE messages SET state = 'sent', run = ? WHERE id = ?`, run, m.id); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// AnyWaits reports whether a message waits for any agent.
func (s *Store) AnyWaits(ctx context.Context) (bool, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (bool, error) {
		return registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM messages WHERE state = 'waiting')`))
	})
}

// Of returns the messages that a run received, oldest first, including those from a client's hook.
func (s *Store) Of(ctx context.Context, run string) ([]Message, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Message, error) {
		return registry.Collect(tx, scan, selection+`WHERE m.run = ? ORDER BY m.id`, run)
	})
}

// Waits reports whether a message waits for an agent, and whether one must reach it at once.
func (s *Store) Waits(ctx context.Context, agentID int64) (any, atOnce bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		var n, now int
		err := tx.QueryRow(`SELECT COUNT(*), COALESCE(SUM(at_once), 0) FROM messages WHERE agent_id = ? AND state = 'waiting'`, agentID).Scan(&n, &now)
		any, atOnce = n > 0, now > 0
		return err
	})
	return any, atOnce, err
}

// Deliver records that a run's taken messages were written to its agent, in a session of its client.
func (s *Store) Deliver(ctx context.Context, run, session string) error {
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		sent, err := registry.Collect(tx, scan, selection+`WHERE m.run = ? AND m.state = 'sent'`, run)
		if err != nil {
			return err
		}
		for _, m := range sent {
			if err := tx.In(m.projectID); err != nil {
				return err
			}
			if err := tx.Do(`UPDATE messages SET state = 'delivered', session = ?, delivered_at = ? WHERE id = ?`, session, tx.Stamp(), m.id); err != nil {
				return err
			}
			m.changed(tx)
		}
		return nil
	})
}

// Ended settles the messages of a run that has ended: unwritten messages wait again, and the others are recorded with the session.
func Ended(tx *registry.Tx, run, session string) error {
	if err := tx.Do(`UPDATE messages SET state = 'waiting', run = '' WHERE run = ? AND state = 'sent'`, run); err != nil || session == "" {
		return err
	}
	return tx.Do(`UPDATE messages SET session = ? WHERE run = ? AND state = 'delivered'`, session, run)
}

// Missed returns the messages that were delivered for a task in other sessions, oldest first: a new session has not seen them. agentID
// restricts the result to one agent; 0 means any agent.
func Missed(tx *registry.Tx, itemID, agentID int64, session string) ([]Message, error) {
	condition, args := `WHERE m.item_id = ? AND m.state = 'delivered' AND m.session <> ?`, []any{itemID, session}
	if session == "" { // also the value of an unknown session
		condition, args = `WHERE m.item_id = ? AND m.state = 'delivered'`, args[:1]
	}
	if agentID != 0 {
		condition, args = condition+` AND m.agent_id = ?`, append(args, agentID)
	}
	return registry.Collect(tx, scan, selection+condition+` ORDER BY m.id`, args...)
}
