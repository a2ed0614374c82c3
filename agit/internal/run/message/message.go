// Package message keeps what people tell agents, until it has reached them. A person tells an agent something from any process; the
// process that runs the agent takes it and passes it on: as the next turn of a conversation, with the brief of a run, or by the hook
// of a client. It owns the table messages. It decides who may tell: a person, and neither an agent nor anything that an agent started.
//
// A message waits, is sent once a run has taken it, and delivered once it was written to the agent. Messages that a run had taken which ended in between
// wait again, so that nothing is lost; what was delivered is not delivered again.
//
// message.go has the rows, tell.go takes messages from people, deliver.go passes them on.
package message

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is how a message stands.
type State string

// The states.
const (
	Waiting   State = "waiting"
	Sent      State = "sent" // a run has taken it
	Delivered State = "delivered"
	Withdrawn State = "withdrawn" // by a person, before it was delivered
)

// Message is one row.
type Message struct {
	ID          string          `json:"id"`
	Agent       string          `json:"agent"`
	Task        string          `json:"task_id,omitempty"` // that the agent was at
	Text        string          `json:"text"`
	AtOnce      bool            `json:"at_once,omitempty"` // the turn under way is cancelled for it
	State       State           `json:"state"`
	ToldAt      timestamp.Time  `json:"told_at"`
	DeliveredAt *timestamp.Time `json:"delivered_at,omitempty"`

	id, agentID, projectID int64
}

// prefix begins the ids of messages.
const prefix = "m-"

// Store keeps messages. It is safe for concurrent use.
type Store struct{ DB *registry.DB }

const selection = `SELECT m.id, m.ref, m.agent_id, a.name, COALESCE(i.ref, ''), COALESCE(i.project_id, 0), m.text, m.at_once, m.state, m.told_at, m.delivered_at
	FROM messages m JOIN agents a ON a.id = m.agent_id LEFT JOIN items i ON i.id = m.item_id `

func scan(row registry.Scanner) (m Message, err error) {
	return m, row.Scan(&m.id, &m.ID, &m.agentID, &m.Agent, &m.Task, &m.projectID, &m.Text, &m.AtOnce, &m.State, &m.ToldAt, &m.DeliveredAt)
}

// List returns the messages that have not been delivered, the oldest first.
func (s *Store) List(ctx context.Context) (list []Message, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		list, err = registry.Collect(tx, scan, selection+`WHERE m.state IN ('waiting', 'sent') ORDER BY m.id`)
		return err
	})
	return list, err
}

// Counts returns how many messages wait for each agent, by its name.
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

// Words are messages as an agent reads them.
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
