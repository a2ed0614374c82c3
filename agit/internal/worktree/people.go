package worktree

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// checkPeople looks for somebody at work in the worktree: an agent that holds
// the task or was heard of since it got the worktree, or a process whose
// current folder is inside. by is who asks; it does not stand in its own way.
func (s *Store) checkPeople(ctx context.Context, p *proof, w Worktree, set Settings, by string) error {
	owner := w.Agent != "" && text.Key(by) == text.Key(w.Agent)
	err := s.db.Read(ctx, func(tx *registry.Tx) error {
		since := registry.FormatTime(tx.Now().Add(-set.AgentStale))
		if w.AgentID != 0 && !owner {
			seen, err := registry.One[string](tx.QueryRow(`SELECT last_seen_at FROM agents
				WHERE id = ? AND removed_at IS NULL AND status <> 'disconnected' AND last_seen_at >= ?`, w.AgentID, since))
			if err != nil && !registry.NoRows(err) {
				return err
			}
			// What spawn itself noted is not a sign of life.
			if at, parseErr := registry.ParseTime(seen); err == nil && parseErr == nil && at.After(w.CreatedAt) {
				p.add(AtWork, nil, "agent %s works in it, last heard of %s ago", w.Agent, tx.Now().Sub(at).Round(time.Second))
			}
		}
		if w.ItemID == 0 {
			return nil
		}
		holder, err := registry.One[string](tx.QueryRow(`SELECT agents.name FROM leases JOIN agents ON agents.id = leases.agent_id
			WHERE leases.item_id = ? AND agents.last_seen_at >= ?`, w.ItemID, since))
		if registry.NoRows(err) || err == nil && text.Key(holder) == text.Key(by) {
			return nil
		}
		if err == nil {
			p.add(AtWork, nil, "agent %s holds its task %s", holder, w.TaskID)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := p.idle(ctx); err != nil {
		return err
	}
	for _, o := range occupants(p.tree.WorkTree, !owner) {
		p.add(AtWork, nil, "process %d (%s) is in it", o.PID, o.Name)
	}
	return nil
}
