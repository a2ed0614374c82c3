package message

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// New is what a person tells an agent.
type New struct {
	Agent  string // name or id
	Text   string
	AtOnce bool // cancel the turn under way
	person.Caller
}

// Told is a message that was kept, and how the agent works that it is for.
type Told struct {
	Message
	// Client and Run are those of the run of `agit work` that the agent is in; "" for none.
	Client string `json:"client,omitempty"`
	Run    string `json:"run,omitempty"`
}

// Tell keeps a message until it is delivered. Secrets in it are taken out. Only a person may tell an agent something: any other caller, and
// one that descends from a run of an agent's client, is a ConflictError. An agent that is not known is a NotFoundError.
func (s *Store) Tell(ctx context.Context, n New) (t Told, err error) {
	said := strings.TrimSpace(n.Text)
	if said == "" {
		return t, fault.Validation("text", "the text for agent %q is empty", n.Agent).WithHint("give it behind the agent's name")
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

// Withdraw takes back a message that was not delivered yet, for a person. A message that was delivered, or that a run has taken, is a
// ConflictError.
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

// mayTell refuses all but people: an agent that could tell others what to do would be a way around what each may do.
func mayTell(tx *registry.Tx, by person.Caller, agentName string) error {
	not, err := by.Not(tx)
	if err != nil || not == "" {
		return err
	}
	return fault.Conflict("agent", agentName, "%s may not tell agent %q what to do: a person does", not, agentName).
		WithHint("run it in a shell of your own, without AGIT_AGENT")
}

// at is where an agent works.
type at struct {
	item, project int64
	client, run   string
}

// atOf is the newest run of an agent under `agit work`, else the task that it holds, else nothing.
func atOf(tx *registry.Tx, agentID int64) (a at, err error) {
	err = tx.QueryRow(`SELECT t.item_id, i.project_id, t.client, t.run FROM attempts t JOIN items i ON i.id = t.item_id
		WHERE t.agent_id = ? AND t.state = 'running' ORDER BY t.id DESC LIMIT 1`, agentID).Scan(&a.item, &a.project, &a.client, &a.run)
	if !registry.NoRows(err) {
		return a, err
	}
	err = tx.QueryRow(`SELECT l.item_id, i.project_id FROM leases l JOIN items i ON i.id = l.item_id
		WHERE l.agent_id = ? AND i.state = 'active' ORDER BY l.item_id DESC LIMIT 1`, agentID).Scan(&a.item, &a.project)
	if registry.NoRows(err) {
		err = nil
	}
	return a, err
}
