package obstacle

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// checkAtWork looks for an agent that holds the task or was heard of since it got the worktree, and for processes whose current folder is
// inside. by is the agent that asks; it does not stand in its own way. An agent that is silent for longer than stale does not count.
func (p *Proof) checkAtWork(ctx context.Context, trees *worktree.Store, stale time.Duration, by string) error {
	w := p.Worktree
	owner := w.Agent != "" && text.Key(by) == text.Key(w.Agent)
	err := trees.DB.Read(ctx, func(tx *registry.Tx) error {
		since := registry.FormatTime(tx.Now().Add(-stale))
		if w.AgentID != 0 && !owner {
			seen, err := registry.One[timestamp.Time](tx.QueryRow(`SELECT last_seen_at FROM agents
				WHERE id = ? AND removed_at IS NULL AND status <> 'disconnected' AND last_seen_at >= ?`, w.AgentID, since))
			if err != nil && !registry.NoRows(err) {
				return err
			}
			// A time that spawn itself noted is not a sign of life.
			if err == nil && seen.After(w.CreatedAt.Time) {
				p.Add(AtWork, nil, "agent %s works in it, last heard of %s ago", w.Agent, tx.Now().Sub(seen.Time).Round(time.Second))
			}
		}
		if w.ItemID == 0 {
			return nil
		}
		// Neither is a claim that the spawn made.
		holder, err := registry.One[string](tx.QueryRow(`SELECT agents.name FROM leases JOIN agents ON agents.id = leases.agent_id
			WHERE leases.item_id = ? AND agents.last_seen_at >= ? AND (agents.id <> ? OR agents.last_seen_at > ?)`,
			w.ItemID, since, w.AgentID, registry.FormatTime(w.CreatedAt.Time)))
		if registry.NoRows(err) || err == nil && text.Key(holder) == text.Key(by) {
			return nil
		}
		if err == nil {
			p.Add(AtWork, nil, "agent %s holds its task %s", holder, w.TaskID)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := p.checkIdle(ctx); err != nil {
		return err
	}
	for _, o := range occupants(p.Tree.WorkTree, !owner) {
		p.Add(AtWork, nil, "process %d (%s) is in it", o.PID, o.Name)
	}
	return nil
}

// CheckUse looks for what would be lost with the folder, and for a git command that is at work in it; where the worktree has to be on its
// own branch, also for another one. The proof of a worktree that could not be opened stays as it is.
func (p *Proof) CheckUse(ctx context.Context, onBranch bool) error {
	if p.Tree == nil {
		return nil
	}
	if err := p.CheckContent(ctx); err != nil {
		return err
	}
	if onBranch {
		p.checkBranch()
	}
	return p.checkIdle(ctx)
}

// checkIdle looks for a git command that is at work in the worktree.
func (p *Proof) checkIdle(ctx context.Context) error {
	lock, err := checkout.BusyIndex(ctx, p.Tree)
	if err == nil && lock != "" {
		p.Add(AtWork, nil, "a git command is at work in it (%s exists)", lock)
	}
	return err
}

// Occupants names the processes that are in a folder, other than this one and those that started it. Where the system has no list of them,
// it returns none.
func Occupants(dir string) []string {
	return text.Each(occupants(dir, false), func(o occupant) string { return o.Name })
}
