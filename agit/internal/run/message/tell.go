package message

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// New is a person's message to an agent.
type New struct {
	Agent  string // name or id
	Text   string
	AtOnce bool // cancel the current turn
	person.Caller
}

// Told is a stored message and the state of its agent.
type Told struct {
	Message
	// Client and Run describe the agent's run under `agit work`; "" when there is none.
	Client string `json:"client,omitempty"`
	Run    string `json:"run,omitempty"`
}

// Tell stores a message until it is delivered, without its secrets. Only a person may send one: any other caller, including a process
// that descends from an agent's client, gets a ConflictError. An unknown agent is a NotFoundError.
func (s *Store) Tell(ctx context.Context, n New) (t Told, err error) {
	said := strings.TrimSpace(n.Text)
	if said == "" {
		return t, fault.Validation("text", "the text for agent %q is empty", n.Agent).WithHint("give it after the agent's name")
	}
	if said, err = text.Body("text", said); err != nil {
		return t, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, n.Agent)
		if err != nil {
			return err
		}
		if err := mayTell(tx, n.Caller, a.Name); err != nil {
			return err
		}
		at, err := atOf(tx, a.ID)
		if err != nil {
			return err
		}
		if err := tx.In(at.project); err != nil {
			return err
		}
		id := registry.NewID(prefix)
		if err := tx.Do(`INSERT INTO messages (ref, agent_id, item_id, text, at_once, state, told_at) VALUES (?, ?, ?, ?, ?, 'waiting', ?)`,
			id, a.ID, registry.NullIfZero(at.item), said, n.AtOnce, tx.Stamp()); err != nil {
			return err
		}
		if t.Message, err = find(tx, id); err != nil {
			return err
		}
		t.Client, t.Run = at.client, at.run
		t.changed(tx)
		return nil
	})
	return t, err
}

// Withdraw takes back an undelivered message for a person. A message that a run has taken or delivered is a ConflictError.
func (s *Store) Withdraw(ctx context.Context, id string, by person.Caller) (m Message, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if m, err = find(tx, id); err != nil {
			return err
		}
		if err := mayTell(tx, by, m.Agent); err != nil {
			return err
		}
		if err := tx.In(m.projectID); err != nil {
			return err
		}
		done, err := tx.Exec(`UPDATE messages SET state = 'withdrawn' WHERE id = ? AND state = 'waiting'`, m.id)
		if err != nil {
			return err
		}
		if done == 0 {
			return fault.Conflict("message", m.ID, "the message %s for agent %q is %s already", m.ID, m.Agent, m.State).WithHint("`agit tell` lists what waits")
		}
		m.State = Withdrawn
		m.changed(tx)
		return nil
	})
	return m, err
}

// mayTell refuses all callers but people.
func mayTell(tx *registry.Tx, by person.Caller, agentName string) error {
	return by.Must(tx, "agent", agentName, fmt.Sprintf("tell agent %q what to do", agentName))
}

// at is the place where an agent works.
type at struct {
	item, project int64
	client, run   string
}

// atOf returns the newest run of an agent under `agit work`, otherwise the task that it holds, otherwise the zero value.
func atOf(tx *registry.Tx, agentID int64) (a at, err error) {
	err = tx.QueryRow(`SELECT t.item_id, i.project_id, t.client, t.run FROM attempts t JOIN items i ON i.id = t.item_id
		WHERE t.agent_id = ? AND t.state = 'running' ORDER BY t.id DESC LIMIT 1`, agentID).Scan(&a.item, &a.project, &a.client, &a.run)
	if !registry.NoRows(err) {
		return a, err
	}
	_, err = registry.Found(tx.QueryRow(`SELECT l.item_id, i.project_id FROM leases l JOIN items i ON i.id = l.item_id
		WHERE l.agent_id = ? AND i.state = 'active' ORDER BY l.item_id DESC LIMIT 1`, agentID).Scan(&a.item, &a.project))
	return a, err
}
