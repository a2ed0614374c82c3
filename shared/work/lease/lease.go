// Package lease keeps who holds an item. A claim is one conditional statement, so exactly one of any number of racing
// processes wins. Each claim carries a token that only grows, so that an agent that lost its claim cannot act on its
// successor's item. It alone writes `leases`, and moves items through shared/work.
//
// Its functions take a transaction and so are safe for concurrent use.
package lease

import (
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Lease is the present or last claim of an item.
type Lease struct {
	AgentID   int64 // 0 when no one holds it
	AgentName string
	Token     int64 // grows with every claim; 0 when there was none
	ClaimedAt time.Time
}

// Held reports whether someone holds the item.
func (l Lease) Held() bool { return l.AgentID != 0 }

// Get returns an item's lease; the Token is zero if the item was never claimed.
func Get(tx *registry.Tx, itemID int64) (Lease, error) {
	var l Lease
	var claimed timestamp.Time
	_, err := registry.Found(tx.QueryRow(`SELECT l.agent_id, a.name, l.epoch, l.claimed_at
		FROM leases l LEFT JOIN agents a ON a.id = l.agent_id WHERE l.item_id = ?`, itemID).
		Scan(registry.Nullable(&l.AgentID), registry.Nullable(&l.AgentName), &l.Token, registry.Nullable(&claimed)))
	if l.Held() {
		l.ClaimedAt = claimed.Time
	}
	return l, err
}

// taking writes the lease of an item that its caller has just moved. taken are its arguments.
const taking = `INSERT INTO leases (item_id, agent_id, epoch, agent_epoch, claimed_at) VALUES (?, ?, 1, ?, ?)
	ON CONFLICT (item_id) DO UPDATE SET agent_id = excluded.agent_id, epoch = leases.epoch + 1,
	  agent_epoch = excluded.agent_epoch, claimed_at = excluded.claimed_at`

func taken(tx *registry.Tx, itemID int64, a agent.Agent) []any {
	return []any{itemID, a.ID, a.Epoch, tx.Stamp()}
}

// take writes the lease of an item that its caller has just moved, and returns it with its token.
func take(tx *registry.Tx, itemID int64, a agent.Agent) (Lease, error) {
	l := Lease{AgentID: a.ID, AgentName: a.Name, ClaimedAt: tx.Now()}
	err := tx.QueryRow(taking+` RETURNING epoch`, taken(tx, itemID, a)...).Scan(&l.Token)
	return l, err
}

// End frees an item's lease; the token stays. The holder becomes idle if this was its last claim.
func End(tx *registry.Tx, itemID int64) error {
	err := agent.Idle(tx, `id = (SELECT agent_id FROM leases WHERE item_id = ?)
		AND NOT EXISTS (SELECT 1 FROM leases other WHERE other.agent_id = agents.id AND other.item_id <> ?)`, itemID, itemID)
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE leases SET agent_id = NULL, claimed_at = NULL WHERE item_id = ?`, itemID)
}

// HeldBy returns the items an agent holds, oldest claim first.
func HeldBy(tx *registry.Tx, agentID int64) ([]work.Item, error) {
	return registry.Collect(tx, func(row registry.Scanner) (work.Item, error) { return work.Scan(row) },
		`SELECT `+work.Columns+` FROM leases JOIN items ON items.id = leases.item_id
		 WHERE leases.agent_id = ? ORDER BY leases.claimed_at, items.id`, agentID)
}

// LastHolder returns the agent that claimed an item last, according to its history; 0 when there was none.
func LastHolder(tx *registry.Tx, itemID int64) (agentID int64, err error) {
	// The event of a claim is the claiming agent's own; the event of a handover names the agent that takes over.
	id, err := registry.One[registry.Null[int64]](tx.QueryRow(`SELECT CASE WHEN h.field = 'agent' THEN a.id ELSE h.agent_id END
		FROM item_history h LEFT JOIN agents a ON a.name = h.new
		WHERE h.item_id = ? AND h.epoch IS NOT NULL AND ((h.field = 'status' AND h.new = 'claimed') OR h.field = 'agent') ORDER BY h.id DESC LIMIT 1`, itemID))
	_, err = registry.Found(err)
	return id.V, err
}
