package message

import (
	"context"

	"github.com/agit-suite/agit/shared/registry"
)

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
