// Package message stores people's messages to agents until they are delivered. A person sends a message from any process. The process
// that runs the agent takes it and passes it on: as the next turn of a conversation, with the brief of a run, or by a client's hook. It
// owns the table messages. Only a person may send a message; agents and their child processes may not.
//
// A message is waiting, sent once a run has taken it, and delivered once it was written to the agent. If the run ends in between, the
// message waits again, so that no message is lost or delivered twice. message.go has the rows, tell.go takes messages from people,
// deliver.go passes them on.
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
